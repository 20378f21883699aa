package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The publishes of one transaction, kept back so that many of them go to the database as one statement: where each
 * statement is a journey over the network, a group of 256 publishes would else be a thousand of them.
 *
 * <p>The rows concerned are read at once and locked; conditions are checked against them here. Whatever else the
 * transaction executes comes after {@link #settle()}, so that it finds the database as if every publish before it had
 * been executed by itself. Publishes with tags or large contents are not gathered. Used by the writer's thread alone.
 */
final class PublishBatch {

    /** Largest content, old or new, that is gathered: 64 of them must fit into the smallest packet limit in use, 4 MB. */
    private static final int LARGEST_BYTES = 32 * 1024;
    /** Rows of one statement, so that a group needs few; each size is prepared once. */
    private static final int[] SIZES = {64, 32, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1};

    private static final String OF_KEY = "(data_id = ? AND group_id = ? AND tenant_id = ?)";
    private static final String READ = "SELECT " + PublishBatchRow.COLUMNS + ", CASE WHEN LENGTH(content) <= "
            + LARGEST_BYTES + " THEN content END FROM config_info WHERE ";
    private static final String READ_IDS = "SELECT data_id, group_id, tenant_id, id FROM config_info WHERE ";
    private static final String ROW = "content, md5, src_user, src_ip, app_name, c_desc, c_use, effect, type, c_schema,"
            + " encrypted_data_key, gmt_modified, gmt_create, data_id, group_id, tenant_id";
    private static final String INSERT = "INSERT INTO config_info (" + ROW + ") VALUES ";
    private static final String UPDATE = "INSERT INTO config_info (" + ROW + ", id) VALUES ";
    private static final String ON_DUPLICATE = " ON DUPLICATE KEY UPDATE content = VALUES(content), md5 = VALUES(md5),"
            + " src_user = VALUES(src_user), src_ip = VALUES(src_ip), app_name = VALUES(app_name),"
            + " c_desc = VALUES(c_desc), c_use = VALUES(c_use), effect = VALUES(effect), type = VALUES(type),"
            + " c_schema = VALUES(c_schema), encrypted_data_key = VALUES(encrypted_data_key),"
            + " gmt_modified = VALUES(gmt_modified)";
    private static final String HISTORY = "INSERT INTO his_config_info (id, data_id, group_id, tenant_id, app_name,"
            + " content, md5, encrypted_data_key, gmt_create, gmt_modified, src_user, src_ip, op_type, publish_type,"
            + " gray_name, ext_info) VALUES ";

    private final WriteConnection connection;
    private final WriteTransaction transaction;

    /** Publishes of the group that have not been looked at; read together with the first of them. */
    private final Set<ConfigKey> expected = new LinkedHashSet<>();

    private final Map<ConfigKey, Optional<PublishBatchRow>> rows = new HashMap<>();
    private final Map<ConfigKey, PublishBatchRow> inserted = new LinkedHashMap<>();
    private final Set<PublishBatchRow> updated = new LinkedHashSet<>();
    private final List<Entry> history = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();

    PublishBatch(WriteConnection connection, WriteTransaction transaction) {
        this.connection = connection;
        this.transaction = transaction;
    }

    /** A row of the history, with the content and attributes of the configuration at its time. */
    private record Entry(
            PublishBatchRow row,
            String operation,
            String content,
            ContentDigest digest,
            @Nullable String appName,
            String encryptedDataKey,
            String extInfo,
            Author by) {}

    private record Change(ConfigChanged change, String operation, AuditRecord audit) {}

    private interface Binder<T> {
        int bind(PreparedStatement statement, int from, T row) throws SQLException;
    }

    /** Says that the group will publish it, so that its row is read together with others. */
    void expect(PublishConfig command) {
        if (isSmall(command)) {
            expected.add(command.key());
        }
    }

    private static boolean isSmall(PublishConfig command) {
        return command.utf8().length <= LARGEST_BYTES
                && (command.attributes().tags() == null
                        || command.attributes().tags().isEmpty());
    }

    /** Takes the publish, or is empty when it must be executed by itself. */
    Optional<PublishResult> publish(PublishConfig command) throws SQLException {
        if (!isSmall(command)) {
            return Optional.empty();
        }
        ConfigKey key = command.key();
        Optional<PublishBatchRow> known = rows.get(key);
        if (known == null) {
            read(key);
            known = rows.get(key);
            if (known == null) {
                // Its content is large.
                return Optional.empty();
            }
        }
        if (known.isEmpty()) {
            return Optional.of(insert(command));
        }
        PublishBatchRow row = known.get();
        if (command.attributes().tags() != null && row.tags != null) {
            return Optional.empty();
        }
        String expectedMd5 = command.expectedMd5();
        ContentDigest before = row.digest;
        if (expectedMd5 != null && !before.matches(expectedMd5)) {
            return Optional.of(new PublishResult.Conflict(Optional.of(before)));
        }
        remember(row, HistoryRow.UPDATE, command.by());
        row.take(command);
        if (row.isStored()) {
            updated.add(row);
        }
        return Optional.of(published(command, HistoryRow.UPDATE, Optional.of(before)));
    }

    private PublishResult insert(PublishConfig command) {
        PublishBatchRow row = new PublishBatchRow(command.key());
        row.take(command);
        rows.put(command.key(), Optional.of(row));
        inserted.put(command.key(), row);
        remember(row, HistoryRow.INSERT, command.by());
        return published(command, HistoryRow.INSERT, Optional.empty());
    }

    private void remember(PublishBatchRow row, String operation, Author by) {
        history.add(new Entry(
                row, operation, row.content, row.digest, row.appName, row.encryptedDataKey, row.extInfo(), by));
    }

    private PublishResult published(PublishConfig command, String operation, Optional<ContentDigest> before) {
        ConfigChanged change =
                new ConfigChanged(command.key(), transaction.nextRevision(), before, Optional.of(command.digest()));
        changes.add(new Change(
                change,
                operation,
                AuditRow.ofConfig(
                        command.key(), ChangeRow.CONFIG, operation, change.before(), change.now(), command.by())));
        return new PublishResult.Published(change);
    }

    private void read(ConfigKey key) throws SQLException {
        List<ConfigKey> keys = new ArrayList<>();
        keys.add(key);
        expected.remove(key);
        // Once only: where other commands come between publishes, what was read is forgotten each time.
        keys.addAll(expected);
        expected.clear();
        forEachChunk(keys, (chunk, size) -> {
            PreparedStatement read = connection.prepared(READ + disjunction(size) + " FOR UPDATE");
            bindKeys(read, chunk);
            chunk.forEach(each -> rows.put(each, Optional.empty()));
            try (ResultSet found = read.executeQuery()) {
                while (found.next()) {
                    ConfigKey of = key(found);
                    String content = found.getString(15);
                    if (content == null) {
                        rows.remove(of);
                    } else {
                        rows.put(of, Optional.of(new PublishBatchRow(of, found, content)));
                    }
                }
            }
        });
    }

    private static ConfigKey key(ResultSet row) throws SQLException {
        return new ConfigKey(Namespace.ofNullable(row.getString(3)), row.getString(2), row.getString(1));
    }

    private void bindKeys(PreparedStatement statement, List<ConfigKey> keys) throws SQLException {
        int at = 1;
        for (ConfigKey key : keys) {
            at = transaction.bindKey(statement, at, key);
        }
    }

    /** Writes what was gathered and forgets what was read, for it is not known what happens next. */
    void settle() throws SQLException {
        rows.clear();
        write(
                List.copyOf(updated),
                UPDATE,
                "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                ON_DUPLICATE,
                this::bindUpdate);
        updated.clear();
        if (!inserted.isEmpty()) {
            write(
                    List.copyOf(inserted.values()),
                    INSERT,
                    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "",
                    this::bind);
            readIds();
            inserted.clear();
        }
        write(history, HISTORY, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'formal', '', ?)", "", this::bindEntry);
        history.clear();
        write(
                changes,
                ChangeRow.INTO,
                ChangeRow.VALUES,
                "",
                (statement, from, row) -> ChangeRow.bind(statement, from, transaction, row.change(), row.operation()));
        write(
                changes,
                AuditRow.INTO,
                AuditRow.VALUES,
                "",
                (statement, from, row) -> AuditRow.bind(statement, from, transaction, row.audit()));
        changes.clear();
    }

    private void readIds() throws SQLException {
        forEachChunk(List.copyOf(inserted.keySet()), (chunk, size) -> {
            PreparedStatement read = connection.prepared(READ_IDS + disjunction(size));
            bindKeys(read, chunk);
            try (ResultSet found = read.executeQuery()) {
                while (found.next()) {
                    PublishBatchRow row = inserted.get(key(found));
                    if (row != null) {
                        row.id = found.getLong(4);
                    }
                }
            }
        });
        for (PublishBatchRow row : inserted.values()) {
            if (!row.isStored()) {
                throw new SQLException("configuration " + row.key + " is gone right after it was inserted");
            }
        }
    }

    private int bind(PreparedStatement statement, int from, PublishBatchRow row) throws SQLException {
        int at = from;
        statement.setString(at++, row.content);
        statement.setString(at++, row.digest.toString());
        statement.setString(at++, row.user);
        statement.setString(at++, row.address);
        statement.setString(at++, row.appName);
        statement.setString(at++, row.description);
        statement.setString(at++, row.use);
        statement.setString(at++, row.effect);
        statement.setString(at++, row.type);
        statement.setString(at++, row.schema);
        statement.setString(at++, row.encryptedDataKey);
        transaction.bindNow(statement, at++);
        transaction.bindNow(statement, at++);
        return transaction.bindKey(statement, at, row.key);
    }

    private int bindUpdate(PreparedStatement statement, int from, PublishBatchRow row) throws SQLException {
        int at = bind(statement, from, row);
        statement.setLong(at, row.id);
        return at + 1;
    }

    private int bindEntry(PreparedStatement statement, int from, Entry entry) throws SQLException {
        statement.setLong(from, entry.row().id);
        int at = transaction.bindKey(statement, from + 1, entry.row().key);
        statement.setString(at++, entry.appName());
        statement.setString(at++, entry.content());
        statement.setString(at++, entry.digest().toString());
        statement.setString(at++, entry.encryptedDataKey());
        transaction.bindNow(statement, at++);
        transaction.bindNow(statement, at++);
        statement.setString(at++, entry.by().user());
        statement.setString(at++, entry.by().address());
        statement.setString(at++, entry.operation());
        statement.setString(at++, entry.extInfo());
        return at;
    }

    private <T> void write(List<T> all, String into, String values, String ending, Binder<T> binder)
            throws SQLException {
        forEachChunk(all, (chunk, size) -> {
            PreparedStatement insert = connection.prepared(into + repeated(values, ", ", size) + ending);
            int at = 1;
            for (T row : chunk) {
                at = binder.bind(insert, at, row);
            }
            insert.executeUpdate();
        });
    }

    private static String disjunction(int size) {
        return '(' + repeated(OF_KEY, " OR ", size) + ')';
    }

    private static String repeated(String text, String between, int times) {
        return (text + between).repeat(times - 1) + text;
    }

    private interface ChunkWork<T> {
        void run(List<T> chunk, int size) throws SQLException;
    }

    private static <T> void forEachChunk(List<T> all, ChunkWork<T> work) throws SQLException {
        int from = 0;
        for (int size : SIZES) {
            for (; all.size() - from >= size; from += size) {
                work.run(all.subList(from, from + size), size);
            }
        }
    }
}
