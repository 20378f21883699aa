package io.cairn.server.storage.database;

import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement with a part repeated for each row. Texts exist for a fixed set of row counts, so that a connection prepares few
 * statements.
 */
public final class RepeatedSql {

    /** The largest row count with a text. */
    private static final int MOST_ROWS = 64;
    /** Up to this count each has a text. */
    private static final int EACH_UP_TO = 32;

    private final String start;
    private final String part;
    private final String separator;
    private final String end;
    /** Two threads may make the same text; either is right. */
    private final @Nullable String[] texts = new String[MOST_ROWS + 1];

    public RepeatedSql(String start, String part, String separator, String end) {
        this.start = start;
        this.part = part;
        this.separator = separator;
        this.end = end;
    }

    public interface Work<T> {
        void run(String sql, List<T> rows) throws SQLException;
    }

    /** In as few executions as possible. */
    public <T> void forEach(List<T> rows, Work<T> work) throws SQLException {
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
