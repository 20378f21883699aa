package io.cairn.server.storage;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement with a part that occurs once for each row. The texts are made once, for a fixed set of numbers of rows, so
 * that a connection prepares few statements. Thread-safe.
 */
final class RepeatedSql {

    /** The numbers of rows for which there is a text. */
    private static final int[] SIZES = {64, 32, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

    private final String start;
    private final String part;
    private final String separator;
    private final String end;
    /** Two threads may make the same text; either one is right. */
    private final @Nullable String[] texts = new String[SIZES[0] + 1];

    RepeatedSql(String start, String part, String separator, String end) {
        this.start = start;
        this.part = part;
        this.separator = separator;
        this.end = end;
    }

    /** Rows of one execution of the statement. */
    interface Work<T> {
        void run(String sql, List<T> rows) throws SQLException;
    }

    /** Runs the work for all rows, in as few executions as possible. */
    <T> void forEach(List<T> rows, Work<T> work) throws SQLException {
        if (rows.size() == 1) {
            work.run(text(1), rows);
            return;
        }
        int from = 0;
        for (int size : SIZES) {
            for (; rows.size() - from >= size; from += size) {
                work.run(text(size), rows.subList(from, from + size));
            }
        }
    }

    private String text(int times) {
        String text = texts[times];
        if (text == null) {
            text = start + (part + separator).repeat(times - 1) + part + end;
            texts[times] = text;
        }
        return text;
    }
}
