package io.cairn.server.http.envelope;

import io.cairn.server.config.Page;
import java.util.List;
import java.util.function.Function;

/**
 * A page of a list, as all versions write it.
 *
 * @param totalCount the number of entries on all pages
 * @param pageNumber from 1 on
 */
public record PageBody<T>(long totalCount, long pageNumber, long pagesAvailable, List<T> pageItems) {

    /** A page that a store has cut. */
    public static <T> PageBody<T> of(Page<T> page) {
        return new PageBody<>(page.totalCount(), page.number(), page.pagesAvailable(), page.items());
    }

    /** The entries of one page, when the list was cut already. */
    public static <T> PageBody<T> of(long totalCount, int pageNumber, int pageSize, List<T> pageItems) {
        return new PageBody<>(totalCount, pageNumber, (totalCount + pageSize - 1) / pageSize, pageItems);
    }

    /** One page of a list. */
    public static <E, T> PageBody<T> cut(List<E> all, int pageNumber, int pageSize, Function<E, T> entry) {
        List<T> items = all.stream()
                .skip((long) (pageNumber - 1) * pageSize)
                .limit(pageSize)
                .map(entry)
                .toList();
        return of(all.size(), pageNumber, pageSize, items);
    }
}
