package io.cairn.server.storage.mysql;

import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.SchemaScript;
import io.cairn.server.storage.database.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tables of Nacos 1.4 to 3.x, and the missing parts. Nothing is removed, and additions have defaults, so that Nacos can go on with
 * the tables.
 */
final class NacosTables {

    private static final String FIRST_SCRIPT = "V1__nacos_tables.sql";
    private static final String GRAY_DRAFT = "cairn_config_info_gray";
    /** Releases for some clients, until 2.4. */
    private static final String BETA = "config_info_beta";

    private static final String TAG = "config_info_tag";
    private static final String TAG_NAME = "CONCAT('tag_', tag_id)";

    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE IF NOT EXISTS (\\w+) \\((.*?)\\n\\) ENGINE[^;]*;", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile("^  (`?[a-z_0-9]+`?) ([a-z].*?),?$", Pattern.MULTILINE);

    private NacosTables() {}

    /** A table of the first script, with column definitions by name. */
    private record Wanted(String create, Map<String, String> columns) {}

    /** The statements that adapt a database of Nacos; empty for an empty one. */
    static List<String> adoption(Connection connection) throws SQLException {
        Map<String, Set<String>> present = present(connection);
        List<String> statements = new ArrayList<>();
        if (!present.containsKey(TableNames.FORMAL)) {
            return statements;
        }
        Map<String, Wanted> wanted = wanted();
        for (Map.Entry<String, Wanted> table : wanted.entrySet()) {
            Set<String> columns = present.get(table.getKey());
            if (columns != null) {
                addMissing(table.getKey(), table.getValue(), columns, statements);
            }
        }
        if (!present.containsKey(TableNames.GRAY)) {
            gray(wanted.getOrDefault(TableNames.GRAY, new Wanted("", Map.of())), present, statements);
        }
        if (hasPublic(connection)) {
            spelledPublic(present, statements);
        }
        return statements;
    }

    private static Map<String, Wanted> wanted() {
        Map<String, Wanted> tables = new LinkedHashMap<>();
        Matcher table = TABLE.matcher(SchemaScript.read("mysql", FIRST_SCRIPT).text());
        while (table.find()) {
            Map<String, String> columns = new LinkedHashMap<>();
            Matcher column = COLUMN.matcher(table.group(2));
            while (column.find()) {
                columns.put(column.group(1).replace("`", ""), column.group(2));
            }
            tables.put(table.group(1), new Wanted(table.group(), columns));
        }
        return tables;
    }

    private static Map<String, Set<String>> present(Connection connection) throws SQLException {
        Map<String, Set<String>> tables = new LinkedHashMap<>();
        try (PreparedStatement statement = connection.prepareStatement("SELECT table_name, column_name"
                        + " FROM information_schema.columns WHERE table_schema = DATABASE()"
                        + " ORDER BY table_name, ordinal_position");
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                tables.computeIfAbsent(rows.getString(1), name -> new LinkedHashSet<>())
                        .add(rows.getString(2).toLowerCase(Locale.ROOT));
            }
        }
        return tables;
    }

    private static void addMissing(String table, Wanted wanted, Set<String> present, List<String> statements)
            throws SQLException {
        List<String> added = new ArrayList<>();
        for (Map.Entry<String, String> column : wanted.columns().entrySet()) {
            if (present.contains(column.getKey())) {
                continue;
            }
            String definition = column.getValue();
            if (definition.contains("NOT NULL") && !definition.contains("DEFAULT")) {
                throw new SQLException("table " + table + " has no column " + column.getKey()
                        + ", so it is not one of Nacos: give Cairn a database of its own");
            }
            added.add("ADD COLUMN `" + column.getKey() + "` " + definition);
        }
        if (!added.isEmpty()) {
            statements.add("ALTER TABLE " + table + " " + String.join(", ", added));
        }
    }

    /** Until 2.4 gray releases had their own tables; the new one gets their rows. */
    private static void gray(Wanted gray, Map<String, Set<String>> present, List<String> statements) {
        statements.add("DROP TABLE IF EXISTS " + GRAY_DRAFT);
        statements.add(gray.create()
                .replace("IF NOT EXISTS " + TableNames.GRAY, GRAY_DRAFT)
                .replace(";", ""));
        Set<String> beta = present.get(BETA);
        if (beta != null) {
            statements.add(copy(BETA, beta, "'beta'", rule("beta", "beta_ips", Integer.MAX_VALUE)));
        }
        Set<String> tag = present.get(TAG);
        if (tag != null) {
            statements.add(copy(TAG, tag, TAG_NAME, rule("tag", "tag_id", Integer.MAX_VALUE - 1)));
        }
        statements.add("RENAME TABLE " + GRAY_DRAFT + " TO " + TableNames.GRAY);
    }

    private static String rule(String type, String column, int priority) {
        return "CONCAT('{\"type\":\"" + type + "\",\"version\":\"1.0.0\",\"expr\":\"', REPLACE(REPLACE(COALESCE("
                + column + ", ''), '\\\\', '\\\\\\\\'), '\"', '\\\\\"'), '\",\"priority\":" + priority + "}')";
    }

    /**
     * A row without a namespace is copied as it is, for its reader to skip: with a namespace, it could duplicate a key. A row with
     * too long values is not copied ({@link #noteTooLong}).
     */
    private static String copy(String table, Set<String> columns, String name, String rule) {
        return "INSERT INTO " + GRAY_DRAFT + " (data_id, group_id, tenant_id, gray_name, gray_rule, content, md5,"
                + " src_user, src_ip, app_name, gmt_create, gmt_modified, encrypted_data_key) SELECT data_id, group_id,"
                + " tenant_id, " + name + ", " + rule + ", content, md5, src_user, src_ip, app_name,"
                + " gmt_create, gmt_modified, " + dataKey(columns) + " FROM " + table + " WHERE NOT ("
                + isTooLong(table, columns)
                + ')';
    }

    private static String dataKey(Set<String> columns) {
        return columns.contains("encrypted_data_key") ? "COALESCE(encrypted_data_key, '')" : "''";
    }

    private static String isTooLong(String table, Set<String> columns) {
        return "CHAR_LENGTH(" + dataKey(columns) + ") > 256"
                + (table.equals(TAG) ? " OR CHAR_LENGTH(" + TAG_NAME + ") > 128" : "");
    }

    static void noteTooLong(Connection connection, LeftOutRows leftOut) throws SQLException {
        Map<String, Set<String>> present = present(connection);
        if (present.containsKey(TableNames.GRAY) || !present.containsKey(TableNames.FORMAL)) {
            return;
        }
        for (String table : List.of(BETA, TAG)) {
            Set<String> columns = present.get(table);
            if (columns != null) {
                LeftOutRows.Reading reading = leftOut.some(table);
                try (PreparedStatement statement = connection.prepareStatement(
                                "SELECT id FROM " + table + " WHERE " + isTooLong(table, columns) + " ORDER BY id");
                        ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        reading.leave(
                                "id " + rows.getString(1),
                                "its tag or its encrypted_data_key is too long for " + TableNames.GRAY
                                        + ", so it is not copied there");
                    }
                }
            }
        }
    }

    private static boolean hasPublic(Connection connection) throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement("SELECT 1 FROM config_info WHERE tenant_id = 'public' LIMIT 1");
                ResultSet rows = statement.executeQuery()) {
            return rows.next();
        }
    }

    /** Nacos 3 stores the default namespace as {@code public}; rows with only {@code ''} are converted. */
    private static void spelledPublic(Map<String, Set<String>> present, List<String> statements) {
        String columns = "data_id, group_id, content, md5, gmt_create, gmt_modified, src_user, src_ip, app_name,"
                + " c_desc, c_use, effect, type, c_schema, encrypted_data_key";
        String gray = "data_id, group_id, content, md5, src_user, src_ip, gmt_create, gmt_modified, app_name,"
                + " gray_name, gray_rule, encrypted_data_key";
        statements.add("INSERT INTO config_info (" + columns + ", tenant_id) SELECT " + columns
                + ", 'public' FROM config_info old WHERE tenant_id = '' AND group_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM (SELECT data_id"
                + " AS d, group_id AS g FROM config_info WHERE tenant_id = 'public') p WHERE p.d = old.data_id AND p.g"
                + " = old.group_id)");
        statements.add("INSERT INTO config_tags_relation (id, tag_name, tag_type, data_id, group_id, tenant_id)"
                + " SELECT p.id, t.tag_name, t.tag_type, t.data_id, t.group_id, 'public' FROM config_tags_relation t"
                + " JOIN config_info p ON p.data_id = t.data_id AND p.group_id = t.group_id AND p.tenant_id = 'public'"
                + " LEFT JOIN config_tags_relation n ON n.id = p.id WHERE t.tenant_id = '' AND n.id IS NULL");
        if (present.containsKey(TableNames.GRAY)) {
            statements.add("INSERT INTO config_info_gray (" + gray + ", tenant_id) SELECT " + gray
                    + ", 'public' FROM config_info_gray old WHERE tenant_id = '' AND NOT EXISTS (SELECT 1 FROM (SELECT"
                    + " data_id AS d, group_id AS g, gray_name AS n FROM config_info_gray WHERE tenant_id = 'public') p"
                    + " WHERE p.d = old.data_id AND p.g = old.group_id AND p.n = old.gray_name)");
        }
    }
}
