package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ChangedBy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;

/** Writes what was done into the table {@code cairn_audit}, in the transaction that does it. */
final class AuditRow {

    static final String INTO = "INSERT INTO cairn_audit (done_at, who, kind, address, action, target, before_digest,"
            + " after_digest, detail) VALUES ";
    static final String VALUES = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private static final String INSERT = INTO + VALUES;

    private AuditRow() {}

    /** The record of a change of a configuration. */
    static AuditRecord ofConfig(
            ConfigKey key,
            String kind,
            String operation,
            Optional<ContentDigest> before,
            Optional<ContentDigest> now,
            ChangedBy by) {
        Caller caller = by.caller() != null
                ? by.caller()
                : new Caller(Principal.UNCHECKED, by.address() == null ? "" : by.address());
        String verb = operation.equals(HistoryRow.INSERT)
                ? ".insert"
                : operation.equals(HistoryRow.DELETE) ? ".delete" : ".update";
        return AuditRecord.of(caller, kind + verb, key.namespace().id() + ':' + key.group() + ":config/" + key.dataId())
                .withDigests(
                        before.map(ContentDigest::toString).orElse(null),
                        now.map(ContentDigest::toString).orElse(null));
    }

    static void insert(WriteTransaction transaction, AuditRecord entry) throws SQLException {
        PreparedStatement insert = transaction.prepared(INSERT);
        bind(insert, 1, transaction, entry);
        insert.executeUpdate();
    }

    /** Binds a row from that index on, and returns the next free one. */
    static int bind(PreparedStatement insert, int from, WriteTransaction transaction, AuditRecord entry)
            throws SQLException {
        int at = from;
        insert.setLong(at++, entry.atMillis() > 0 ? entry.atMillis() : transaction.nowMillis());
        insert.setString(at++, entry.who());
        insert.setString(at++, entry.kind());
        insert.setString(at++, entry.address());
        insert.setString(at++, entry.action());
        insert.setString(at++, entry.target());
        insert.setString(at++, entry.before());
        insert.setString(at++, entry.after());
        insert.setString(at++, entry.detail());
        return at;
    }
}
