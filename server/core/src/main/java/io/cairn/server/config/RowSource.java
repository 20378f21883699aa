package io.cairn.server.config;

import io.cairn.server.admission.MemoryLease;
import io.cairn.server.admission.NoRoomException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The rows of a list, a few at a time, so that no long list is whole in memory. For one thread at a time. */
public interface RowSource<T> {

    /** Rows in memory, passed on together. */
    int TOGETHER = 64;

    /** A content up to this length is read with its row, outside the lease. */
    int SMALL_BYTES = 16 * 1024;

    /**
     * The next rows; empty at the end. Blocks unless {@link #isReady}.
     *
     * @param lease has {@linkplain MemoryLease#reserveContent taken} the memory of large contents in the rows
     * @throws NoRoomException without room for the next row; the next call retries
     */
    List<T> next(MemoryLease lease);

    /** Whether {@link #next} does not block. */
    default boolean isReady() {
        return false;
    }

    static <T> RowSource<T> of(List<T> rows) {
        return new ListedRows<>(rows);
    }

    default <R> RowSource<R> map(Function<? super T, ? extends R> each) {
        return new MappedRows<>(this, each);
    }

    /** All further rows of a short list. Blocks and throws as {@link #next}. */
    default List<T> all(MemoryLease lease) {
        List<T> all = new ArrayList<>();
        for (List<T> some = next(lease); !some.isEmpty(); some = next(lease)) {
            all.addAll(some);
        }
        return all;
    }

    /** Reads the first rows now. Blocks and throws as {@link #next}. */
    default RowSource<T> begun(MemoryLease lease) {
        return new BegunRows<>(next(lease), this);
    }
}
