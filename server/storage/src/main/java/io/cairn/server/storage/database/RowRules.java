package io.cairn.server.storage.database;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The columns of Nacos's tables that a usable row needs, although the tables allow null: no request can name such a row. One
 * declaration for every reader, so that all skip the same rows ({@link LeftOutRows}). Other nullable columns may be null.
 */
public final class RowRules {

    private static final String TENANT = "tenant_id";

    /** Must not be blank, by table. */
    private static final Map<String, Set<String>> NAMES = Map.of(
            TableNames.FORMAL,
            Set.of("data_id", "group_id"),
            // A blank name would mean the release for all clients.
            TableNames.GRAY,
            Set.of("data_id", "group_id", "gray_name"),
            TableNames.OWN_GRAY,
            Set.of("data_id", "group_id", "gray_name"),
            "config_tags_relation",
            Set.of("data_id", "group_id"),
            TableNames.HISTORY,
            Set.of("data_id", "group_id"),
            "tenant_info",
            Set.of(),
            "users",
            Set.of("username"),
            "roles",
            Set.of("username", "role"),
            "permissions",
            Set.of("role"));

    /** Must not be NULL, by table. */
    private static final Map<String, Set<String>> VALUES =
            Map.of("users", Set.of("password"), "permissions", Set.of("resource", "action"));

    /** Tables with a namespace in {@code tenant_id}. */
    private static final Set<String> OF_NAMESPACES = Set.of(
            TableNames.FORMAL,
            TableNames.GRAY,
            TableNames.OWN_GRAY,
            "config_tags_relation",
            TableNames.HISTORY,
            "tenant_info");

    /** The columns that name a row; elsewhere the first one. */
    private static final Map<String, List<String>> IDS = Map.of(
            TableNames.FORMAL,
            List.of("id"),
            TableNames.GRAY,
            List.of("id"),
            TableNames.OWN_GRAY,
            List.of("id"),
            "tenant_info",
            List.of("id"),
            "config_tags_relation",
            List.of("nid"),
            TableNames.HISTORY,
            List.of("nid"),
            "users",
            List.of("username"),
            "roles",
            List.of("username", "role"),
            "permissions",
            List.of("role", "resource", "action"));

    private RowRules() {}

    /** By name. */
    static Set<String> tables() {
        return new TreeSet<>(NAMES.keySet());
    }

    public static Set<String> columns(String table) {
        Set<String> columns = new TreeSet<>(NAMES.getOrDefault(table, Set.of()));
        columns.addAll(VALUES.getOrDefault(table, Set.of()));
        if (OF_NAMESPACES.contains(table)) {
            columns.add(TENANT);
        }
        return columns;
    }

    /** Empty for the first column. */
    public static List<String> ids(String table) {
        return IDS.getOrDefault(table, List.of());
    }

    /** @throws IllegalArgumentException with column and value of an unusable row */
    public static void check(String table, String column, @Nullable Object value) {
        if (NAMES.getOrDefault(table, Set.of()).contains(column)) {
            name(column, value == null ? null : value.toString());
        } else if (column.equals(TENANT) && OF_NAMESPACES.contains(table)) {
            namespace(value == null ? null : value.toString());
        } else if (value == null && VALUES.getOrDefault(table, Set.of()).contains(column)) {
            throw new IllegalArgumentException(column + ": NULL (expected: a text)");
        }
    }

    /** @throws IllegalArgumentException with column and value if blank */
    public static String name(String column, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException(column + ": " + shown(value) + " (expected: not blank)");
        }
        return value;
    }

    /**
     * The namespace in {@code tenant_id}; empty is the default one. A search for the default one finds neither NULL nor, in some
     * databases, spaces.
     *
     * @throws IllegalArgumentException with an illegal value
     */
    public static Namespace namespace(@Nullable String alias) {
        if (alias == null || alias.isBlank() && !alias.isEmpty()) {
            throw new IllegalArgumentException(
                    TENANT + ": " + shown(alias) + " (expected: a namespace; '' is the default one)");
        }
        return Namespace.ofNullable(alias);
    }

    /**
     * The key in these columns.
     *
     * @throws IllegalArgumentException with column and impossible value
     */
    public static ConfigKey key(ResultSet rows, int dataId, int group, int tenant) throws SQLException {
        String name = name("data_id", rows.getString(dataId));
        return new ConfigKey(namespace(rows.getString(tenant)), name("group_id", rows.getString(group)), name);
    }

    /** The nearest long: some columns of Nacos are unsigned. */
    public static long clamped(ResultSet rows, int column) throws SQLException {
        try {
            return rows.getLong(column);
        } catch (SQLDataException e) {
            return rows.getBigDecimal(column).signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** As {@link #clamped}, for an int. */
    public static int clampedInt(ResultSet rows, int column) throws SQLException {
        return (int) Math.min(Integer.MAX_VALUE, Math.max(Integer.MIN_VALUE, clamped(rows, column)));
    }

    private static String shown(@Nullable String value) {
        return value == null ? "NULL" : '\'' + printable(value) + '\'';
    }

    /** In one line. */
    public static String printable(@Nullable String value) {
        return value == null ? "NULL" : value.replaceAll("\\p{Cntrl}", "?");
    }
}
