package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.RowSource;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigQueryStore;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.config.query.TextPattern;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.LeftOutRows;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.database.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

public final class JdbcConfigQueryStore implements ConfigQueryStore {

    private static final int CHUNK = 100;

    private static final String TAGS_TABLE = "config_tags_relation";
    private static final String KEYS_OF = "SELECT id, data_id, group_id, tenant_id FROM config_info WHERE ";
    private static final String SCHEMA = "SELECT c_schema FROM config_info WHERE " + StoredConfigRows.KEY;
    /** So the index on applications skips the many without one. */
    private static final String HAS_APP = "app_name <> ''";

    private final ReadConnections readers;
    private final Dialect dialect;

    public JdbcConfigQueryStore(ReadConnections readers) {
        this.readers = readers;
        this.dialect = readers.dialect();
    }

    @Override
    public Set<ConfigKey> keys(ConfigCriteria criteria) {
        Where where = new Where();
        where.equal("tenant_id", dialect.tenant(criteria.namespace()));
        criteria.dataId().ifPresent(pattern -> where.like("data_id", pattern));
        criteria.group().ifPresent(pattern -> where.like("group_id", pattern));
        String table = TAGS_TABLE;
        if (criteria.appName().isPresent() || criteria.content().isPresent()) {
            table = TableNames.FORMAL;
            criteria.appName().ifPresent(pattern -> {
                where.that(HAS_APP);
                where.like("app_name", pattern);
            });
            criteria.content().ifPresent(pattern -> where.like("content", pattern));
            if (!criteria.tags().isEmpty()) {
                where.open("id IN (SELECT id FROM config_tags_relation WHERE");
                where.anyLike("tag_name", criteria.tags());
                where.close();
            }
        } else {
            where.anyLike("tag_name", criteria.tags());
        }
        String sql = "SELECT " + (table.equals(TAGS_TABLE) ? "nid" : "id") + ", data_id, group_id, tenant_id FROM "
                + table + " WHERE " + where.sql();
        LeftOutRows.Reading reading = readers.leftOut().some(table);
        return readers.with("searching configurations", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                where.bind(statement);
                Set<ConfigKey> keys = new HashSet<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        reading.read(rows, row -> RowRules.key(row, 2, 3, 4), 1).ifPresent(keys::add);
                    }
                }
                return keys;
            }
        });
    }

    @Override
    public RowSource<StoredConfig> rows(List<ConfigKey> keys, boolean withContents) {
        return new StoredConfigRows(readers, keys, withContents);
    }

    @Override
    public List<ConfigKey> keysOf(Collection<Long> ids) {
        List<Long> inOrder = ids.stream().distinct().sorted().toList();
        return readers.with("reading configurations", connection -> {
            Map<Long, ConfigKey> found = new HashMap<>();
            for (int from = 0; from < inOrder.size(); from += CHUNK) {
                keysOf(connection, inOrder.subList(from, Math.min(inOrder.size(), from + CHUNK)), found);
            }
            return inOrder.stream().map(found::get).filter(Objects::nonNull).toList();
        });
    }

    private void keysOf(Connection connection, List<Long> ids, Map<Long, ConfigKey> found) throws SQLException {
        LeftOutRows.Reading reading = readers.leftOut().some(TableNames.FORMAL);
        try (PreparedStatement statement =
                connection.prepareStatement(KEYS_OF + StoredConfigRows.anyOf("id = ?", ids.size()))) {
            for (int i = 0; i < ids.size(); i++) {
                statement.setLong(i + 1, ids.get(i));
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    reading.read(rows, row -> Map.entry(row.getLong(1), RowRules.key(row, 2, 3, 4)), 1)
                            .ifPresent(row -> found.put(row.getKey(), row.getValue()));
                }
            }
        }
    }

    @Override
    public Optional<String> schema(ConfigKey key) {
        return readers.with("reading a schema", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(SCHEMA)) {
                dialect.bindKey(statement, 1, key);
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.ofNullable(rows.getString(1)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public RowSource<StoredGray> grays(ConfigKey key, List<String> names) {
        return new StoredGrayRows(readers, key, names);
    }

    /** Conditions that must all hold, with parameters. */
    private static final class Where {

        private final StringBuilder sql = new StringBuilder();
        private final List<String> parameters = new ArrayList<>();

        private void and() {
            if (sql.length() > 0 && !sql.toString().endsWith("WHERE")) {
                sql.append(" AND");
            }
            sql.append(' ');
        }

        void that(String condition) {
            and();
            sql.append(condition);
        }

        void equal(String column, String value) {
            that(column + " = ?");
            parameters.add(value);
        }

        void like(String column, TextPattern pattern) {
            and();
            append(column, pattern);
        }

        private void append(String column, TextPattern pattern) {
            Optional<String> only = pattern.onlyMatch();
            sql.append(column).append(only.isPresent() ? " = ?" : " LIKE ? ESCAPE '|'");
            parameters.add(only.orElseGet(pattern::toLike));
        }

        void anyLike(String column, List<TextPattern> patterns) {
            and();
            sql.append('(');
            for (int i = 0; i < patterns.size(); i++) {
                sql.append(i == 0 ? "" : " OR ");
                append(column, patterns.get(i));
            }
            sql.append(')');
        }

        void open(String start) {
            that(start);
        }

        void close() {
            sql.append(')');
        }

        String sql() {
            return sql.toString();
        }

        void bind(PreparedStatement statement) throws SQLException {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
        }
    }
}
