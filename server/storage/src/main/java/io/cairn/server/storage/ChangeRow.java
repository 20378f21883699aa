package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code cairn_change}, the log that machines follow.
 *
 * @param name of the configuration or service, or of another thing that has changed
 * @param tenant the namespace as the tables of Nacos spell it
 * @param md5 of the content; null for none
 */
record ChangeRow(
        long revision,
        String kind,
        String operation,
        String name,
        String group,
        String tenant,
        @Nullable String md5) {

    static final RowInsert<ChangeRow> INSERT = new RowInsert<>(
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

    /** A row that is no change: the beginning of its insertion, without what it holds in {@code data_id}. */
    static final String INSERT_PROBE = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, group_id, tenant_id, md5, changed_at, data_id)"
            + " VALUES (-1, 0, 'probe', '', '', '', NULL, 0, ";

    static final String DELETE_PROBE = "DELETE FROM cairn_change WHERE revision = -1";

    /** The kind of a change of a configuration's content for all clients. */
    static final String CONFIG = "config";
    /** The kind of a change of a gray release. */
    static final String GRAY = "gray";

    /** The kind of a change of a service's settings. */
    static final String SERVICE = "service";
    /** The kind of a change of a persistent instance. */
    static final String INSTANCE = "instance";
    /** The kind of a change of an operator's override of an instance. */
    static final String OVERRIDE = "override";
    /** The kind of a change of an operator switch. */
    static final String SWITCH = "switch";
    /** The kind of a change of a namespace's own row. */
    static final String NAMESPACE = "namespace";
    /** The kind of a change of a capacity. */
    static final String CAPACITY = "capacity";

    /** The kind of a change of users, roles, permissions or tokens. */
    static final String ACCOUNT = "account";

    /** The kind of a change of a secret that all nodes share; its name is that of the secret. */
    static final String SECRET = "secret";

    /** The kind of a change of everything. */
    static final String RESTORED = "restored";

    /** The present row of a query that selects the components in their order. */
    static ChangeRow read(ResultSet rows) throws SQLException {
        return new ChangeRow(
                rows.getLong(1),
                rows.getString(2),
                rows.getString(3),
                rows.getString(4),
                rows.getString(5),
                rows.getString(6),
                rows.getString(7));
    }

    /** Takes the next revision for a change of everything and logs it. */
    static void insertRestored(WriteTransaction transaction) throws SQLException {
        insert(transaction, RESTORED, HistoryRow.UPDATE, "", "", "", null);
    }

    /** Takes the next revision for a change of the accounts and logs it. */
    static void insertAccount(WriteTransaction transaction, String name) throws SQLException {
        insert(
                transaction,
                ACCOUNT,
                HistoryRow.UPDATE,
                name.length() <= 255 ? name : name.substring(0, 255),
                "",
                "",
                null);
    }

    /** Takes the next revision for a change of a shared secret and logs its name. */
    static void insertSecret(WriteTransaction transaction, String name) throws SQLException {
        insert(transaction, SECRET, HistoryRow.UPDATE, name, "", "", null);
    }

    /** Takes the next revision for a change in the registry and logs it. */
    static void insertNaming(WriteTransaction transaction, ServiceKey service, String kind, String operation)
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

    /** Takes the next revision for the change of a switch and logs it. */
    static void insertSwitch(WriteTransaction transaction, String name) throws SQLException {
        insert(transaction, SWITCH, HistoryRow.UPDATE, name, "", "", null);
    }

    /** Takes the next revision for the change of a capacity and logs it. */
    static void insertCapacity(WriteTransaction transaction, String name, String operation) throws SQLException {
        insert(transaction, CAPACITY, operation, name, "", "", null);
    }

    /** Takes the next revision for the change of a namespace and logs it. */
    static void insertNamespace(WriteTransaction transaction, String id, String operation) throws SQLException {
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

    /** The row for a change of a configuration's content for all clients. */
    static ChangeRow of(ConfigChanged change, String operation, Dialect dialect) {
        return new ChangeRow(
                change.revision(),
                CONFIG,
                operation,
                change.key().dataId(),
                change.key().group(),
                dialect.tenant(change.key().namespace()),
                change.now().map(ContentDigest::toString).orElse(null));
    }

    /** Takes the next revision for this change and logs it. */
    static ConfigChanged insert(
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
