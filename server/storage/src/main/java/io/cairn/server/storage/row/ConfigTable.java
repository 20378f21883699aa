package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.TableNames;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.writer.Columns;
import io.cairn.server.storage.writer.RowInsert;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

public final class ConfigTable {

    private static final Columns<ConfigRow> OF_EACH_PUBLISH = new Columns<ConfigRow>()
            .text("content", ConfigRow::content)
            .text("md5", row -> row.digest().toString())
            .text("src_user", ConfigRow::user)
            .text("src_ip", ConfigRow::address)
            .text("app_name", ConfigRow::appName)
            .text("c_desc", ConfigRow::description)
            .text("c_use", ConfigRow::use)
            .text("effect", ConfigRow::effect)
            .text("type", ConfigRow::type)
            .text("c_schema", ConfigRow::schema)
            .text("encrypted_data_key", ConfigRow::encryptedDataKey)
            .now("gmt_modified");
    private static final Columns<ConfigRow> OF_THE_FIRST_PUBLISH =
            new Columns<ConfigRow>().now("gmt_create").key(ConfigRow::key);
    private static final Columns<ConfigRow> ID = new Columns<ConfigRow>().number("id", ConfigRow::id);

    public static final RowInsert<ConfigRow> INSERT =
            new RowInsert<>(TableNames.FORMAL, OF_EACH_PUBLISH.and(OF_THE_FIRST_PUBLISH));

    private static final String UPDATE = "UPDATE config_info SET " + OF_EACH_PUBLISH.each(name -> name + " = ?")
            + " WHERE " + ID.each(name -> name + " = ?");
    private static final Columns<ConfigRow> UPDATED = OF_EACH_PUBLISH.and(ID);

    /** Statements that update several rows, by their end. */
    private static final Map<String, RowInsert<ConfigRow>> UPDATE_SEVERAL = new ConcurrentHashMap<>();

    record Tag(long id, ConfigKey key, String name) {}

    public static final RowInsert<Tag> INSERT_TAGS = new RowInsert<>(
            "config_tags_relation",
            new Columns<Tag>()
                    .number("id", Tag::id)
                    .text("tag_name", Tag::name)
                    .literal("tag_type", "")
                    .key(Tag::key));
    private static final String DELETE_TAGS = "DELETE FROM config_tags_relation WHERE id = ?";
    private static final String DELETE = "DELETE FROM config_info WHERE id = ?";

    private ConfigTable() {}

    public static Map<ConfigKey, Long> insert(
            WriteConnection connection, WriteTransaction transaction, List<ConfigRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return Map.of();
        }
        INSERT.execute(connection, transaction, rows);
        Map<ConfigKey, Long> ids = new HashMap<>();
        ConfigRow.READ_IDS.forEach(rows, (sql, chunk) -> {
            PreparedStatement read = connection.prepared(sql);
            int at = 1;
            for (ConfigRow row : chunk) {
                at = transaction.bindKey(read, at, row.key());
            }
            try (ResultSet found = read.executeQuery()) {
                while (found.next()) {
                    Optional<ConfigKey> key = ConfigRow.key(found);
                    if (key.isPresent()) {
                        ids.put(key.get(), found.getLong(4));
                    }
                }
            }
        });
        for (ConfigRow row : rows) {
            if (!ids.containsKey(row.key())) {
                throw new SQLException("configuration " + row.key() + " is gone right after it was inserted");
            }
        }
        return ids;
    }

    /** Updates rows; several only where {@link Dialect#gathersPublishes()}. */
    public static void update(WriteConnection connection, WriteTransaction transaction, List<ConfigRow> rows)
            throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        if (rows.size() > 1) {
            UPDATE_SEVERAL
                    .computeIfAbsent(
                            transaction.dialect().orUpdate("id", OF_EACH_PUBLISH.list()),
                            end -> new RowInsert<>(
                                    TableNames.FORMAL, INSERT.columns().and(ID), end))
                    .execute(connection, transaction, rows);
            return;
        }
        ConfigRow row = rows.get(0);
        PreparedStatement update = connection.prepared(UPDATE);
        UPDATED.bind(update, 1, row, transaction);
        if (update.executeUpdate() != 1) {
            throw new SQLException("configuration " + row.key() + " is gone within its own transaction");
        }
    }

    public static void insertTags(
            WriteConnection connection, WriteTransaction transaction, ConfigKey key, long id, List<String> names)
            throws SQLException {
        INSERT_TAGS.execute(
                connection,
                transaction,
                names.stream().map(name -> new Tag(id, key, name)).toList());
    }

    public static void deleteTags(WriteConnection connection, long id) throws SQLException {
        execute(connection.prepared(DELETE_TAGS), id);
    }

    public static void delete(WriteTransaction transaction, long id) throws SQLException {
        execute(transaction.prepared(DELETE_TAGS), id);
        execute(transaction.prepared(DELETE), id);
    }

    private static void execute(PreparedStatement statement, long id) throws SQLException {
        statement.setLong(1, id);
        statement.executeUpdate();
    }
}
