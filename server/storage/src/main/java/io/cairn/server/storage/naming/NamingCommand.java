package io.cairn.server.storage.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Stores changes of the registry, all or nothing. */
final class NamingCommand implements StoreCommand<List<NamingWrite>> {

    private static final String OF_SERVICE = " WHERE namespace_id = ? AND group_name = ? AND service_name = ?";
    private static final String OF_ADDRESS = OF_SERVICE + " AND ip = ? AND port = ?";

    private final List<Step> steps;
    private final Caller by;
    private final Consumer<List<NamingWrite>> committed;

    /** Finds the write within the transaction; null for no write. */
    private interface Step {
        @Nullable
        NamingWrite resolve(WriteTransaction transaction) throws SQLException;
    }

    private NamingCommand(List<Step> steps, Caller by, Consumer<List<NamingWrite>> committed) {
        this.steps = steps;
        this.by = by;
        this.committed = committed;
    }

    static NamingCommand of(List<NamingWrite> writes, Caller by, Runnable committed) {
        List<Step> steps = new ArrayList<>(writes.size());
        for (NamingWrite write : writes) {
            steps.add(transaction -> write);
        }
        return new NamingCommand(steps, by, written -> committed.run());
    }

    /** Applies the changes to the stored rows. */
    static NamingCommand changing(List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
        List<Step> steps = new ArrayList<>(changes.size());
        for (NamingChange change : changes) {
            steps.add(transaction -> resolve(change, transaction));
        }
        return new NamingCommand(steps, by, committed);
    }

    @Override
    public List<NamingWrite> execute(WriteTransaction transaction) throws SQLException {
        List<NamingWrite> written = new ArrayList<>(steps.size());
        for (Step step : steps) {
            NamingWrite write = step.resolve(transaction);
            if (write == null) {
                continue;
            }
            if (AuditRow.isRecorded(by)) {
                NamingAudit.record(transaction, write, by);
            }
            execute(write, transaction);
            written.add(write);
        }
        return written;
    }

    private static @Nullable NamingWrite resolve(NamingChange change, WriteTransaction transaction)
            throws SQLException {
        if (change instanceof NamingChange.CreateService of) {
            return of.from(NamingAudit.settings(transaction, of.service()) != null);
        } else if (change instanceof NamingChange.ChangeService of) {
            String stored = NamingAudit.settings(transaction, of.service());
            return of.from(stored == null ? null : NamingRows.settings(stored));
        } else if (change instanceof NamingChange.RemoveService of) {
            return of.from(
                    NamingAudit.settings(transaction, of.service()) != null,
                    NamingAudit.hasInstances(transaction, of.service()));
        } else if (change instanceof NamingChange.ExpireService of) {
            String stored = NamingAudit.settings(transaction, of.service());
            return of.from(
                    stored == null ? null : NamingRows.settings(stored),
                    NamingAudit.hasInstances(transaction, of.service())
                            || NamingAudit.hasOverrides(transaction, of.service()));
        } else if (change instanceof NamingChange.ChangeOverride of) {
            String stored = NamingAudit.override(transaction, of.service(), of.instance());
            InstanceOverride before = stored == null ? InstanceOverride.NONE : NamingRows.override(stored);
            InstanceOverride after = of.change().apply(before);
            return after.equals(before) ? null : new NamingWrite.SaveOverride(of.service(), of.instance(), after);
        } else if (change instanceof NamingChange.ChangeInstance of) {
            String stored = NamingAudit.instance(transaction, of.service(), of.instance());
            Instance before = stored == null ? null : NamingRows.instance(stored);
            return before == null || !before.key().equals(of.instance())
                    ? null
                    : new NamingWrite.SaveInstance(of.service(), of.change().apply(before));
        }
        throw new IllegalStateException("no rule for " + change);
    }

    // Delete and insert: the only "insert or replace" common to all databases.
    private static void execute(NamingWrite write, WriteTransaction transaction) throws SQLException {
        if (write instanceof NamingWrite.SaveService save) {
            delete(transaction, "DELETE FROM cairn_service" + OF_SERVICE, save.service());
            PreparedStatement insert = transaction.prepared("INSERT INTO cairn_service"
                    + " (namespace_id, group_name, service_name, settings, changed_at) VALUES (?, ?, ?, ?, ?)");
            int at = bind(insert, save.service());
            insert.setString(at++, NamingRows.settings(save.settings()));
            insert.setLong(at, transaction.nowMillis());
            insert.executeUpdate();
            ChangeRow.insertNaming(transaction, save.service(), ChangeRow.SERVICE, HistoryRow.UPDATE);
        } else if (write instanceof NamingWrite.RemoveService remove) {
            delete(transaction, "DELETE FROM cairn_service" + OF_SERVICE, remove.service());
            delete(transaction, "DELETE FROM cairn_instance_override" + OF_SERVICE, remove.service());
            ChangeRow.insertNaming(transaction, remove.service(), ChangeRow.SERVICE, HistoryRow.DELETE);
        } else if (write instanceof NamingWrite.SaveInstance save) {
            InstanceKey key = save.instance().key();
            delete(transaction, "DELETE FROM cairn_instance" + OF_ADDRESS, save.service(), key);
            PreparedStatement insert = transaction.prepared(
                    "INSERT INTO cairn_instance (namespace_id, group_name, service_name, ip, port, instance,"
                            + " changed_at) VALUES (?, ?, ?, ?, ?, ?, ?)");
            int at = bind(insert, save.service(), key);
            insert.setString(at++, NamingRows.instance(save.instance()));
            insert.setLong(at, transaction.nowMillis());
            insert.executeUpdate();
            ChangeRow.insertNaming(transaction, save.service(), ChangeRow.INSTANCE, HistoryRow.UPDATE);
        } else if (write instanceof NamingWrite.RemoveInstance remove) {
            delete(transaction, "DELETE FROM cairn_instance" + OF_ADDRESS, remove.service(), remove.instance());
            ChangeRow.insertNaming(transaction, remove.service(), ChangeRow.INSTANCE, HistoryRow.DELETE);
        } else if (write instanceof NamingWrite.SaveOverride save) {
            save(save, transaction);
        } else if (write instanceof NamingWrite.SaveSwitch save) {
            PreparedStatement delete = transaction.prepared("DELETE FROM cairn_switch WHERE name = ?");
            delete.setString(1, save.name());
            delete.executeUpdate();
            PreparedStatement insert =
                    transaction.prepared("INSERT INTO cairn_switch (name, value, changed_at) VALUES (?, ?, ?)");
            insert.setString(1, save.name());
            insert.setString(2, save.value());
            insert.setLong(3, transaction.nowMillis());
            insert.executeUpdate();
            ChangeRow.insertSwitch(transaction, save.name());
        }
    }

    private static void save(NamingWrite.SaveOverride save, WriteTransaction transaction) throws SQLException {
        PreparedStatement delete =
                transaction.prepared("DELETE FROM cairn_instance_override" + OF_ADDRESS + " AND cluster_name = ?");
        delete.setString(
                bind(delete, save.service(), save.instance()), save.instance().cluster());
        delete.executeUpdate();
        InstanceOverride override = save.override();
        if (!override.isNone()) {
            PreparedStatement insert = transaction.prepared(
                    "INSERT INTO cairn_instance_override (namespace_id, group_name, service_name, ip, port,"
                            + " cluster_name, override, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
            int at = bind(insert, save.service(), save.instance());
            insert.setString(at++, save.instance().cluster());
            insert.setString(at++, NamingRows.override(override));
            insert.setLong(at, transaction.nowMillis());
            insert.executeUpdate();
        }
        ChangeRow.insertNaming(
                transaction,
                save.service(),
                ChangeRow.OVERRIDE,
                override.isNone() ? HistoryRow.DELETE : HistoryRow.UPDATE);
    }

    private static void delete(WriteTransaction transaction, String sql, ServiceKey service) throws SQLException {
        PreparedStatement delete = transaction.prepared(sql);
        bind(delete, service);
        delete.executeUpdate();
    }

    private static void delete(WriteTransaction transaction, String sql, ServiceKey service, InstanceKey instance)
            throws SQLException {
        PreparedStatement delete = transaction.prepared(sql);
        bind(delete, service, instance);
        delete.executeUpdate();
    }

    static int bind(PreparedStatement statement, ServiceKey service) throws SQLException {
        statement.setString(1, service.namespace().id());
        statement.setString(2, service.group());
        statement.setString(3, service.name());
        return 4;
    }

    static int bind(PreparedStatement statement, ServiceKey service, InstanceKey instance) throws SQLException {
        int at = bind(statement, service);
        statement.setString(at++, instance.ip());
        statement.setInt(at++, instance.port());
        return at;
    }

    @Override
    public void committed(List<NamingWrite> result) {
        committed.accept(result);
    }

    @Override
    public void announce(List<NamingWrite> result) {}

    @Override
    public int weightBytes() {
        return 1024 * steps.size();
    }
}
