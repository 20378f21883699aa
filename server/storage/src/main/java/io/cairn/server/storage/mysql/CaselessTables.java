package io.cairn.server.storage.mysql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Tables whose unique keys ignore case, as made by scripts of Nacos 3: of two names that differ in case alone, they store one. They
 * stay so: a conversion may take long, and their owner decides.
 *
 * @param collations by table, in order
 */
record CaselessTables(Map<String, String> collations) {

    static final CaselessTables NONE = new CaselessTables(Map.of());

    static CaselessTables read(Connection connection) throws SQLException {
        Map<String, String> collations = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT DISTINCT c.table_name, c.collation_name"
                        + " FROM information_schema.columns c JOIN information_schema.statistics s"
                        + " ON s.table_schema = c.table_schema AND s.table_name = c.table_name"
                        + " AND s.column_name = c.column_name"
                        + " WHERE c.table_schema = DATABASE() AND s.non_unique = 0 AND c.collation_name IS NOT NULL"
                        + " ORDER BY c.table_name")) {
            while (rows.next()) {
                String collation = rows.getString(2);
                if (!collation.endsWith("_bin") && !collation.contains("_cs")) {
                    collations.put(rows.getString(1), collation);
                }
            }
        }
        return new CaselessTables(collations);
    }

    boolean isEmpty() {
        return collations.isEmpty();
    }

    String text() {
        return "unique keys of " + names()
                + " take upper and lower case letters as equal, so of two names that differ in"
                + " case alone only one can be stored. To store both, convert: " + alters();
    }

    /**
     * Reason and remedy of a refused row.
     *
     * @param entry the values of the unique key, from the database
     */
    String refusal(String entry) {
        return "a name that differs from '" + entry
                + "' in upper and lower case alone is stored, and the collations of " + names()
                + " take both as equal. Use the stored name, choose another one, or convert: " + alters();
    }

    private String names() {
        return collations.entrySet().stream()
                .map(table -> table.getKey() + " (" + table.getValue() + ")")
                .collect(Collectors.joining(", "));
    }

    private String alters() {
        return collations.keySet().stream()
                .map(table -> "ALTER TABLE " + table + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
                .collect(Collectors.joining("; "));
    }
}
