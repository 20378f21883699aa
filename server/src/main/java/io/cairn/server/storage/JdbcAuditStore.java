package io.cairn.server.storage;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The record of what was done, in a table of Cairn's own. Thread-safe. */
public final class JdbcAuditStore implements AuditStore {

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcAuditStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public CompletionStage<Void> append(AuditRecord entry) {
        return writer.submit(new Append(entry)).thenAccept(done -> {});
    }

    @Override
    public long count(Query query) {
        return readers.with("counting audit records", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT COUNT(*) FROM cairn_audit" + where(query))) {
                bind(select, query);
                try (ResultSet rows = select.executeQuery()) {
                    return rows.next() ? rows.getLong(1) : 0L;
                }
            }
        });
    }

    @Override
    public List<AuditRecord> find(Query query, long offset, int limit) {
        return readers.with("reading audit records", connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT id, done_at, who, kind, address, action, target, before_digest, after_digest, detail"
                            + " FROM cairn_audit" + where(query) + " ORDER BY id DESC LIMIT ? OFFSET ?")) {
                int at = bind(select, query);
                select.setInt(at++, limit);
                select.setLong(at, offset);
                List<AuditRecord> found = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        found.add(read(rows));
                    }
                }
                return found;
            }
        });
    }

    private static AuditRecord read(ResultSet row) throws SQLException {
        return new AuditRecord(
                row.getLong(1),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getString(10));
    }

    private static String where(Query query) {
        return " WHERE done_at >= ? AND done_at < ?"
                + fits("who", query.who())
                + fits("action", query.action())
                + fits("target", query.target())
                + fits("address", query.address());
    }

    private static int bind(PreparedStatement select, Query query) throws SQLException {
        select.setLong(1, query.fromMillis());
        select.setLong(2, query.untilMillis());
        int at = 3;
        for (@Nullable
        String wanted : new @Nullable String[] {query.who(), query.action(), query.target(), query.address()}) {
            if (wanted != null) {
                select.setString(at++, beginning(wanted));
            }
        }
        return at;
    }

    // No LIKE: names may hold its signs, and each database compares capitals in its own way.
    private static String fits(String column, @Nullable String wanted) {
        if (wanted == null) {
            return "";
        }
        String beginning = beginning(wanted);
        return beginning.length() == wanted.length()
                ? " AND " + column + " = ?"
                : " AND SUBSTR(" + column + ", 1, " + beginning.codePointCount(0, beginning.length()) + ") = ?";
    }

    private static String beginning(String wanted) {
        return wanted.endsWith("*") ? wanted.substring(0, wanted.length() - 1) : wanted;
    }

    @Override
    public CompletionStage<Integer> forgetBefore(long millis, int limit) {
        return writer.submit(new Forget(millis, limit));
    }

    private record Append(AuditRecord entry) implements StoreCommand<Boolean> {

        @Override
        public Boolean execute(WriteTransaction transaction) throws SQLException {
            AuditRow.insert(transaction, entry);
            return true;
        }

        @Override
        public void committed(Boolean result) {}

        @Override
        public void announce(Boolean result) {}

        @Override
        public int weightBytes() {
            return 512;
        }
    }

    private record Forget(long millis, int limit) implements StoreCommand<Integer> {

        @Override
        public Integer execute(WriteTransaction transaction) throws SQLException {
            // By number, for not every database has DELETE with LIMIT.
            PreparedStatement select =
                    transaction.prepared("SELECT id FROM cairn_audit WHERE done_at < ? ORDER BY id LIMIT ?");
            select.setLong(1, millis);
            select.setInt(2, limit);
            long last = 0;
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    last = rows.getLong(1);
                }
            }
            PreparedStatement delete = transaction.prepared("DELETE FROM cairn_audit WHERE id <= ? AND done_at < ?");
            delete.setLong(1, last);
            delete.setLong(2, millis);
            return delete.executeUpdate();
        }

        @Override
        public void committed(Integer result) {}

        @Override
        public void announce(Integer result) {}

        @Override
        public int weightBytes() {
            return 64;
        }
    }
}
