package io.cairn.server.storage.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.WriteConnection;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.ConfigRow;
import io.cairn.server.storage.row.ConfigTable;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.KeptBackWrites;
import io.cairn.server.storage.writer.WriteTransaction;
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
 * The publishes of a transaction: decides on each by the stored row, and writes configuration, tags, history, change and audit
 * rows. The history keeps replaced contents, and those of inserts.
 *
 * <p>Where {@link Dialect#gathersPublishes()}, small publishes are kept back for one statement: with a round trip for each, 256
 * publishes would be a thousand statements. Their rows are read together and locked. Others are written at once.
 *
 * <p>All else in the transaction follows {@link #settle()}, so it finds every earlier publish executed. For the writer's thread.
 */
final class PublishBatch implements KeptBackWrites {

    private final WriteConnection connection;
    private final WriteTransaction transaction;
    private final Dialect dialect;

    /** Keys of later publishes in the group, to be read with the first. */
    private final Set<ConfigKey> expected = new LinkedHashSet<>();

    /** Rows after the publishes kept back; empty if absent. */
    private final Map<ConfigKey, Optional<ConfigRow>> rows = new HashMap<>();

    private final List<Publish> pending = new ArrayList<>();

    private PublishBatch(WriteConnection connection, WriteTransaction transaction) {
        this.connection = connection;
        this.transaction = transaction;
        this.dialect = transaction.dialect();
    }

    /** The publishes of a transaction. */
    static PublishBatch of(WriteTransaction transaction) {
        return transaction.keptBack(PublishBatch.class, connection -> new PublishBatch(connection, transaction));
    }

    /**
     * An unwritten publish.
     *
     * @param before the replaced row, or null
     * @param isKeptBack whether it is written with others
     */
    private record Publish(
            PublishConfig command,
            @Nullable ConfigRow before,
            ConfigRow now,
            ConfigChanged change,
            boolean isKeptBack) {

        String operation() {
            return before == null ? HistoryRow.INSERT : HistoryRow.UPDATE;
        }

        ConfigRow version() {
            return before == null ? now : before;
        }

        /** Whether the history copies the unread replaced content within the database. */
        boolean copiesContent() {
            return before != null && !isKeptBack;
        }

        HistoryRow history(long id, Dialect dialect) {
            ConfigRow version = version();
            String content = copiesContent() ? null : sharesContent(dialect) ? "" : version.content();
            return HistoryRow.of(version, id, content, operation(), command.by());
        }

        boolean sharesContent(Dialect dialect) {
            return before == null && dialect.sharesInsertedContent();
        }

        AuditRecord audit() {
            return AuditRow.ofConfig(
                    command.key(), ChangeRow.CONFIG, operation(), change.before(), change.now(), command.by());
        }
    }

    /** Announces a publish of this group, to read its row with others. */
    void expect(PublishConfig command, CapacityCheck capacity) {
        if (mayBeKeptBack(command, capacity)) {
            expected.add(command.key());
        }
    }

    /** A publish under a capacity depends on those before it. */
    private boolean mayBeKeptBack(PublishConfig command, CapacityCheck capacity) {
        List<String> tags = command.attributes().tags();
        return dialect.gathersPublishes()
                && !capacity.isEnforced()
                && command.utf8().length <= ConfigRow.LARGEST_READ_BYTES
                && (tags == null || tags.isEmpty());
    }

    PublishResult publish(PublishConfig command, CapacityCheck capacity) throws SQLException {
        boolean mayBeKeptBack = mayBeKeptBack(command, capacity);
        ConfigKey key = command.key();
        Optional<ConfigRow> stored = mayBeKeptBack ? readWithOthers(key) : ConfigRow.find(transaction, key);
        Optional<PublishResult.OverCapacity> refusal =
                capacity.refusal(transaction, key, command.utf8().length, stored.isEmpty());
        if (refusal.isPresent()) {
            return refusal.get();
        }
        ConfigRow before = stored.orElse(null);
        String expectedMd5 = command.expectedMd5();
        if (before != null && expectedMd5 != null && !before.digest().matches(expectedMd5)) {
            return new PublishResult.Conflict(Optional.of(before.digest()));
        }
        boolean isKeptBack = mayBeKeptBack && (before == null || mayBeKeptBack(before, command));
        if (!isKeptBack) {
            settle();
        }
        ConfigRow now = ConfigRow.after(before, command);
        ConfigChanged change = new ConfigChanged(
                key, transaction.nextRevision(), stored.map(ConfigRow::digest), Optional.of(command.digest()));
        pending.add(new Publish(command, before, now, change, isKeptBack));
        if (isKeptBack) {
            rows.put(key, Optional.of(now));
        } else {
            settle();
        }
        return new PublishResult.Published(change);
    }

    /** Large contents stay in the database, and tags are written at once. */
    private static boolean mayBeKeptBack(ConfigRow stored, PublishConfig command) {
        return stored.content() != null && (command.attributes().tags() == null || stored.tags() == null);
    }

    private Optional<ConfigRow> readWithOthers(ConfigKey key) throws SQLException {
        Optional<ConfigRow> known = rows.get(key);
        if (known != null) {
            return known;
        }
        List<ConfigKey> keys = new ArrayList<>();
        keys.add(key);
        expected.remove(key);
        // Once only: other commands between publishes drop the read rows each time.
        keys.addAll(expected);
        expected.clear();
        ConfigRow.readAndLock(dialect).forEach(keys, (sql, chunk) -> {
            PreparedStatement read = connection.prepared(sql);
            int at = 1;
            for (ConfigKey each : chunk) {
                at = transaction.bindKey(read, at, each);
                rows.put(each, Optional.empty());
            }
            try (ResultSet found = read.executeQuery()) {
                while (found.next()) {
                    Optional<ConfigKey> of = ConfigRow.key(found);
                    if (of.isPresent()) {
                        rows.put(
                                of.get(),
                                Optional.of(ConfigRow.read(
                                        found, of.get(), found.getString(ConfigRow.CONTENT), connection.jdbc())));
                    }
                }
            }
        });
        return rows.getOrDefault(key, Optional.empty());
    }

    /** Writes the publishes kept back, and drops read rows: the next command may change them. */
    @Override
    public void settle() throws SQLException {
        rows.clear();
        if (pending.isEmpty()) {
            return;
        }
        for (Publish each : pending) {
            if (each.copiesContent()) {
                // Before the update, while the row has the content.
                each.history(each.now().id(), dialect).copy(connection, transaction);
            }
        }
        Map<ConfigKey, Long> ids = writeConfigs();
        List<HistoryRow> history = new ArrayList<>(pending.size());
        List<ChangeRow> changes = new ArrayList<>(pending.size());
        List<AuditRecord> audits = new ArrayList<>(pending.size());
        for (Publish each : pending) {
            long id = each.now().isStored()
                    ? each.now().id()
                    : ids.getOrDefault(each.now().key(), 0L);
            writeTags(each, id);
            if (!each.copiesContent()) {
                history.add(each.history(id, dialect));
            }
            changes.add(ChangeRow.of(each.change(), each.operation(), dialect));
            audits.add(each.audit());
        }
        HistoryRow.insert(dialect).execute(connection, transaction, history);
        ChangeRow.INSERT.execute(connection, transaction, changes);
        AuditRow.INSERT.execute(connection, transaction, audits);
        pending.clear();
    }

    private Map<ConfigKey, Long> writeConfigs() throws SQLException {
        Map<ConfigKey, ConfigRow> inserted = new LinkedHashMap<>();
        Map<ConfigKey, ConfigRow> updated = new LinkedHashMap<>();
        for (Publish each : pending) {
            (each.now().isStored() ? updated : inserted).put(each.now().key(), each.now());
        }
        ConfigTable.update(connection, transaction, List.copyOf(updated.values()));
        return ConfigTable.insert(connection, transaction, List.copyOf(inserted.values()));
    }

    private void writeTags(Publish publish, long id) throws SQLException {
        List<String> tags = publish.command().attributes().tags();
        if (tags == null || publish.isKeptBack()) {
            return;
        }
        if (publish.before() != null) {
            ConfigTable.deleteTags(connection, id);
        }
        ConfigTable.insertTags(connection, transaction, publish.now().key(), id, tags);
    }
}
