package io.cairn.server.config;

import io.cairn.server.admission.MemoryLease;
import java.util.List;

final class ListedRows<T> implements RowSource<T> {

    private final List<T> rows;
    private int next;

    ListedRows(List<T> rows) {
        this.rows = rows;
    }

    @Override
    public List<T> next(MemoryLease lease) {
        int from = next;
        next = Math.min(rows.size(), from + TOGETHER);
        return rows.subList(from, next);
    }

    @Override
    public boolean isReady() {
        return true;
    }
}
