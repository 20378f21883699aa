package io.cairn.server.config;

import io.cairn.server.admission.MemoryLease;
import java.util.List;
import org.jspecify.annotations.Nullable;

final class BegunRows<T> implements RowSource<T> {

    private @Nullable List<T> first;
    private final RowSource<T> others;

    BegunRows(List<T> first, RowSource<T> others) {
        this.first = first;
        this.others = others;
    }

    @Override
    public List<T> next(MemoryLease lease) {
        List<T> known = first;
        if (known == null) {
            return others.next(lease);
        }
        first = null;
        return known;
    }

    @Override
    public boolean isReady() {
        return first != null || others.isReady();
    }
}
