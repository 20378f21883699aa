package io.cairn.server.storage.namespace;

import io.cairn.server.auth.Caller;
import io.cairn.server.config.CapacityScope;
import io.cairn.server.config.capacity.Capacity;
import io.cairn.server.config.capacity.CapacityChange;
import io.cairn.server.config.capacity.CapacityStore;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.database.RowRules;
import io.cairn.server.storage.row.CapacityRow;
import io.cairn.server.storage.writer.StoreWriter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

public final class JdbcCapacityStore implements CapacityStore {

    private static final String QUOTAS = "SELECT tenant_id, quota FROM tenant_capacity WHERE quota > 0";

    private final StoreWriter writer;
    private final ReadConnections readers;

    public JdbcCapacityStore(StoreWriter writer, ReadConnections readers) {
        this.writer = writer;
        this.readers = readers;
    }

    @Override
    public Optional<Capacity> find(CapacityScope scope) {
        return readers.with("reading the capacity of " + scope, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(CapacityRow.find(scope))) {
                statement.setString(1, scope.name());
                try (ResultSet rows = statement.executeQuery()) {
                    return rows.next() ? Optional.of(CapacityRow.read(rows)) : Optional.empty();
                }
            }
        });
    }

    @Override
    public Map<String, Integer> namespaceQuotas() {
        return readers.with("reading the quotas of namespaces", connection -> {
            Map<String, Integer> quotas = new HashMap<>();
            try (PreparedStatement statement = connection.prepareStatement(QUOTAS);
                    ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    quotas.put(rows.getString(1), RowRules.clampedInt(rows, 2));
                }
            }
            return quotas;
        });
    }

    @Override
    public CompletionStage<Capacity> set(CapacityScope scope, CapacityChange change, Caller by) {
        return writer.submit(new SetCapacityCommand(scope, change, by));
    }
}
