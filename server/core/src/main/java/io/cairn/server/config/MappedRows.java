package io.cairn.server.config;

import io.cairn.server.admission.MemoryLease;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

final class MappedRows<T, R> implements RowSource<R> {

    private final RowSource<T> rows;
    private final Function<? super T, ? extends R> each;

    MappedRows(RowSource<T> rows, Function<? super T, ? extends R> each) {
        this.rows = rows;
        this.each = each;
    }

    @Override
    public List<R> next(MemoryLease lease) {
        List<T> some = rows.next(lease);
        List<R> mapped = new ArrayList<>(some.size());
        for (T row : some) {
            mapped.add(each.apply(row));
        }
        return mapped;
    }

    @Override
    public boolean isReady() {
        return rows.isReady();
    }
}
