package io.cairn.server.storage.access;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.storage.database.Dialect;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

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
        Filter filter = filter(query);
        return readers.with("counting audit records", connection -> {
            try (PreparedStatement select =
                    connection.prepareStatement("SELECT COUNT(*) FROM cairn_audit" + filter.where)) {
                filter.bind(select);
                try (ResultSet rows = select.executeQuery()) {
                    return rows.next() ? rows.getLong(1) : 0L;
                }
            }
        });
    }

    @Override
    public List<AuditRecord> find(Query query, long offset, int limit) {
        return find(filter(query), " ORDER BY id DESC LIMIT ? OFFSET ?", limit, offset);
    }

    @Override
    public List<AuditRecord> findBefore(Query query, long id, int limit) {
        return find(filter(query), " AND id < ? ORDER BY id DESC LIMIT ?", id, limit);
    }

    private List<AuditRecord> find(Filter filter, String range, long first, long second) {
        return readers.with("reading audit records", connection -> {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT id, done_at, who, kind, address, action, target, before_digest, after_digest, detail, node"
                            + " FROM cairn_audit" + filter.where + range)) {
                int at = filter.bind(select);
                select.setLong(at++, first);
                select.setLong(at, second);
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
                row.getString(10),
                row.getString(11));
    }

    /** A condition with its parameters after the two times. */
    private record Filter(String where, List<String> parameters, Query query) {

        int bind(PreparedStatement select) throws SQLException {
            select.setLong(1, query.fromMillis());
            select.setLong(2, query.untilMillis());
            int at = 3;
            for (String parameter : parameters) {
                select.setString(at++, parameter);
            }
            return at;
        }
    }

    private Filter filter(Query query) {
        StringBuilder where = new StringBuilder(" WHERE done_at >= ? AND done_at < ?");
        List<String> parameters = new ArrayList<>();
        narrow(where, parameters, "who", query.who());
        narrow(where, parameters, "action", query.action());
        narrow(where, parameters, "target", query.target());
        narrow(where, parameters, "address", query.address());
        return new Filter(where.toString(), parameters, query);
    }

    private void narrow(StringBuilder where, List<String> parameters, String column, @Nullable String wanted) {
        if (wanted == null) {
            return;
        }
        if (wanted.indexOf('*') < 0) {
            where.append(" AND ").append(column).append(" = ?");
            parameters.add(wanted);
            return;
        }
        Dialect.Match match = readers.dialect().matching(column, wanted);
        where.append(" AND ").append(match.condition());
        parameters.add(match.parameter());
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
            // By number: databases differ in DELETE with a limit.
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
