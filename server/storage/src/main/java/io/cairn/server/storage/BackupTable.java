package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A table as a section of an archive: names and values are those of the tables of Nacos, without what differs between
 * databases, which is how times and the default namespace are written.
 *
 * @param section its name in the archive
 * @param order the columns that rows are sorted by, so that equal contents make equal archives
 */
record BackupTable(String section, String table, List<Column> columns, String order) {

    /** The section of the record of who did what, which is added to and never replaced. */
    static final String AUDIT = "audit";
    /** The section of former contents. */
    static final String HISTORY = "history";
    /** The section of users, of which every server has one. */
    static final String USERS = "users";

    private static final String KEY = "data_id group_id tenant_id:tenant ";
    private static final String LIMITS = " quota:number max_size:number max_aggr_count:number max_aggr_size:number"
            + " max_history_count:number gmt_create:time gmt_modified:time";
    private static final String SERVICE = "namespace_id group_name service_name";

    /** Everything that is stored and is not made anew by itself, in the order in which it is restored. */
    static final List<BackupTable> ALL = List.of(
            of(
                    "namespaces",
                    "tenant_info",
                    "kp, tenant_id",
                    "kp tenant_id tenant_name? tenant_desc? create_source?" + " gmt_create:number gmt_modified:number"),
            of(
                    "configs",
                    "config_info",
                    "id",
                    "id:number " + KEY + "content md5? gmt_create:time gmt_modified:time"
                            + " src_user? src_ip? app_name? c_desc? c_use? effect? type? c_schema? encrypted_data_key"),
            of("tags", "config_tags_relation", "nid", "id:number tag_name tag_type? " + KEY),
            of(
                    "grays",
                    "config_info_gray",
                    "id",
                    "id:number " + KEY + "gray_name gray_rule content md5?"
                            + " gmt_create:time gmt_modified:time src_user? src_ip? app_name? encrypted_data_key"),
            of(
                    HISTORY,
                    HistoryRow.TABLE,
                    "nid",
                    "nid:number id:number " + KEY + "app_name? content md5?"
                            + " gmt_create:time gmt_modified:time src_user? src_ip? op_type? encrypted_data_key publish_type?"
                            + " gray_name? ext_info?"),
            of("groupCapacities", "group_capacity", "group_id", "group_id" + LIMITS),
            of("namespaceCapacities", "tenant_capacity", "tenant_id", "tenant_id" + LIMITS),
            of(USERS, "users", "username", "username password enabled:flag"),
            of("userFlags", "cairn_user", "username", "username must_change:number"),
            of("roles", "roles", "username, role", "username role"),
            of("permissions", "permissions", "role, resource, action", "role resource action"),
            of(
                    "tokens",
                    "cairn_token",
                    "id",
                    "id name digest scopes created_by created_at:number expires_at:number" + " revoked_at:number"),
            of(
                    "services",
                    "cairn_service",
                    "namespace_id, group_name, service_name",
                    SERVICE + " settings changed_at:number"),
            of(
                    "instances",
                    "cairn_instance",
                    "namespace_id, group_name, service_name, ip, port",
                    SERVICE + " ip port:number instance changed_at:number"),
            of(
                    "instanceOverrides",
                    "cairn_instance_override",
                    "namespace_id, group_name, service_name, ip, port, cluster_name",
                    SERVICE + " ip port:number cluster_name override changed_at:number"),
            of("switches", "cairn_switch", "name", "name value changed_at:number"),
            of(
                    AUDIT,
                    "cairn_audit",
                    "id",
                    "done_at:number who kind address action target before_digest? after_digest?" + " detail? node?"));

    /** The sections that tell who may do what. */
    static final Set<String> ACCOUNTS = Set.of(USERS, "userFlags", "roles", "permissions", "tokens");

    /** Tables that no archive holds: what they tell is true of one database only, is a secret of the server, or is read from another table. */
    static final Set<String> LEFT_OUT = Set.of(
            "cairn_revision",
            "cairn_change",
            "cairn_schema",
            "cairn_schema_history",
            "cairn_mirror",
            "cairn_node",
            "cairn_secret",
            HistoryRow.SHARING_TABLE);

    /** The kind of a column's values. */
    enum Kind {
        TEXT,
        NUMBER,
        FLAG,
        /** A time as the tables of Nacos keep it; epoch milliseconds in the archive. */
        TIME,
        /** A namespace of whose default there are two spellings; {@code public} in the archive. */
        TENANT
    }

    /** @param nullable whether nothing is told apart from an empty text */
    record Column(String name, Kind kind, boolean nullable) {}

    private static BackupTable of(String section, String table, String order, String columns) {
        List<Column> read = new ArrayList<>();
        for (String text : columns.trim().split("\\s+")) {
            boolean nullable = text.endsWith("?");
            String[] parts = (nullable ? text.substring(0, text.length() - 1) : text).split(":", 2);
            Kind kind = parts.length == 1 ? Kind.TEXT : Kind.valueOf(parts[1].toUpperCase(java.util.Locale.ROOT));
            read.add(new Column(parts[0], kind, nullable));
        }
        return new BackupTable(section, table, List.copyOf(read), order);
    }

    static BackupTable ofSection(String name) {
        return ALL.stream()
                .filter(table -> table.section().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("section: '" + name + "'"));
    }

    Set<String> names() {
        return columns.stream().map(Column::name).collect(Collectors.toSet());
    }

    private String list() {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    String select() {
        return "SELECT " + list() + " FROM " + table + " ORDER BY " + order;
    }

    /** The table that rows are written to and deleted from. */
    String writtenTable(Dialect dialect) {
        return section.equals(HISTORY) ? dialect.historyTable() : table;
    }

    String insert(Dialect dialect) {
        return "INSERT INTO " + writtenTable(dialect) + " (" + list() + ") VALUES (" + "?, ".repeat(columns.size() - 1)
                + "?)";
    }

    /** A value for the archive; null for none. */
    static @Nullable Object read(Dialect dialect, ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.kind()) {
            case TEXT -> rows.getString(index);
            case NUMBER -> rows.getLong(index);
            case FLAG -> rows.getBoolean(index);
            case TIME -> dialect.time(rows, index);
            case TENANT -> spelled(rows.getString(index), Namespace.DEFAULT.id());
        };
    }

    /** Binds the values of a row of the archive; what it lacks is nothing, or empty. */
    void bind(Dialect dialect, PreparedStatement insert, Map<String, Object> row) throws SQLException {
        int at = 1;
        for (Column column : columns) {
            Object value = row.get(column.name());
            switch (column.kind()) {
                case TEXT -> text(insert, at, column, value);
                case NUMBER -> insert.setLong(at, number(column, value));
                case FLAG -> insert.setBoolean(at, Boolean.TRUE.equals(value));
                case TIME -> dialect.bindTime(insert, at, dialect.storedTime(number(column, value)));
                case TENANT ->
                    insert.setString(at, spelled(value instanceof String text ? text : null, dialect.defaultTenant()));
            }
            at++;
        }
    }

    /** A namespace as it is, or else the default one in that spelling. */
    private static String spelled(@Nullable String namespace, String defaultOne) {
        return namespace == null || namespace.isEmpty() || namespace.equals(Namespace.DEFAULT.id())
                ? defaultOne
                : namespace;
    }

    private static void text(PreparedStatement insert, int at, Column column, @Nullable Object value)
            throws SQLException {
        if (value instanceof String text) {
            insert.setString(at, text);
        } else if (column.nullable()) {
            insert.setNull(at, Types.VARCHAR);
        } else {
            insert.setString(at, "");
        }
    }

    private static long number(Column column, @Nullable Object value) {
        if (value == null) {
            return 0;
        }
        if (value instanceof Long number) {
            return number;
        }
        throw new IllegalArgumentException(column.name() + ": '" + value + "' (expected: a number)");
    }

    /** About how many bytes the row's texts take. */
    static long weight(Map<String, Object> row) {
        long bytes = 0;
        for (Object value : row.values()) {
            bytes += value instanceof String text ? text.length() : 8;
        }
        return bytes;
    }
}
