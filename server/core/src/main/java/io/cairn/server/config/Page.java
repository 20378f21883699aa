package io.cairn.server.config;

import java.util.List;
import java.util.function.Function;

/**
 * A part of a longer list.
 *
 * @param totalCount entries of the whole list
 * @param number of this page, from 1 on
 * @param pagesAvailable pages of the whole list
 */
public record Page<T>(long totalCount, int number, int pagesAvailable, List<T> items) {

    public Page {
        items = List.copyOf(items);
    }

    /** The page that was asked for. */
    public static <T> Page<T> of(PageRequest asked, long totalCount, List<T> items) {
        return new Page<>(totalCount, asked.number(), (int) ((totalCount + asked.size() - 1) / asked.size()), items);
    }

    /** The same page of other things. */
    public <R> Page<R> map(Function<T, R> each) {
        return new Page<>(
                totalCount, number, pagesAvailable, items.stream().map(each).toList());
    }
}
