package io.cairn.server.config;

import java.util.List;
import java.util.function.Function;

/**
 * A page whose rows are found a few at a time.
 *
 * @param totalCount of the whole list
 * @param number from 1 on
 * @param pagesAvailable of the whole list
 */
public record RowPage<T>(long totalCount, int number, int pagesAvailable, RowSource<T> rows) {

    public static <T> RowPage<T> of(PageRequest asked, long totalCount, RowSource<T> rows) {
        return new RowPage<>(totalCount, asked.number(), asked.pagesOf(totalCount), rows);
    }

    /** A page in memory. */
    public static <T> RowPage<T> of(PageRequest asked, long totalCount, List<T> rows) {
        return of(asked, totalCount, RowSource.of(rows));
    }

    public <R> RowPage<R> map(Function<? super T, ? extends R> each) {
        return new RowPage<>(totalCount, number, pagesAvailable, rows.map(each));
    }
}
