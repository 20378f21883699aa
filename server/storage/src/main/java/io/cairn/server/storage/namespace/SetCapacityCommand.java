package io.cairn.server.storage.namespace;

import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.storage.row.AuditRow;
import io.cairn.server.storage.row.CapacityRow;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.row.HistoryRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sets limits of a group, a namespace or the whole server. */
final class SetCapacityCommand implements StoreCommand<Capacity> {

    private final CapacityScope scope;
    private final CapacityChange change;
    private final Caller by;

    SetCapacityCommand(CapacityScope scope, CapacityChange change, Caller by) {
        this.scope = scope;
        this.change = change;
        this.by = by;
    }

    @Override
    public Capacity execute(WriteTransaction transaction) throws SQLException {
        Optional<Capacity> stored = find(transaction);
        if (stored.isPresent() && change.equals(CapacityChange.NONE)) {
            return stored.get();
        }
        if (stored.isEmpty()) {
            insert(transaction);
        } else {
            update(transaction, stored.get());
        }
        ChangeRow.insertCapacity(transaction, scope.name(), stored.isEmpty() ? HistoryRow.INSERT : HistoryRow.UPDATE);
        Capacity now = find(transaction)
                .orElseThrow(() -> new SQLException("the capacity of " + scope + " is gone right after it was set"));
        if (AuditRow.isRecorded(by)) {
            AuditRow.insert(
                    transaction,
                    AuditRecord.of(
                                    by,
                                    "capacity.set",
                                    scope.kind().name().toLowerCase(Locale.ROOT) + ':' + scope.name())
                            .withDetail(text(now)),
                    stored.map(SetCapacityCommand::text).orElse(null),
                    text(now));
        }
        return now;
    }

    private static String text(Capacity capacity) {
        return "quota=" + capacity.quota() + " maxSize=" + capacity.maxSizeBytes() + " maxAggrCount="
                + capacity.maxAggrCount() + " maxAggrSize=" + capacity.maxAggrSize();
    }

    private Optional<Capacity> find(WriteTransaction transaction) throws SQLException {
        PreparedStatement find = transaction.prepared(CapacityRow.find(scope));
        find.setString(1, scope.name());
        try (ResultSet rows = find.executeQuery()) {
            return rows.next() ? Optional.of(CapacityRow.read(rows)) : Optional.empty();
        }
    }

    private void insert(WriteTransaction transaction) throws SQLException {
        PreparedStatement insert = transaction.prepared("INSERT INTO " + CapacityRow.table(scope) + " ("
                + CapacityRow.column(scope)
                + ", quota, max_size, max_aggr_count, max_aggr_size, gmt_create, gmt_modified)"
                + " VALUES (?, ?, ?, ?, ?, ?, ?)");
        insert.setString(1, scope.name());
        bind(insert, 2, new Capacity(0, 0, 0, 0, 0));
        transaction.bindNow(insert, 6);
        transaction.bindNow(insert, 7);
        insert.executeUpdate();
    }

    private void update(WriteTransaction transaction, Capacity stored) throws SQLException {
        PreparedStatement update = transaction.prepared("UPDATE " + CapacityRow.table(scope)
                + " SET quota = ?, max_size = ?, max_aggr_count = ?, max_aggr_size = ?, gmt_modified = ? WHERE "
                + CapacityRow.column(scope) + " = ?");
        bind(update, 1, stored);
        transaction.bindNow(update, 5);
        update.setString(6, scope.name());
        update.executeUpdate();
    }

    private void bind(PreparedStatement statement, int from, Capacity present) throws SQLException {
        statement.setInt(from, given(change.quota(), present.quota()));
        statement.setInt(from + 1, given(change.maxSizeBytes(), present.maxSizeBytes()));
        statement.setInt(from + 2, given(change.maxAggrCount(), present.maxAggrCount()));
        statement.setInt(from + 3, given(change.maxAggrSize(), present.maxAggrSize()));
    }

    private static int given(@Nullable Integer changed, int present) {
        return changed == null ? present : changed;
    }

    @Override
    public void committed(Capacity result) {
        // Capacities are not kept in memory.
    }

    @Override
    public void announce(Capacity result) {
        // They have no followers.
    }

    @Override
    public int weightBytes() {
        return 256;
    }
}
