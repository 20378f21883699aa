package io.cairn.server.storage;

import io.cairn.server.auth.AuditRecord;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Writes what was done into the table {@code cairn_audit}, in the transaction that does it. */
final class AuditRow {

    private static final String INSERT = "INSERT INTO cairn_audit (done_at, who, kind, address, action, target,"
            + " before_digest, after_digest, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private AuditRow() {}

    static void insert(WriteTransaction transaction, AuditRecord entry) throws SQLException {
        PreparedStatement insert = transaction.prepared(INSERT);
        insert.setLong(1, entry.atMillis() > 0 ? entry.atMillis() : transaction.nowMillis());
        insert.setString(2, entry.who());
        insert.setString(3, entry.kind());
        insert.setString(4, entry.address());
        insert.setString(5, entry.action());
        insert.setString(6, entry.target());
        insert.setString(7, entry.before());
        insert.setString(8, entry.after());
        insert.setString(9, entry.detail());
        insert.executeUpdate();
    }
}
