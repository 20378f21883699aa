package io.cairn.server.storage.mysql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Columns with three bytes a character, as in Nacos's script, without emoji and rare ideographs. They stay so: a conversion may
 * take long, and their owner decides.
 *
 * @param tables by column name
 */
record NarrowColumns(Map<String, List<String>> tables) {

    static final NarrowColumns NONE = new NarrowColumns(Map.of());

    static NarrowColumns read(Connection connection) throws SQLException {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT column_name, table_name FROM information_schema.columns"
                        + " WHERE table_schema = DATABASE() AND character_set_name IS NOT NULL"
                        + " AND character_set_name <> 'utf8mb4' ORDER BY table_name")) {
            while (rows.next()) {
                tables.computeIfAbsent(rows.getString(1), name -> new ArrayList<>())
                        .add(rows.getString(2));
            }
        }
        return new NarrowColumns(tables);
    }

    /** As {@link #refusal}, without a column from the database: mostly the content. */
    String refusalOfSomeColumn() {
        return refusal(null, "content, or another text column,");
    }

    /**
     * Reason and remedy of a refused text.
     *
     * @param table null if unknown
     */
    String refusal(@Nullable String table, String column) {
        int end = column.indexOf(',');
        List<String> concerned = tables.getOrDefault(end < 0 ? column : column.substring(0, end), List.of());
        if (concerned.isEmpty()) {
            return "column " + column + (table == null ? "" : " of table " + table)
                    + " cannot hold one of the characters";
        }
        List<String> alters = concerned.stream()
                .map(name -> "ALTER TABLE " + name + " CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
                .toList();
        return "it has a character of four bytes, such as an emoji, which column " + column + " of table "
                + (table == null ? String.join(" or ", concerned) : table)
                + " cannot hold, for its character set is not utf8mb4. Take the character out, or convert the tables: "
                + String.join("; ", alters);
    }
}
