package io.cairn.server.storage;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement with a part that occurs once for each row. The texts are made once, for a fixed set of numbers of rows, so
 * that a connection prepares few statements. Thread-safe.
 */
final class RepeatedSql {

    /** The largest number of rows for which there is a text. */
    private static final int MOST_ROWS = 64;
    /** Up to this number of rows there is a text for each number. */
    private static final int EACH_UP_TO = 32;

    private final String start;
    private final String part;
    private final String separator;
    private final String end;
    /** Two threads may make the same text; either one is right. */
    private final @Nullable String[] texts = new String[MOST_ROWS + 1];

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
        int from = 0;
        while (from < rows.size()) {
            int left = rows.size() - from;
            int size = left >= MOST_ROWS ? MOST_ROWS : Math.min(left, EACH_UP_TO);
            work.run(text(size), size == rows.size() ? rows : rows.subList(from, from + size));
            from += size;
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
