package io.cairn.server.storage.postgresql;

import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.SchemaScript;
import io.cairn.server.storage.database.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tables of Nacos's plugin for PostgreSQL, of its 3.2 and of their copies, and the missing parts. No column is removed or changed,
 * and additions have defaults, so that Nacos can go on with the tables.
 */
final class NacosTables {

    private static final String FIRST_SCRIPT = "V1__nacos_tables.sql";
    /** Releases for some clients, until 2.4. */
    private static final String BETA = "config_info_beta";

    private static final String TAG = "config_info_tag";
    private static final String TENANT = "tenant_id";
    private static final int DUPLICATES = 1_000;

    private static final Pattern TABLE =
            Pattern.compile("CREATE TABLE IF NOT EXISTS (\\w+) \\((.*?)\\n\\);", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile("^  ([a-z_0-9]+) ([a-z].*?),?$", Pattern.MULTILINE);
    private static final Pattern DEFAULT = Pattern.compile("DEFAULT (\\S+)$");

    private NacosTables() {}

    private record Column(boolean isNullable, boolean hasDefault) {}

    private record Wanted(String create, Map<String, String> columns) {}

    /** The statements that adapt a database of Nacos; empty for another one. */
    static List<String> adoption(Connection connection) throws SQLException {
        Map<String, Map<String, Column>> present = present(connection);
        List<String> statements = new ArrayList<>();
        if (!present.containsKey(TableNames.FORMAL)) {
            return statements;
        }
        Map<String, Wanted> wanted = wanted();
        for (Map.Entry<String, Wanted> table : wanted.entrySet()) {
            Map<String, Column> columns = present.get(table.getKey());
            if (columns != null) {
                complete(table.getKey(), table.getValue(), columns, statements);
                advance(connection, table.getKey(), table.getValue(), columns, statements);
            }
        }
        if (!present.containsKey(TableNames.GRAY)) {
            statements.add(wanted.getOrDefault(TableNames.GRAY, new Wanted("", Map.of()))
                    .create());
            copy(present, BETA, "'beta'", "beta", "beta_ips", Integer.MAX_VALUE, statements);
            copy(present, TAG, "'tag_' || tag_id", "tag", "tag_id", Integer.MAX_VALUE - 1, statements);
        }
        nullTenants(connection, present, statements);
        if (has(connection, "SELECT 1 FROM config_info WHERE tenant_id = 'public' LIMIT 1")) {
            spelledPublic(present, statements);
        }
        return statements;
    }

    private static Map<String, Wanted> wanted() {
        Map<String, Wanted> tables = new LinkedHashMap<>();
        Matcher table = TABLE.matcher(
                SchemaScript.read(PostgreSqlSchema.FOLDER, FIRST_SCRIPT).text());
        while (table.find()) {
            Map<String, String> columns = new LinkedHashMap<>();
            Matcher column = COLUMN.matcher(table.group(2));
            while (column.find()) {
                columns.put(column.group(1), column.group(2));
            }
            tables.put(table.group(1), new Wanted(table.group().replace(";", ""), columns));
        }
        return tables;
    }

    private static Map<String, Map<String, Column>> present(Connection connection) throws SQLException {
        Map<String, Map<String, Column>> tables = new LinkedHashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT table_name, column_name, is_nullable = 'YES',"
                        + " column_default IS NOT NULL OR is_identity = 'YES' FROM information_schema.columns"
                        + " WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position")) {
            while (rows.next()) {
                tables.computeIfAbsent(rows.getString(1), name -> new LinkedHashMap<>())
                        .put(
                                rows.getString(2).toLowerCase(Locale.ROOT),
                                new Column(rows.getBoolean(3), rows.getBoolean(4)));
            }
        }
        return tables;
    }

    /** Adds missing columns, and missing defaults of columns that not every writer gives. */
    private static void complete(String table, Wanted wanted, Map<String, Column> present, List<String> statements)
            throws SQLException {
        List<String> changes = new ArrayList<>();
        for (Map.Entry<String, String> entry : wanted.columns().entrySet()) {
            String name = entry.getKey();
            String definition = entry.getValue();
            Column column = present.get(name);
            Matcher usual = DEFAULT.matcher(definition);
            boolean hasUsual = usual.find();
            if (column == null) {
                if (definition.contains("NOT NULL") && !hasUsual && !definition.startsWith("bigserial")) {
                    throw new UnsupportedServerException("table " + table + " has no column " + name
                            + ", so it is not one of Nacos: give Cairn a database of its own");
                }
                changes.add("ADD COLUMN " + name + ' ' + definition);
            } else if (hasUsual && !column.isNullable() && !column.hasDefault()) {
                changes.add("ALTER COLUMN " + name + " SET DEFAULT " + usual.group(1));
            }
        }
        if (!changes.isEmpty()) {
            statements.add("ALTER TABLE " + table + ' ' + String.join(", ", changes));
        }
    }

    /** Rows copied from another database leave a sequence behind their numbers. */
    private static void advance(
            Connection connection, String table, Wanted wanted, Map<String, Column> present, List<String> statements)
            throws SQLException {
        for (Map.Entry<String, String> entry : wanted.columns().entrySet()) {
            String name = entry.getKey();
            if (present.containsKey(name) && entry.getValue().startsWith("bigserial")) {
                String sequence = "pg_get_serial_sequence('" + table + "', '" + name + "')";
                boolean isBehind = has(
                        connection,
                        "SELECT 1 FROM " + table + " HAVING MAX(" + name + ") > COALESCE(pg_sequence_last_value(CAST("
                                + sequence + " AS regclass)), 0)");
                if (isBehind) {
                    statements.add("SELECT setval(" + sequence + ", MAX(" + name + ")) FROM " + table);
                }
            }
        }
    }

    /** A row with a too long name is not copied; it stays in its table. */
    private static void copy(
            Map<String, Map<String, Column>> present,
            String table,
            String name,
            String type,
            String column,
            int priority,
            List<String> statements) {
        Map<String, Column> columns = present.get(table);
        if (columns == null) {
            return;
        }
        String dataKey = columns.containsKey("encrypted_data_key") ? "COALESCE(encrypted_data_key, '')" : "''";
        statements.add("INSERT INTO config_info_gray (data_id, group_id, tenant_id, gray_name, gray_rule, content, md5,"
                + " src_user, src_ip, app_name, gmt_create, gmt_modified, encrypted_data_key) SELECT data_id, group_id,"
                + " tenant_id, " + name + ", '{\"type\":\"" + type + "\",\"version\":\"1.0.0\",\"expr\":\"' ||"
                + " REPLACE(REPLACE(COALESCE(" + column + ", ''), '\\', '\\\\'), '\"', '\\\"') || '\",\"priority\":"
                + priority + "}', content, md5, src_user, src_ip, app_name, gmt_create, gmt_modified, " + dataKey
                + " FROM " + table + " WHERE LENGTH(" + name + ") <= 128");
    }

    /** The columns that name a release of the default namespace. */
    private static String names(String table) {
        return table.equals(TableNames.GRAY) ? "data_id, group_id, gray_name" : "data_id, group_id";
    }

    /** The place of a row among rows that name the same release of the default namespace: the newest counts. */
    private static String place(String partition) {
        return "ROW_NUMBER() OVER (PARTITION BY " + partition + " ORDER BY gmt_modified DESC NULLS LAST, id DESC)";
    }

    private static String places(String table) {
        return "(SELECT id, " + names(table) + ", " + place(names(table)) + " AS place FROM " + table
                + " WHERE group_id IS NOT NULL AND (tenant_id IS NULL OR tenant_id = ''))";
    }

    private static boolean mayBeNull(Map<String, Map<String, Column>> present, String table) {
        Map<String, Column> columns = present.get(table);
        Column tenant = columns == null ? null : columns.get(TENANT);
        return tenant != null && tenant.isNullable();
    }

    private static boolean hasNull(Connection connection, Map<String, Map<String, Column>> present, String table)
            throws SQLException {
        return mayBeNull(present, table)
                && has(connection, "SELECT 1 FROM " + table + " WHERE tenant_id IS NULL LIMIT 1");
    }

    /** NULL is the default namespace. Of rows with one name the newest gets it; the others have NULL, and are left out. */
    private static void nullTenants(
            Connection connection, Map<String, Map<String, Column>> present, List<String> statements)
            throws SQLException {
        for (String table : List.of(TableNames.FORMAL, TableNames.GRAY)) {
            boolean isCopied = table.equals(TableNames.GRAY)
                    && !present.containsKey(table)
                    && (hasNull(connection, present, BETA) || hasNull(connection, present, TAG));
            if (isCopied || hasNull(connection, present, table)) {
                String of = " FROM " + places(table) + " AS ranked WHERE ranked.id = " + table + ".id AND ";
                statements.add(
                        "UPDATE " + table + " SET tenant_id = NULL" + of + "ranked.place > 1 AND " + TENANT + " = ''");
                statements.add(
                        "UPDATE " + table + " SET tenant_id = ''" + of + "ranked.place = 1 AND " + TENANT + " IS NULL");
            }
        }
        if (hasNull(connection, present, TableNames.HISTORY)) {
            statements.add("UPDATE his_config_info SET tenant_id = '' WHERE tenant_id IS NULL");
        }
        if (hasNull(connection, present, "config_tags_relation")) {
            statements.add("UPDATE config_tags_relation SET tenant_id = '' FROM config_info WHERE config_info.id ="
                    + " config_tags_relation.id AND config_info.tenant_id = '' AND config_tags_relation.tenant_id IS"
                    + " NULL");
        }
    }

    /** The rows of a table with the namespaces after an adoption, for FROM; the table itself where nothing changes. */
    static String adopted(Connection connection, String table) throws SQLException {
        if (!table.equals(TableNames.FORMAL) && !table.equals(TableNames.GRAY)
                || !hasNull(connection, present(connection), table)) {
            return table;
        }
        return "(SELECT id, " + names(table) + ", CASE WHEN group_id IS NOT NULL AND (tenant_id IS NULL OR tenant_id"
                + " = '') THEN CASE WHEN " + place("COALESCE(tenant_id, ''), " + names(table))
                + " = 1 THEN '' END ELSE tenant_id END AS tenant_id FROM " + table + ") AS adopted";
    }

    /** A line for each configuration of the default namespace that several rows name. */
    static List<String> duplicates(Connection connection) throws SQLException {
        List<String> lines = new ArrayList<>();
        Map<String, Map<String, Column>> present = present(connection);
        for (String table : List.of(TableNames.FORMAL, TableNames.GRAY)) {
            if (!hasNull(connection, present, table)) {
                continue;
            }
            try (PreparedStatement statement = connection.prepareStatement("SELECT data_id, group_id,"
                            + " MAX(CASE WHEN place = 1 THEN id END),"
                            + " STRING_AGG(CASE WHEN place > 1 THEN CAST(id AS varchar) END, ', ' ORDER BY place) FROM "
                            + places(table) + " AS ranked GROUP BY " + names(table)
                            + " HAVING COUNT(*) > 1 ORDER BY 1, 2 LIMIT " + DUPLICATES);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    lines.add("Rows of " + table + " that name '" + RowRules.printable(rows.getString(1))
                            + "' of group '"
                            + RowRules.printable(rows.getString(2)) + "' of the default namespace more than once: id "
                            + rows.getLong(3) + " counts, because it is the newest; left out: id "
                            + rows.getString(4));
                }
            }
        }
        return lines;
    }

    private static boolean has(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            return rows.next();
        }
    }

    /** Nacos 3 stores the default namespace as {@code public}; rows with only {@code ''} are converted. */
    private static void spelledPublic(Map<String, Map<String, Column>> present, List<String> statements) {
        String columns = "data_id, group_id, content, md5, gmt_create, gmt_modified, src_user, src_ip, app_name,"
                + " c_desc, c_use, effect, type, c_schema, encrypted_data_key";
        String gray = "data_id, group_id, content, md5, src_user, src_ip, gmt_create, gmt_modified, app_name,"
                + " gray_name, gray_rule, encrypted_data_key";
        statements.add("INSERT INTO config_info (" + columns + ", tenant_id) SELECT " + columns
                + ", 'public' FROM config_info old WHERE tenant_id = '' AND group_id IS NOT NULL AND NOT EXISTS (SELECT"
                + " 1 FROM config_info p WHERE p.tenant_id = 'public' AND p.data_id = old.data_id AND p.group_id ="
                + " old.group_id)");
        statements.add("INSERT INTO config_tags_relation (id, tag_name, tag_type, data_id, group_id, tenant_id)"
                + " SELECT p.id, t.tag_name, t.tag_type, t.data_id, t.group_id, 'public' FROM config_tags_relation t"
                + " JOIN config_info p ON p.data_id = t.data_id AND p.group_id = t.group_id AND p.tenant_id = 'public'"
                + " LEFT JOIN config_tags_relation n ON n.id = p.id WHERE t.tenant_id = '' AND n.id IS NULL");
        if (present.containsKey(TableNames.GRAY)) {
            statements.add("INSERT INTO config_info_gray (" + gray + ", tenant_id) SELECT " + gray
                    + ", 'public' FROM config_info_gray old WHERE tenant_id = '' AND NOT EXISTS (SELECT 1 FROM"
                    + " config_info_gray p WHERE p.tenant_id = 'public' AND p.data_id = old.data_id AND p.group_id ="
                    + " old.group_id AND p.gray_name = old.gray_name)");
        }
    }

    /** The columns whose type differs between the schemas in use. */
    record Types(boolean namespaceTimesAreTimestamps, int addressWidth) {

        static Types read(Connection connection) throws SQLException {
            boolean areTimestamps = false;
            int width = Integer.MAX_VALUE;
            Set<String> addressed = Set.of(TableNames.FORMAL, TableNames.GRAY, TableNames.HISTORY);
            try (Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT table_name, column_name, data_type,"
                            + " character_maximum_length FROM information_schema.columns WHERE table_schema ="
                            + " current_schema() AND column_name IN ('gmt_create', 'src_ip')")) {
                while (rows.next()) {
                    String table = rows.getString(1);
                    if (table.equals("tenant_info") && rows.getString(2).equals("gmt_create")) {
                        areTimestamps = rows.getString(3).startsWith("timestamp");
                    } else if (addressed.contains(table) && rows.getInt(4) > 0) {
                        width = Math.min(width, rows.getInt(4));
                    }
                }
            }
            return new Types(areTimestamps, width);
        }
    }
}
