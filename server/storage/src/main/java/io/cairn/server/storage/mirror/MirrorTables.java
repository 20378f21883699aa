package io.cairn.server.storage.mirror;

import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.RowRules;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Small tables that the mirror copies whole after a change. */
public final class MirrorTables {

    /** Their columns are the same in every database. */
    public static final List<String> NAMES =
            List.of("tenant_info", "users", "roles", "permissions", "cairn_user", "cairn_token", "cairn_issuer_rule");

    private static final Object NULLABLE = new Object();

    private static final int MOST_ROWS = 100_000;

    private MirrorTables() {}

    /** A table's rows, with values by lower case column name. */
    record Content(String table, List<Map<String, @Nullable Object>> rows) {}

    /** @param leftOut notes unusable rows, which are not read */
    static List<Content> read(Connection connection, LeftOutRows leftOut) throws SQLException {
        List<Content> all = new ArrayList<>();
        for (String table : NAMES) {
            all.add(new Content(
                    table,
                    leftOut.all(
                            connection,
                            table,
                            "SELECT * FROM " + table + " LIMIT " + MOST_ROWS,
                            row -> values(table, row),
                            IntStream.rangeClosed(
                                            1, Math.max(1, RowRules.ids(table).size()))
                                    .toArray())));
        }
        return all;
    }

    private static Map<String, @Nullable Object> values(String table, ResultSet row) throws SQLException {
        ResultSetMetaData columns = row.getMetaData();
        Map<String, @Nullable Object> values = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            String column = columns.getColumnLabel(i).toLowerCase(Locale.ROOT);
            Object value = plain(row.getObject(i));
            RowRules.check(table, column, value);
            values.put(column, value);
        }
        return values;
    }

    private static @Nullable Object plain(@Nullable Object value) {
        if (value instanceof Boolean is) {
            return is ? 1L : 0L;
        }
        if (value instanceof Timestamp time) {
            return time.getTime();
        }
        return value instanceof Number number ? (Object) number.longValue() : value == null ? null : value.toString();
    }

    /** Replaces the tables' rows. Skips unknown columns, and keeps one row of equal rows, which old tables of Nacos may have. */
    static void replace(Connection connection, List<Content> contents) throws SQLException {
        for (Content content : contents) {
            Map<String, Object> columns = columns(connection, content.table());
            try (Statement delete = connection.createStatement()) {
                delete.executeUpdate("DELETE FROM " + content.table());
            }
            for (Map<String, @Nullable Object> row : content.rows()) {
                insert(connection, content.table(), row, columns);
            }
        }
    }

    /** The columns with their defaults; {@link #NULLABLE} where NULL is allowed. */
    private static Map<String, Object> columns(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet columns = statement.executeQuery("PRAGMA table_info(" + table + ')')) {
            Map<String, Object> emptyValues = new TreeMap<>();
            while (columns.next()) {
                boolean isText = columns.getString("type").equalsIgnoreCase("TEXT");
                emptyValues.put(
                        columns.getString("name").toLowerCase(Locale.ROOT),
                        !columns.getBoolean("notnull") ? NULLABLE : isText ? "" : (Object) 0L);
            }
            return emptyValues;
        }
    }

    private static void insert(
            Connection connection, String table, Map<String, @Nullable Object> row, Map<String, Object> columns)
            throws SQLException {
        List<String> names = columns.keySet().stream().filter(row::containsKey).toList();
        String sql = "INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES ("
                + "?, ".repeat(names.size() - 1) + "?) ON CONFLICT DO NOTHING";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (int i = 0; i < names.size(); i++) {
                Object value = row.get(names.get(i));
                Object none = columns.get(names.get(i));
                insert.setObject(i + 1, value == null && none != NULLABLE ? none : value);
            }
            insert.executeUpdate();
        }
    }
}
