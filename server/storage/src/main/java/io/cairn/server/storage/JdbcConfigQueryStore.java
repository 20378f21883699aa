package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigQueryStore;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.config.query.TextPattern;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Looks configurations up in the tables of Nacos. Thread-safe. */
public final class JdbcConfigQueryStore implements ConfigQueryStore {

    /** Rows that one statement asks for by their keys. */
    private static final int CHUNK = 100;

    private static final String COLUMNS = "SELECT id, data_id, group_id, tenant_id, md5, type, app_name,"
            + " encrypted_data_key, gmt_create, gmt_modified, src_user, src_ip, c_desc, c_use, effect, c_schema";
    private static final int CONTENT = 17;
    private static final String SELECT = COLUMNS + " FROM config_info WHERE ";
    private static final String SELECT_WITH_CONTENT = COLUMNS + ", content FROM config_info WHERE ";
    private static final String TAGS = "SELECT id, tag_name FROM config_tags_relation WHERE ";
    private static final String KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final String SCHEMA = "SELECT c_schema FROM config_info WHERE " + KEY;
    private static final String GRAYS = "SELECT id, gray_name, gray_rule, content, md5, encrypted_data_key, app_name,"
            + " gmt_create, gmt_modified, src_user, src_ip FROM config_info_gray"
            + " WHERE data_id = ? AND group_id = ? AND tenant_id = ? ORDER BY gray_name";
    /** Lets the index on applications leave out those many that have none. */
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
        String table = "config_tags_relation";
        if (criteria.appName().isPresent() || criteria.content().isPresent()) {
            table = "config_info";
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
        String sql = "SELECT data_id, group_id FROM " + table + " WHERE " + where.sql();
        return readers.with("searching configurations", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                where.bind(statement);
                Set<ConfigKey> keys = new HashSet<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        keys.add(new ConfigKey(criteria.namespace(), rows.getString(2), rows.getString(1)));
                    }
                }
                return keys;
            }
        });
    }

    @Override
    public List<StoredConfig> read(List<ConfigKey> keys, boolean withContents) {
        Map<ConfigKey, StoredConfig> found = readers.with(
                "reading configurations",
                connection -> inChunks(connection, keys, KEY, withContents, StoredConfig::key, dialect::bindKey));
        return keys.stream().map(found::get).filter(Objects::nonNull).toList();
    }

    @Override
    public List<StoredConfig> byIds(Collection<Long> ids, boolean withContents) {
        List<Long> inOrder = ids.stream().distinct().sorted().toList();
        Map<Long, StoredConfig> found = readers.with(
                "reading configurations",
                connection ->
                        inChunks(connection, inOrder, "id = ?", withContents, StoredConfig::id, (statement, at, id) -> {
                            statement.setLong(at, id);
                            return at + 1;
                        }));
        return inOrder.stream().map(found::get).filter(Objects::nonNull).toList();
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

    /** Binds what identifies a row from that index on, and returns the next free one. */
    private interface Binder<K> {
        int bind(PreparedStatement statement, int at, K key) throws SQLException;
    }

    private <K> Map<K, StoredConfig> inChunks(
            Connection connection,
            List<K> keys,
            String condition,
            boolean withContents,
            Function<StoredConfig, K> keyOf,
            Binder<K> binder)
            throws SQLException {
        Map<K, StoredConfig> found = new HashMap<>();
        for (int from = 0; from < keys.size(); from += CHUNK) {
            List<K> chunk = keys.subList(from, Math.min(keys.size(), from + CHUNK));
            String any = String.join(" OR ", Collections.nCopies(chunk.size(), condition));
            String sql = (withContents ? SELECT_WITH_CONTENT : SELECT) + any;
            List<StoredConfig> rows = new ArrayList<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                int at = 1;
                for (K key : chunk) {
                    at = binder.bind(statement, at, key);
                }
                try (ResultSet each = statement.executeQuery()) {
                    while (each.next()) {
                        rows.add(config(each, withContents));
                    }
                }
            }
            for (StoredConfig config : tagged(connection, rows)) {
                found.put(keyOf.apply(config), config);
            }
        }
        return found;
    }

    private StoredConfig config(ResultSet rows, boolean withContent) throws SQLException {
        String content = withContent ? text(rows.getString(CONTENT)) : null;
        String md5 = rows.getString(5);
        return new StoredConfig(
                rows.getLong(1),
                new ConfigKey(Namespace.ofNullable(rows.getString(4)), rows.getString(3), rows.getString(2)),
                content,
                // A row that another program wrote may have none.
                md5 == null && content != null ? ContentDigest.of(content).toString() : text(md5),
                text(rows.getString(8)),
                text(rows.getString(7)),
                ConfigType.ofWireName(rows.getString(6)),
                time(rows, 9),
                time(rows, 10),
                rows.getString(11),
                rows.getString(12),
                rows.getString(13),
                rows.getString(14),
                rows.getString(15),
                rows.getString(16),
                List.of());
    }

    private static List<StoredConfig> tagged(Connection connection, List<StoredConfig> configs) throws SQLException {
        if (configs.isEmpty()) {
            return configs;
        }
        Map<Long, List<String>> tags = new HashMap<>();
        String any = String.join(" OR ", Collections.nCopies(configs.size(), "id = ?"));
        try (PreparedStatement statement = connection.prepareStatement(TAGS + any + " ORDER BY nid")) {
            for (int i = 0; i < configs.size(); i++) {
                statement.setLong(i + 1, configs.get(i).id());
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    tags.computeIfAbsent(rows.getLong(1), config -> new ArrayList<>())
                            .add(rows.getString(2));
                }
            }
        }
        return configs.stream()
                .map(config -> withTags(config, tags.getOrDefault(config.id(), List.of())))
                .collect(Collectors.toList());
    }

    private static StoredConfig withTags(StoredConfig config, List<String> tags) {
        return tags.isEmpty()
                ? config
                : new StoredConfig(
                        config.id(),
                        config.key(),
                        config.content(),
                        config.md5(),
                        config.encryptedDataKey(),
                        config.appName(),
                        config.type(),
                        config.createdAt(),
                        config.modifiedAt(),
                        config.createUser(),
                        config.createIp(),
                        config.description(),
                        config.use(),
                        config.effect(),
                        config.schema(),
                        tags);
    }

    @Override
    public List<StoredGray> grays(ConfigKey key) {
        return readers.with("reading the gray releases of " + key, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(GRAYS)) {
                dialect.bindKey(statement, 1, key);
                List<StoredGray> grays = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        grays.add(new StoredGray(
                                rows.getLong(1),
                                key,
                                GrayRule.read(rows.getString(2), rows.getString(3)),
                                text(rows.getString(4)),
                                text(rows.getString(5)),
                                text(rows.getString(6)),
                                text(rows.getString(7)),
                                time(rows, 8),
                                time(rows, 9),
                                rows.getString(10),
                                rows.getString(11)));
                    }
                }
                return grays;
            }
        });
    }

    private Instant time(ResultSet rows, int column) throws SQLException {
        return Instant.ofEpochMilli(dialect.time(rows, column));
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }

    /** Conditions that must all hold, with their parameters. */
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
