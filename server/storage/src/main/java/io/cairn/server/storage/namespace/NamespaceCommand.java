package io.cairn.server.storage.namespace;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.namespace.StoredNamespace;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Creates, edits or deletes a namespace; false if it exists, or is absent. */
final class NamespaceCommand implements StoreCommand<Boolean> {

    /** Nacos's value of that column. */
    static final String KP = "1";

    private static final String OF_ID = " WHERE kp = '" + KP + "' AND tenant_id = ?";
    private static final String INSERT = "INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc,"
            + " create_source, gmt_create, gmt_modified) VALUES ('" + KP + "', ?, ?, ?, 'nacos', ?, ?)";
    private static final String UPDATE =
            "UPDATE tenant_info SET tenant_name = ?, tenant_desc = ?, gmt_modified = ?" + OF_ID;

    private final String operation;
    private final StoredNamespace namespace;
    private final Caller by;

    private NamespaceCommand(String operation, StoredNamespace namespace, Caller by) {
        this.operation = operation;
        this.namespace = namespace;
        this.by = by;
    }

    static NamespaceCommand create(StoredNamespace namespace, Caller by) {
        return new NamespaceCommand(HistoryRow.INSERT, namespace, by);
    }

    static NamespaceCommand edit(StoredNamespace namespace, Caller by) {
        return new NamespaceCommand(HistoryRow.UPDATE, namespace, by);
    }

    static NamespaceCommand delete(Namespace namespace, Caller by) {
        return new NamespaceCommand(HistoryRow.DELETE, new StoredNamespace(namespace, "", ""), by);
    }

    @Override
    public Boolean execute(WriteTransaction transaction) throws SQLException {
        String id = namespace.namespace().id();
        boolean isNew = operation.equals(HistoryRow.INSERT);
        String before = stored(transaction, id);
        if ((before != null) == isNew) {
            return false;
        }
        if (isNew) {
            insert(transaction, id);
        } else if (operation.equals(HistoryRow.UPDATE)) {
            update(transaction, id);
        } else {
            PreparedStatement delete = transaction.prepared("DELETE FROM tenant_info" + OF_ID);
            delete.setString(1, id);
            delete.executeUpdate();
        }
        ChangeRow.insertNamespace(transaction, id, operation);
        if (AuditRow.isRecorded(by)) {
            AuditRow.insert(
                    transaction,
                    AuditRecord.of(by, "namespace." + verb(), id).withDetail(namespace.name()),
                    before,
                    operation.equals(HistoryRow.DELETE) ? null : text(namespace.name(), namespace.description()));
        }
        return true;
    }

    private String verb() {
        return switch (operation) {
            case HistoryRow.INSERT -> "create";
            case HistoryRow.UPDATE -> "edit";
            default -> "delete";
        };
    }

    private static @Nullable String stored(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT tenant_name, tenant_desc FROM tenant_info" + OF_ID);
        find.setString(1, id);
        try (ResultSet rows = find.executeQuery()) {
            return rows.next() ? text(rows.getString(1), rows.getString(2)) : null;
        }
    }

    private static String text(@Nullable String name, @Nullable String description) {
        return (name == null ? "" : name) + '\n' + (description == null ? "" : description);
    }

    private void insert(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement insert = transaction.prepared(INSERT);
        insert.setString(1, id);
        insert.setString(2, namespace.name());
        insert.setString(3, namespace.description());
        transaction.dialect().bindNamespaceTime(insert, 4, transaction.nowMillis());
        transaction.dialect().bindNamespaceTime(insert, 5, transaction.nowMillis());
        insert.executeUpdate();
    }

    private void update(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement update = transaction.prepared(UPDATE);
        update.setString(1, namespace.name());
        update.setString(2, namespace.description());
        transaction.dialect().bindNamespaceTime(update, 3, transaction.nowMillis());
        update.setString(4, id);
        update.executeUpdate();
    }

    @Override
    public void committed(Boolean result) {}

    @Override
    public void announce(Boolean result) {}

    @Override
    public int weightBytes() {
        return 1024;
    }
}
