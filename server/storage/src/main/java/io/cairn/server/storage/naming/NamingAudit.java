package io.cairn.server.storage.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Records users' changes of the registry, before them in their transaction, with digests of the stored rows. An unchanged row, such
 * as a client's repeated registration of a persistent instance, is no change.
 */
final class NamingAudit {

    private static final String OF_SERVICE = " WHERE namespace_id = ? AND group_name = ? AND service_name = ?";
    private static final String OF_ADDRESS = OF_SERVICE + " AND ip = ? AND port = ?";

    private NamingAudit() {}

    static void record(WriteTransaction transaction, NamingWrite write, Caller by) throws SQLException {
        if (write instanceof NamingWrite.SaveService save) {
            String before = settings(transaction, save.service());
            record(
                    transaction,
                    of(by, before == null ? "service.create" : "service.update", save.service()),
                    before,
                    NamingRows.settings(save.settings()));
        } else if (write instanceof NamingWrite.RemoveService remove) {
            // A service that was never stored can be removed, too.
            String before = settings(transaction, remove.service());
            record(transaction, of(by, "service.delete", remove.service()), before == null ? "" : before, null);
        } else if (write instanceof NamingWrite.SaveInstance save) {
            InstanceKey key = save.instance().key();
            String before = instance(transaction, save.service(), key);
            record(
                    transaction,
                    of(by, before == null ? "instance.register" : "instance.update", save.service())
                            .withDetail(text(key)),
                    before,
                    NamingRows.instance(save.instance()));
        } else if (write instanceof NamingWrite.RemoveInstance remove) {
            record(
                    transaction,
                    of(by, "instance.deregister", remove.service()).withDetail(text(remove.instance())),
                    instance(transaction, remove.service(), remove.instance()),
                    null);
        } else if (write instanceof NamingWrite.SaveOverride save) {
            String before = override(transaction, save.service(), save.instance());
            record(
                    transaction,
                    of(by, action(before, save.override()), save.service()).withDetail(text(save.instance())),
                    before,
                    save.override().isNone() ? null : NamingRows.override(save.override()));
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            record(
                    transaction,
                    AuditRecord.of(by, "switch.set", save.name()).withDetail(save.value()),
                    setting(transaction, save.name()),
                    save.value());
        }
    }

    private static String action(@Nullable String before, InstanceOverride now) {
        long drainedBefore = before == null ? 0 : NamingRows.override(before).drainEndMillis();
        if (drainedBefore == now.drainEndMillis()) {
            return "instance.override";
        }
        return now.isDraining() ? "instance.drain" : "instance.drain.end";
    }

    private static void record(
            WriteTransaction transaction, AuditRecord entry, @Nullable String before, @Nullable String now)
            throws SQLException {
        AuditRow.insert(transaction, entry, before, now);
    }

    private static AuditRecord of(Caller by, String action, ServiceKey service) {
        return AuditRecord.of(
                by, action, service.namespace().id() + ':' + service.group() + ":naming/" + service.name());
    }

    private static String text(InstanceKey instance) {
        return instance.ip() + ':' + instance.port() + '#' + instance.cluster();
    }

    static @Nullable String settings(WriteTransaction transaction, ServiceKey service) throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT settings FROM cairn_service" + OF_SERVICE);
        NamingCommand.bind(find, service);
        return first(find);
    }

    static boolean hasInstances(WriteTransaction transaction, ServiceKey service) throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT ip FROM cairn_instance" + OF_SERVICE + " LIMIT 1");
        NamingCommand.bind(find, service);
        return first(find) != null;
    }

    static boolean hasOverrides(WriteTransaction transaction, ServiceKey service) throws SQLException {
        PreparedStatement find =
                transaction.prepared("SELECT ip FROM cairn_instance_override" + OF_SERVICE + " LIMIT 1");
        NamingCommand.bind(find, service);
        return first(find) != null;
    }

    static @Nullable String instance(WriteTransaction transaction, ServiceKey service, InstanceKey instance)
            throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT instance FROM cairn_instance" + OF_ADDRESS);
        NamingCommand.bind(find, service, instance);
        return first(find);
    }

    static @Nullable String override(WriteTransaction transaction, ServiceKey service, InstanceKey instance)
            throws SQLException {
        PreparedStatement find = transaction.prepared(
                "SELECT override FROM cairn_instance_override" + OF_ADDRESS + " AND cluster_name = ?");
        find.setString(NamingCommand.bind(find, service, instance), instance.cluster());
        return first(find);
    }

    private static @Nullable String setting(WriteTransaction transaction, String name) throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT value FROM cairn_switch WHERE name = ?");
        find.setString(1, name);
        return first(find);
    }

    private static @Nullable String first(PreparedStatement find) throws SQLException {
        try (ResultSet rows = find.executeQuery()) {
            return rows.next() ? rows.getString(1) : null;
        }
    }
}
