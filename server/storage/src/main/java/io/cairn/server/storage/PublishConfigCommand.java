package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Inserts or updates one configuration with its history and change rows. The history keeps the content that an update
 * replaces, and the new one of an insert.
 */
final class PublishConfigCommand implements StoreCommand<PublishResult> {

    private static final String FIND_ID =
            "SELECT id FROM config_info WHERE data_id = ? AND group_id = ? AND tenant_id = ?";
    private static final String INSERT = "INSERT INTO config_info (data_id, group_id, tenant_id, content, md5,"
            + " src_user, src_ip, app_name, c_desc, c_use, effect, type, c_schema, encrypted_data_key,"
            + " gmt_modified, gmt_create) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULLIF(?, ''), ?, ?, ?)";
    private static final String UPDATE = "UPDATE config_info SET content = ?, md5 = ?, src_user = ?, src_ip = ?,"
            + " app_name = COALESCE(?, app_name), c_desc = ?, c_use = ?, effect = ?, type = ?,"
            + " c_schema = NULLIF(COALESCE(?, c_schema), ''),"
            + " encrypted_data_key = ?, gmt_modified = ? WHERE id = ?";
    private static final String DELETE_TAGS = "DELETE FROM config_tags_relation WHERE id = ?";
    private static final String INSERT_TAG = "INSERT INTO config_tags_relation"
            + " (id, tag_name, tag_type, data_id, group_id, tenant_id) VALUES (?, ?, '', ?, ?, ?)";

    private final PublishConfig command;
    private final CapacityCheck capacity;
    private final ConfigStore.CommitObserver observer;
    private long committedAtMillis;

    PublishConfigCommand(PublishConfig command, CapacityCheck capacity, ConfigStore.CommitObserver observer) {
        this.command = command;
        this.capacity = capacity;
        this.observer = observer;
    }

    @Override
    public void expect(WriteTransaction transaction) {
        PublishBatch gathered = gathered(transaction);
        if (gathered != null) {
            gathered.expect(command);
        }
    }

    /** Null where each publish is executed by itself; so is one that may be refused for what the others store. */
    private @Nullable PublishBatch gathered(WriteTransaction transaction) {
        return capacity.isEnforced() ? null : transaction.gathered();
    }

    @Override
    public PublishResult execute(WriteTransaction transaction) throws SQLException {
        committedAtMillis = transaction.storedMillis();
        PublishBatch gathered = gathered(transaction);
        if (gathered != null) {
            Optional<PublishResult> result = gathered.publish(command);
            if (result.isPresent()) {
                return result.get();
            }
        }
        ConfigKey key = command.key();
        Optional<ConfigRow> stored = ConfigRow.find(transaction, key);
        Optional<PublishResult.OverCapacity> refusal =
                capacity.refusal(transaction, key, command.utf8().length, stored.isEmpty());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if (stored.isEmpty()) {
            return insert(transaction);
        }
        ConfigRow row = stored.get();
        String expected = command.expectedMd5();
        if (expected != null && !row.digest().matches(expected)) {
            return new PublishResult.Conflict(Optional.of(row.digest()));
        }
        HistoryRow.copy(transaction, row.id(), HistoryRow.UPDATE, command.by(), row.extInfo());
        update(transaction, row.id());
        storeTags(transaction, row.id(), true);
        return new PublishResult.Published(ChangeRow.insert(
                transaction,
                key,
                ChangeRow.CONFIG,
                HistoryRow.UPDATE,
                Optional.of(row.digest()),
                Optional.of(command.digest()),
                command.by()));
    }

    private PublishResult insert(WriteTransaction transaction) throws SQLException {
        PreparedStatement insert = transaction.prepared(INSERT);
        ConfigKey key = command.key();
        ConfigAttributes attributes = command.attributes();
        List<String> tags = attributes.tags();
        int at = transaction.bindKey(insert, 1, key);
        insert.setString(at++, content());
        insert.setString(at++, command.digest().toString());
        insert.setString(at++, command.by().user());
        insert.setString(at++, command.by().address());
        insert.setString(at++, attributes.appName() == null ? "" : attributes.appName());
        at = bindDescription(insert, at);
        transaction.bindNow(insert, at++);
        transaction.bindNow(insert, at);
        insert.executeUpdate();
        long id = idOf(transaction, key);
        storeTags(transaction, id, false);
        HistoryRow.copy(
                transaction,
                id,
                HistoryRow.INSERT,
                command.by(),
                HistoryRow.extInfo(
                        attributes.type().wireName(),
                        tags == null || tags.isEmpty() ? null : String.join(",", tags),
                        command.by().user(),
                        attributes.description(),
                        attributes.use(),
                        attributes.effect(),
                        attributes.schemaAfter(null)));
        return new PublishResult.Published(ChangeRow.insert(
                transaction,
                key,
                ChangeRow.CONFIG,
                HistoryRow.INSERT,
                Optional.empty(),
                Optional.of(command.digest()),
                command.by()));
    }

    private static long idOf(WriteTransaction transaction, ConfigKey key) throws SQLException {
        PreparedStatement find = transaction.prepared(FIND_ID);
        transaction.bindKey(find, 1, key);
        try (ResultSet rows = find.executeQuery()) {
            if (!rows.next()) {
                throw new SQLException("configuration " + key + " is gone right after it was inserted");
            }
            return rows.getLong(1);
        }
    }

    private void update(WriteTransaction transaction, long id) throws SQLException {
        PreparedStatement update = transaction.prepared(UPDATE);
        int at = 1;
        update.setString(at++, content());
        update.setString(at++, command.digest().toString());
        update.setString(at++, command.by().user());
        update.setString(at++, command.by().address());
        update.setString(at++, command.attributes().appName());
        at = bindDescription(update, at);
        transaction.bindNow(update, at++);
        update.setLong(at, id);
        if (update.executeUpdate() != 1) {
            throw new SQLException("configuration " + command.key() + " is gone within its own transaction");
        }
    }

    /** Binds c_desc, c_use, effect, type, c_schema and encrypted_data_key, and returns the next free index. */
    private int bindDescription(PreparedStatement statement, int from) throws SQLException {
        ConfigAttributes attributes = command.attributes();
        int at = from;
        statement.setString(at++, attributes.description());
        statement.setString(at++, attributes.use());
        statement.setString(at++, attributes.effect());
        statement.setString(at++, attributes.type().wireName());
        String schema = attributes.schema();
        statement.setString(at++, schema != null && schema.isBlank() ? "" : schema);
        statement.setString(at++, attributes.encryptedDataKey());
        return at;
    }

    private void storeTags(WriteTransaction transaction, long id, boolean mayHaveSome) throws SQLException {
        @Nullable List<String> tags = command.attributes().tags();
        if (tags == null) {
            return;
        }
        if (mayHaveSome) {
            PreparedStatement delete = transaction.prepared(DELETE_TAGS);
            delete.setLong(1, id);
            delete.executeUpdate();
        }
        PreparedStatement insert = transaction.prepared(INSERT_TAG);
        for (String tag : tags) {
            insert.setLong(1, id);
            insert.setString(2, tag);
            transaction.bindKey(insert, 3, command.key());
            insert.executeUpdate();
        }
    }

    private String content() {
        return new String(command.utf8(), StandardCharsets.UTF_8);
    }

    @Override
    public void committed(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            ConfigChanged change = published.change();
            ConfigEntry entry = new ConfigEntry(
                    command.key(),
                    command.digest(),
                    command.attributes().type(),
                    committedAtMillis,
                    command.attributes().encryptedDataKey(),
                    null);
            observer.published(command, entry, change);
        }
    }

    @Override
    public void announce(PublishResult result) {
        if (result instanceof PublishResult.Published published) {
            observer.announce(published.change());
        }
    }

    @Override
    public int weightBytes() {
        return 512 + command.utf8().length;
    }
}
