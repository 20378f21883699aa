package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Small tables that the mirror copies whole when they have changed. */
public final class MirrorTables {

    /** Their names; all have the same columns in every database. */
    public static final List<String> NAMES =
            List.of("tenant_info", "users", "roles", "permissions", "cairn_user", "cairn_token");

    private static final int MOST_ROWS = 100_000;

    private MirrorTables() {}

    /** The content of a table: the values of each row by column name in lower case. */
    record Content(String table, List<Map<String, @Nullable Object>> rows) {}

    /** Reads all of them. */
    static List<Content> read(Connection connection) throws SQLException {
        List<Content> all = new ArrayList<>();
        for (String table : NAMES) {
            all.add(new Content(table, rows(connection, table)));
        }
        return all;
    }

    private static List<Map<String, @Nullable Object>> rows(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " LIMIT " + MOST_ROWS)) {
            ResultSetMetaData columns = rows.getMetaData();
            List<Map<String, @Nullable Object>> all = new ArrayList<>();
            while (rows.next()) {
                Map<String, @Nullable Object> row = new HashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    row.put(columns.getColumnLabel(i).toLowerCase(Locale.ROOT), plain(rows.getObject(i)));
                }
                all.add(row);
            }
            return all;
        }
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

    /** Makes the tables of this database hold these rows; columns that they do not have are left out. */
    static void replace(Connection connection, List<Content> contents) throws SQLException {
        for (Content content : contents) {
            Set<String> known = columns(connection, content.table());
            try (Statement delete = connection.createStatement()) {
                delete.executeUpdate("DELETE FROM " + content.table());
            }
            for (Map<String, @Nullable Object> row : content.rows()) {
                insert(connection, content.table(), row, known);
            }
        }
    }

    private static Set<String> columns(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet none = statement.executeQuery("SELECT * FROM " + table + " LIMIT 0")) {
            Set<String> names = new HashSet<>();
            for (int i = 1; i <= none.getMetaData().getColumnCount(); i++) {
                names.add(none.getMetaData().getColumnLabel(i).toLowerCase(Locale.ROOT));
            }
            return names;
        }
    }

    private static void insert(
            Connection connection, String table, Map<String, @Nullable Object> row, Set<String> known)
            throws SQLException {
        List<String> names =
                row.keySet().stream().filter(known::contains).sorted().toList();
        String sql = "INSERT INTO " + table + " (" + String.join(", ", names) + ") VALUES ("
                + "?, ".repeat(names.size() - 1) + "?)";
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (int i = 0; i < names.size(); i++) {
                insert.setObject(i + 1, row.get(names.get(i)));
            }
            insert.executeUpdate();
        }
    }
}
