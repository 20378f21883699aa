package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.change.ConfigChanged;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rows of {@code cairn_change}, the log that machines follow. */
final class ChangeRow {

    private static final String INSERT = "INSERT INTO cairn_change"
            + " (revision, batch, kind, op_type, data_id, group_id, tenant_id, md5, changed_at)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

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

    /** The kind of a change of users, roles, permissions or tokens. */
    static final String ACCOUNT = "account";

    private ChangeRow() {}

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
        insert.setLong(1, revision);
        insert.setLong(2, transaction.batch());
        insert.setString(3, kind);
        insert.setString(4, operation);
        insert.setString(5, name);
        insert.setString(6, group);
        insert.setString(7, tenant);
        insert.setString(8, md5);
        insert.setLong(9, transaction.nowMillis());
        insert.executeUpdate();
        return revision;
    }

    /** Takes the next revision for this change and logs it. */
    static ConfigChanged insert(
            WriteTransaction transaction,
            ConfigKey key,
            String kind,
            String operation,
            Optional<ContentDigest> before,
            Optional<ContentDigest> now)
            throws SQLException {
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
