package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.writer.Columns;
import io.cairn.server.storage.writer.RowInsert;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code cairn_change}, the log that nodes follow.
 *
 * @param name of the changed thing
 * @param tenant the namespace in the form of Nacos's tables
 * @param md5 of the content, or null
 */
public record ChangeRow(
        long revision,
        String kind,
        String operation,
        String name,
        String group,
        String tenant,
        @Nullable String md5) {

    public static final RowInsert<ChangeRow> INSERT = new RowInsert<>(
            "cairn_change",
            new Columns<ChangeRow>()
                    .number("revision", ChangeRow::revision)
                    .number("batch", (row, transaction) -> transaction.batch())
                    .text("kind", ChangeRow::kind)
                    .text("op_type", ChangeRow::operation)
                    .text("data_id", ChangeRow::name)
                    .text("group_id", ChangeRow::group)
                    .text("tenant_id", ChangeRow::tenant)
                    .text("md5", ChangeRow::md5)
                    .number("changed_at", (row, transaction) -> transaction.nowMillis()));

    public static final String CONFIG = "config";
    public static final String GRAY = "gray";

    public static final String SERVICE = "service";
    public static final String INSTANCE = "instance";
    public static final String OVERRIDE = "override";
    public static final String SWITCH = "switch";
    public static final String NAMESPACE = "namespace";
    public static final String CAPACITY = "capacity";

    /** Users, roles, permissions or tokens. */
    public static final String ACCOUNT = "account";

    /** A shared secret, by name. */
    public static final String SECRET = "secret";

    /** Everything. */
    public static final String RESTORED = "restored";

    public static ChangeRow read(ResultSet rows) throws SQLException {
        return new ChangeRow(
                rows.getLong(1),
                rows.getString(2),
                rows.getString(3),
                rows.getString(4),
                rows.getString(5),
                rows.getString(6),
                rows.getString(7));
    }

    public static void insertRestored(WriteTransaction transaction) throws SQLException {
        insert(transaction, RESTORED, HistoryRow.UPDATE, "", "", "", null);
    }

    public static void insertAccount(WriteTransaction transaction, String name) throws SQLException {
        insert(
                transaction,
                ACCOUNT,
                HistoryRow.UPDATE,
                name.length() <= 255 ? name : name.substring(0, 255),
                "",
                "",
                null);
    }

    public static void insertSecret(WriteTransaction transaction, String name) throws SQLException {
        insert(transaction, SECRET, HistoryRow.UPDATE, name, "", "", null);
    }

    public static void insertNaming(WriteTransaction transaction, ServiceKey service, String kind, String operation)
            throws SQLException {
        insert(
                transaction,
                kind,
                operation,
                service.name(),
                service.group(),
                transaction.dialect().tenant(service.namespace()),
                null);
    }

    public static void insertSwitch(WriteTransaction transaction, String name) throws SQLException {
        insert(transaction, SWITCH, HistoryRow.UPDATE, name, "", "", null);
    }

    public static void insertCapacity(WriteTransaction transaction, String name, String operation) throws SQLException {
        insert(transaction, CAPACITY, operation, name, "", "", null);
    }

    public static void insertNamespace(WriteTransaction transaction, String id, String operation) throws SQLException {
        insert(transaction, NAMESPACE, operation, "", "", id, null);
    }

    private static long insert(
            WriteTransaction transaction,
            String kind,
            String operation,
            String name,
            String group,
            String tenant,
            @Nullable String md5)
            throws SQLException {
        long revision = transaction.nextRevision();
        transaction.insert(INSERT, new ChangeRow(revision, kind, operation, name, group, tenant, md5));
        return revision;
    }

    public static ChangeRow of(ConfigChanged change, String operation, Dialect dialect) {
        return new ChangeRow(
                change.revision(),
                CONFIG,
                operation,
                change.key().dataId(),
                change.key().group(),
                dialect.tenant(change.key().namespace()),
                change.now().map(ContentDigest::toString).orElse(null));
    }

    public static ConfigChanged insert(
            WriteTransaction transaction,
            ConfigKey key,
            String kind,
            String operation,
            Optional<ContentDigest> before,
            Optional<ContentDigest> now,
            Author by)
            throws SQLException {
        AuditRow.insert(transaction, AuditRow.ofConfig(key, kind, operation, before, now, by));
        long revision = insert(
                transaction,
                kind,
                operation,
                key.dataId(),
                key.group(),
                transaction.dialect().tenant(key.namespace()),
                now.map(ContentDigest::toString).orElse(null));
        return new ConfigChanged(key, revision, before, now);
    }
}
