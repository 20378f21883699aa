package io.cairn.server.storage.backup;

import io.cairn.api.config.Namespace;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table as a section of an archive, with the names and values of Nacos's tables except times and the default namespace, which
 * databases write differently.
 *
 * @param section its name in the archive
 * @param order the sort columns, so that equal contents make equal archives
 */
public record BackupTable(String section, String table, List<Column> columns, String order) {

    /** The audit log, which is added to and never replaced. */
    static final String AUDIT = "audit";

    public static final String HISTORY = "history";
    static final String USERS = "users";
    static final String OWN_GRAYS = "ownGrays";
    static final String ISSUER_RULES = "issuerRules";

    private static final String TENANT_ID = "tenant_id";
    private static final String KEY = "data_id group_id tenant_id:tenant ";
    private static final String GRAY = "id:id " + KEY + "gray_name gray_rule content md5?"
            + " gmt_create:time gmt_modified:time src_user? src_ip? app_name? encrypted_data_key";
    private static final String LIMITS = " quota:number max_size:number max_aggr_count:number max_aggr_size:number"
            + " max_history_count:number gmt_create:time gmt_modified:time";
    private static final String SERVICE = "namespace_id group_name service_name";

    /** All lasting data, in the order of the restore. */
    static final List<BackupTable> ALL = List.of(
            of(
                    "namespaces",
                    "tenant_info",
                    "kp, tenant_id",
                    "kp tenant_id tenant_name? tenant_desc? create_source?"
                            + " gmt_create:namespace_time gmt_modified:namespace_time"),
            of(
                    "configs",
                    "config_info",
                    "id",
                    "id:id " + KEY + "content md5? gmt_create:time gmt_modified:time"
                            + " src_user? src_ip? app_name? c_desc? c_use? effect? type? c_schema? encrypted_data_key"),
            of("tags", "config_tags_relation", "nid", "id:number tag_name tag_type? " + KEY),
            of("grays", TableNames.GRAY, "id", GRAY),
            of(OWN_GRAYS, TableNames.OWN_GRAY, "id", GRAY),
            of(
                    HISTORY,
                    TableNames.HISTORY,
                    "nid",
                    "nid:id id:number " + KEY + "app_name? content md5?"
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
            of(ISSUER_RULES, "cairn_issuer_rule", "id", "id claim value role changed_by changed_at:number"),
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

    /** Absent without rows: earlier builds refuse archives with sections that they do not know. */
    private static final Set<String> LATER = Set.of(OWN_GRAYS, ISSUER_RULES);

    static final Set<String> ACCOUNTS = Set.of(USERS, "userFlags", "roles", "permissions", "tokens", ISSUER_RULES);

    /** Tables without a section: they concern one database, are secret, or are derived. */
    static final Set<String> LEFT_OUT = Set.of(
            "cairn_revision",
            "cairn_change",
            "cairn_schema",
            "cairn_schema_history",
            "cairn_mirror",
            "cairn_node",
            "cairn_secret",
            TableNames.SHARING_HISTORY);

    enum Kind {
        TEXT,
        NUMBER,
        /** The row's number, which the database assigns to other rows. */
        ID,
        FLAG,
        /** Stored as in Nacos; epoch milliseconds in the archive. */
        TIME,
        /** Of {@code tenant_info}, where most databases store the milliseconds. */
        NAMESPACE_TIME,
        /** A namespace whose default has two forms; {@code public} in the archive. */
        TENANT
    }

    /** @param nullable whether null equals an empty text */
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

    boolean isAbsentWithoutRows() {
        return LATER.contains(section);
    }

    public static BackupTable ofSection(String name) {
        return ALL.stream()
                .filter(table -> table.section().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("section: '" + name + "'"));
    }

    public Set<String> names() {
        return columns.stream().map(Column::name).collect(Collectors.toSet());
    }

    private String list() {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /** Selects the columns, then further ones that name a row. Of equal rows, which old tables may have, it selects one. */
    String select() {
        return (hasEqualRows() ? "SELECT DISTINCT " : "SELECT ") + String.join(", ", selected()) + " FROM " + table
                + " ORDER BY " + order;
    }

    private boolean hasEqualRows() {
        return table.equals("roles") || table.equals("permissions");
    }

    private List<String> selected() {
        return Stream.concat(columns.stream().map(Column::name), RowRules.ids(table).stream())
                .distinct()
                .toList();
    }

    int[] idColumns() {
        List<String> ids = RowRules.ids(table);
        return ids.isEmpty()
                ? new int[] {1}
                : ids.stream().mapToInt(id -> selected().indexOf(id) + 1).toArray();
    }

    String writtenTable(Dialect dialect) {
        return section.equals(HISTORY) ? dialect.historyTable() : table;
    }

    /** The column whose numbers an archive gives. */
    Optional<String> givenId() {
        return columns.stream()
                .filter(column -> column.kind() == Kind.ID)
                .map(Column::name)
                .findFirst();
    }

    String insert(Dialect dialect) {
        return "INSERT INTO " + writtenTable(dialect) + " (" + list() + ") VALUES (" + "?, ".repeat(columns.size() - 1)
                + "?)";
    }

    /**
     * A value for the archive, or null.
     *
     * @throws IllegalArgumentException with the column of an unusable row
     */
    @Nullable
    Object read(Dialect dialect, ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.kind()) {
            case TEXT -> checked(column, rows.getString(index));
            case NUMBER -> RowRules.clamped(rows, index);
            case ID -> rows.getLong(index);
            case FLAG -> rows.getBoolean(index);
            case TIME -> dialect.time(rows, index);
            case NAMESPACE_TIME -> dialect.namespaceTime(rows, index);
            case TENANT -> spelled(checked(column, rows.getString(index)), Namespace.DEFAULT.id());
        };
    }

    private @Nullable String checked(Column column, @Nullable String value) {
        RowRules.check(table, column.name(), value);
        return value;
    }

    /** Binds an archive's row; absent values are null or empty. */
    void bind(Dialect dialect, PreparedStatement insert, Map<String, Object> row) throws SQLException {
        int at = 1;
        for (Column column : columns) {
            Object value = row.get(column.name());
            switch (column.kind()) {
                case TEXT -> text(dialect, insert, at, column, value, row);
                case NUMBER, ID -> insert.setLong(at, number(column, value));
                case FLAG -> insert.setBoolean(at, Boolean.TRUE.equals(value));
                case TIME -> dialect.bindTime(insert, at, dialect.storedTime(number(column, value)));
                case NAMESPACE_TIME -> dialect.bindNamespaceTime(insert, at, number(column, value));
                case TENANT ->
                    insert.setString(at, spelled(value instanceof String text ? text : null, dialect.defaultTenant()));
            }
            at++;
        }
    }

    private static String spelled(@Nullable String namespace, String defaultOne) {
        return namespace == null || namespace.isEmpty() || namespace.equals(Namespace.DEFAULT.id())
                ? defaultOne
                : namespace;
    }

    private static void text(
            Dialect dialect,
            PreparedStatement insert,
            int at,
            Column column,
            @Nullable Object value,
            Map<String, Object> row)
            throws SQLException {
        if (value instanceof String text) {
            insert.setString(at, stored(dialect, column, text, row));
        } else if (column.nullable()) {
            insert.setNull(at, Types.VARCHAR);
        } else {
            insert.setString(at, "");
        }
    }

    /** @throws IllegalArgumentException with the row of a text that the database cannot hold */
    private static String stored(Dialect dialect, Column column, String text, Map<String, Object> row)
            throws SQLException {
        try {
            return dialect.storedText(column.name(), text);
        } catch (SQLException e) {
            String name = Stream.of("data_id", "group_id", TENANT_ID)
                    .filter(row::containsKey)
                    .map(key -> key + " '" + row.get(key) + "'")
                    .collect(Collectors.joining(", "));
            throw new IllegalArgumentException((name.isEmpty() ? "" : name + ": ") + e.getMessage(), e);
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

    static long weight(Map<String, Object> row) {
        long bytes = 0;
        for (Object value : row.values()) {
            bytes += value instanceof String text ? text.length() : 8;
        }
        return bytes;
    }
}
