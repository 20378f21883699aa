package io.cairn.server.storage.database;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unusable rows of a database, such as rows without a name: other programs may write them, and the tables allow them. Readers skip
 * them; here they are counted, with some examples of each table.
 */
public final class LeftOutRows {

    /** Named rows of a table; others are counted. */
    public static final int EXAMPLES = 5;

    /** Distinguished rows of a table. */
    private static final int MOST_ROWS = 10_000;
    /** How long a row of a partial read is kept, because such a reader may never meet it again. */
    private static final Duration NOTED = Duration.ofHours(1);

    private static final Logger log = LoggerFactory.getLogger(LeftOutRows.class);

    private final LongSupplier nanoTime;
    private final boolean isLogged;

    @GuardedBy("this")
    private final Map<String, Table> tables = new TreeMap<>();

    public LeftOutRows() {
        this(System::nanoTime, true);
    }

    /** @param isLogged whether to log each new row */
    LeftOutRows(LongSupplier nanoTime, boolean isLogged) {
        this.nanoTime = nanoTime;
        this.isLogged = isLogged;
    }

    /** Of a copy: the rows were noted at their first read, with other ids. */
    public static LeftOutRows ofCopy() {
        return new LeftOutRows(System::nanoTime, false);
    }

    /**
     * A table's skipped rows.
     *
     * @param examples with reasons, such as {@code id 5: group_id: NULL (expected: not blank)}
     */
    public record OfTable(String table, long rows, List<String> examples) {

        public OfTable {
            examples = List.copyOf(examples);
        }

        /** Examples in one line, with the number of others. */
        public String text() {
            long others = rows - examples.size();
            return String.join("; ", examples) + (others > 0 ? "; and " + others + " more" : "");
        }
    }

    public interface RowReader<T> {
        public T read(ResultSet row) throws SQLException;
    }

    private static final class Table {

        /** Of the last full read: the number, and reasons by id. */
        private long count;

        private Map<String, String> whole = Map.of();
        private final Map<String, Noted> noted = new LinkedHashMap<>();
    }

    private record Noted(String reason, long atNanos) {}

    /** Begins a full read, whose result replaces the former at {@link Reading#done()}. */
    public Reading whole(String table) {
        return new Reading(table, true);
    }

    public Reading some(String table) {
        return new Reading(table, false);
    }

    /**
     * A value of each usable row.
     *
     * @param sql reads all rows of the table
     * @param ids the columns that name a row
     */
    public <T> List<T> all(Connection connection, String table, String sql, RowReader<T> reader, int... ids)
            throws SQLException {
        Reading reading = whole(table);
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<T> read = new ArrayList<>();
            while (rows.next()) {
                reading.read(rows, reader, ids).ifPresent(read::add);
            }
            reading.done();
            return read;
        }
    }

    /** A reader of a table. For one thread. */
    public final class Reading {

        private final String table;
        private final boolean isWhole;
        private final Map<String, String> left = new LinkedHashMap<>();
        private long count;

        private Reading(String table, boolean isWhole) {
            this.table = table;
            this.isWhole = isWhole;
        }

        /**
         * A value of the present row, or empty for an unusable one.
         *
         * @param ids the columns that name the row
         */
        public <T> Optional<T> read(ResultSet row, RowReader<T> reader, int... ids) throws SQLException {
            try {
                return Optional.of(reader.read(row));
            } catch (SQLDataException e) {
                // Such as a number beyond long. Other failures are of the statement.
                leave(id(row, ids), reason(e));
            } catch (RuntimeException e) {
                leave(id(row, ids), reason(e));
            }
            return Optional.empty();
        }

        private static String reason(Exception failure) {
            String message = failure.getMessage();
            return message == null ? failure.toString() : message;
        }

        private String id(ResultSet row, int... ids) throws SQLException {
            StringBuilder text = new StringBuilder();
            for (int id : ids) {
                text.append(text.isEmpty() ? "" : ", ")
                        .append(row.getMetaData().getColumnLabel(id))
                        .append(' ')
                        .append(RowRules.printable(row.getString(id)));
            }
            return text.toString();
        }

        public void leave(String id, String reason) {
            if (!isWhole) {
                note(table, id, reason);
                return;
            }
            count++;
            if (left.size() < MOST_ROWS) {
                left.put(id, reason);
            }
        }

        public void done() {
            if (isWhole) {
                replace(table, count, left);
            }
        }
    }

    private void note(String name, String id, String reason) {
        synchronized (this) {
            Table table = tables.computeIfAbsent(name, absent -> new Table());
            boolean isKnown = table.whole.containsKey(id) || table.noted.containsKey(id);
            if (isKnown || table.noted.size() < MOST_ROWS) {
                table.noted.put(id, new Noted(reason, nanoTime.getAsLong()));
            }
            if (isKnown || !isLogged) {
                return;
            }
        }
        warn(name, id, reason);
    }

    private void replace(String name, long count, Map<String, String> left) {
        Map<String, String> before;
        synchronized (this) {
            Table table = tables.computeIfAbsent(name, absent -> new Table());
            before = new HashMap<>(table.whole);
            table.noted.forEach((id, noted) -> before.put(id, noted.reason()));
            table.count = count;
            table.whole = left;
            // A full read has met each again, or they were corrected.
            table.noted.clear();
        }
        if (!isLogged) {
            return;
        }
        List<String> isNew =
                left.keySet().stream().filter(id -> !before.containsKey(id)).toList();
        for (String id : isNew.subList(0, Math.min(EXAMPLES, isNew.size()))) {
            warn(name, id, left.getOrDefault(id, ""));
        }
        if (isNew.size() > EXAMPLES) {
            log.warn("{} more rows of {} are left out", isNew.size() - EXAMPLES, name);
        }
    }

    private static void warn(String table, String id, String reason) {
        log.warn("The row of {} with {} is left out: {}. Correct or delete it", table, id, reason);
    }

    public List<OfTable> present() {
        List<OfTable> present = new ArrayList<>();
        synchronized (this) {
            long now = nanoTime.getAsLong();
            tables.forEach((name, table) -> {
                table.noted.values().removeIf(noted -> now - noted.atNanos() > NOTED.toNanos());
                Map<String, String> all = new LinkedHashMap<>(table.whole);
                table.noted.forEach((id, noted) -> all.put(id, noted.reason()));
                long rows = table.count - table.whole.size() + all.size();
                if (rows > 0) {
                    present.add(new OfTable(
                            name,
                            rows,
                            all.entrySet().stream()
                                    .limit(EXAMPLES)
                                    .map(row -> row.getKey() + ": " + row.getValue())
                                    .toList()));
                }
            });
        }
        return present;
    }
}
