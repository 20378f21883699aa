package io.cairn.server.http.envelope;

import io.cairn.server.config.RowPage;
import java.util.List;
import java.util.function.Function;

/**
 * A page of a list, in all versions.
 *
 * @param totalCount of all pages
 * @param pageNumber from 1 on
 */
public record PageBody<T>(long totalCount, long pageNumber, long pagesAvailable, Rows<T> pageItems) {

    public static <T> PageBody<T> of(RowPage<T> page) {
        return new PageBody<>(page.totalCount(), page.number(), page.pagesAvailable(), Rows.of(page.rows()));
    }

    public static <T> PageBody<T> of(long totalCount, int pageNumber, int pageSize, Rows<T> pageItems) {
        return new PageBody<>(totalCount, pageNumber, (totalCount + pageSize - 1) / pageSize, pageItems);
    }

    public static <E, T> PageBody<T> cut(List<E> all, int pageNumber, int pageSize, Function<E, T> entry) {
        int from = (int) Math.min(all.size(), (long) (pageNumber - 1) * pageSize);
        int to = (int) Math.min(all.size(), (long) from + pageSize);
        return of(all.size(), pageNumber, pageSize, Rows.of(all.subList(from, to), entry));
    }
}
