package io.cairn.server.storage;

import io.cairn.api.config.Namespace;
import io.cairn.server.namespace.StoredNamespace;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Creates, edits or deletes a namespace; false when there was one already, or none. */
final class NamespaceCommand implements StoreCommand<Boolean> {

    /** What Nacos writes into the column of that name. */
    static final String KP = "1";

    private static final String OF_ID = " WHERE kp = '" + KP + "' AND tenant_id = ?";
    private static final String INSERT = "INSERT INTO tenant_info (kp, tenant_id, tenant_name, tenant_desc,"
            + " create_source, gmt_create, gmt_modified) VALUES ('" + KP + "', ?, ?, ?, 'nacos', ?, ?)";
    private static final String UPDATE =
            "UPDATE tenant_info SET tenant_name = ?, tenant_desc = ?, gmt_modified = ?" + OF_ID;

    private final String operation;
    private final StoredNamespace namespace;

    private NamespaceCommand(String operation, StoredNamespace namespace) {
        this.operation = operation;
        this.namespace = namespace;
    }

    static NamespaceCommand create(StoredNamespace namespace) {
        return new NamespaceCommand(HistoryRow.INSERT, namespace);
    }

    static NamespaceCommand edit(StoredNamespace namespace) {
        return new NamespaceCommand(HistoryRow.UPDATE, namespace);
    }

    static NamespaceCommand delete(Namespace namespace) {
        return new NamespaceCommand(HistoryRow.DELETE, new StoredNamespace(namespace, "", ""));
    }

    @Override
    public Boolean execute(WriteTransaction transaction) throws SQLException {
        String id = namespace.namespace().id();
        boolean isNew = operation.equals(HistoryRow.INSERT);
        if (exists(transaction, id) == isNew) {
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
        return true;
    }

    private static boolean exists(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement find = transaction.prepared("SELECT 1 FROM tenant_info" + OF_ID);
        find.setString(1, id);
        try (ResultSet rows = find.executeQuery()) {
            return rows.next();
        }
    }

    // The two times of this table are milliseconds in all databases.
    private void insert(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement insert = transaction.prepared(INSERT);
        insert.setString(1, id);
        insert.setString(2, namespace.name());
        insert.setString(3, namespace.description());
        insert.setLong(4, transaction.nowMillis());
        insert.setLong(5, transaction.nowMillis());
        insert.executeUpdate();
    }

    private void update(WriteTransaction transaction, String id) throws SQLException {
        PreparedStatement update = transaction.prepared(UPDATE);
        update.setString(1, namespace.name());
        update.setString(2, namespace.description());
        update.setLong(3, transaction.nowMillis());
        update.setString(4, id);
        update.executeUpdate();
    }

    @Override
    public void committed(Boolean result) {
        // Namespaces are not kept in memory.
    }

    @Override
    public void announce(Boolean result) {
        // Nobody follows them.
    }

    @Override
    public int weightBytes() {
        return 1024;
    }
}
