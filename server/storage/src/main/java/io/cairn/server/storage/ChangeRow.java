package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of {@code cairn_change}, the log that machines follow. */
final class ChangeRow {

    /** The beginning of a statement that inserts any number of rows, each as {@link #VALUES}. */
    static final String INTO = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, data_id, group_id, tenant_id, md5, changed_at) VALUES ";

    static final String VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
    private static final String INSERT = INTO + VALUES;

    /** A row that is no change: the beginning of its insertion, without what it holds in {@code data_id}. */
    static final String INSERT_PROBE = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, group_id, tenant_id, md5, changed_at, data_id)"
            + " VALUES (-1, 0, 'probe', '', '', '', NULL, 0, ";

    static final String DELETE_PROBE = "DELETE FROM cairn_change WHERE revision = -1";

    /** The kind of a change of what all clients get. */
    static final String CONFIG = "config";
    /** The kind of a change of what some clients get. */
    static final String GRAY = "gray";

    /** The kind of a change of a service's settings. */
    static final String SERVICE = "service";
    /** The kind of a change of a persistent instance. */
    static final String INSTANCE = "instance";
    /** The kind of a change of what is laid over an instance. */
    static final String OVERRIDE = "override";
    /** The kind of a change of an operator switch. */
    static final String SWITCH = "switch";
    /** The kind of a change of a namespace's own row. */
    static final String NAMESPACE = "namespace";
    /** The kind of a change of a capacity. */
    static final String CAPACITY = "capacity";

    /** The kind of a change of users, roles, permissions or tokens. */
    static final String ACCOUNT = "account";

    /** The kind of a change of everything. */
    static final String RESTORED = "restored";

    private ChangeRow() {}

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
        PreparedStatement insert = transaction.prepared(INSERT);
        bind(insert, 1, transaction, revision, kind, operation, name, group, tenant, md5);
        insert.executeUpdate();
        return revision;
    }

    private static int bind(
            PreparedStatement insert,
            int from,
            WriteTransaction transaction,
            long revision,
            String kind,
            String operation,
            String name,
            String group,
            String tenant,
            @Nullable String md5)
            throws SQLException {
        int at = from;
        insert.setLong(at++, revision);
        insert.setLong(at++, transaction.batch());
        insert.setString(at++, kind);
        insert.setString(at++, operation);
        insert.setString(at++, name);
        insert.setString(at++, group);
        insert.setString(at++, tenant);
        insert.setString(at++, md5);
        insert.setLong(at++, transaction.nowMillis());
        return at;
    }

    /** Binds the values of a row for a change of what all clients get, and returns the next free index. */
    static int bind(
            PreparedStatement insert, int from, WriteTransaction transaction, ConfigChanged change, String operation)
            throws SQLException {
        return bind(
                insert,
                from,
                transaction,
                change.revision(),
                CONFIG,
                operation,
                change.key().dataId(),
                change.key().group(),
                transaction.dialect().tenant(change.key().namespace()),
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
