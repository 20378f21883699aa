package io.cairn.server.storage.row;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.Author;
import io.cairn.server.storage.writer.Columns;
import io.cairn.server.storage.writer.RowInsert;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes audit records into {@code cairn_audit}, in the transaction of the operation. */
public final class AuditRow {

    public static final RowInsert<AuditRecord> INSERT = new RowInsert<>(
            "cairn_audit",
            new Columns<AuditRecord>()
                    .number(
                            "done_at",
                            (entry, transaction) -> entry.atMillis() > 0 ? entry.atMillis() : transaction.nowMillis())
                    .text("who", AuditRecord::who)
                    .text("kind", AuditRecord::kind)
                    .text("address", AuditRecord::address)
                    .text("action", AuditRecord::action)
                    .text("target", AuditRecord::target)
                    .text("before_digest", AuditRecord::before)
                    .text("after_digest", AuditRecord::after)
                    .text("detail", AuditRecord::detail)
                    .text("node", (entry, transaction) -> transaction.node()));

    private AuditRow() {}

    public static AuditRecord ofConfig(
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
     * Records a change of a text; nothing for equal texts.
     *
     * @param before stored text, or null
     * @param now new text, or null
     */
    public static void insert(
            WriteTransaction transaction, AuditRecord entry, @Nullable String before, @Nullable String now)
            throws SQLException {
        if (!Objects.equals(before, now)) {
            insert(transaction, entry.withDigests(digest(before), digest(now)));
        }
    }

    private static @Nullable String digest(@Nullable String text) {
        return text == null ? null : ContentDigest.of(text).toString();
    }

    /** Excludes operations of the server itself. */
    public static boolean isRecorded(Caller by) {
        return !by.equals(Caller.SERVER);
    }

    public static void insert(WriteTransaction transaction, AuditRecord entry) throws SQLException {
        transaction.insert(INSERT, entry);
    }
}
