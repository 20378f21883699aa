package io.cairn.server.storage;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.Author;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
            Author by) {
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

    /**
     * Records a change from one text to another; nothing when they are the same.
     *
     * @param before what was stored; null for nothing
     * @param now what is stored now; null for nothing
     */
    static void insert(WriteTransaction transaction, AuditRecord entry, @Nullable String before, @Nullable String now)
            throws SQLException {
        if (!Objects.equals(before, now)) {
            insert(transaction, entry.withDigests(digest(before), digest(now)));
        }
    }

    private static @Nullable String digest(@Nullable String text) {
        return text == null ? null : ContentDigest.of(text).toString();
    }

    /** Whether somebody ordered it; what the server does out of itself is not recorded. */
    static boolean isRecorded(Caller by) {
        return !by.equals(Caller.SERVER);
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
