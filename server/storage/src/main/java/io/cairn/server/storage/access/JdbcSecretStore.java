package io.cairn.server.storage.access;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.node.SecretStore;
import io.cairn.server.storage.database.ConnectionSource;
import io.cairn.server.storage.database.ReadConnections;
import io.cairn.server.storage.row.ChangeRow;
import io.cairn.server.storage.writer.StoreCommand;
import io.cairn.server.storage.writer.StoreWriter;
import io.cairn.server.storage.writer.WriteTransaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

public final class JdbcSecretStore implements SecretStore {

    private static final String SELECT = "SELECT value FROM cairn_secret WHERE name = ?";

    private final StoreWriter writer;
    private final ReadConnections readers;
    private final ConnectionSource source;

    /** @param source opens writable connections with a time limit of a few seconds, before the writer starts */
    public JdbcSecretStore(StoreWriter writer, ReadConnections readers, ConnectionSource source) {
        this.writer = writer;
        this.readers = readers;
        this.source = source;
    }

    @Override
    public Optional<String> get(String name) {
        return readers.with("reading a secret", connection -> {
            try (PreparedStatement select = connection.prepareStatement(SELECT)) {
                return get(select, name);
            }
        });
    }

    private static Optional<String> get(PreparedStatement select, String name) throws SQLException {
        select.setString(1, name);
        try (ResultSet rows = select.executeQuery()) {
            return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
        }
    }

    @Override
    public String putIfAbsent(String name, String secret) {
        Optional<String> stored = get(name);
        if (stored.isPresent()) {
            return stored.get();
        }
        try (Connection connection = source.open()) {
            return insert(connection, name, secret);
        } catch (SQLException e) {
            throw new CairnException(
                    ErrorCode.UNAVAILABLE,
                    "The database failed while storing a secret: "
                            + readers.dialect().explain(e),
                    e);
        }
    }

    private String insert(Connection connection, String name, String secret) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO cairn_secret (name, value, changed_at)"
                + " VALUES (?, ?, " + readers.dialect().nowMillis() + ")")) {
            insert.setString(1, name);
            insert.setString(2, secret);
            insert.executeUpdate();
            return secret;
        } catch (SQLException e) {
            if (!readers.dialect().isDuplicateKey(e)) {
                throw e;
            }
        }
        try (PreparedStatement select = connection.prepareStatement(SELECT)) {
            return get(select, name).orElseThrow(() -> new SQLException("the row '" + name + "' has been deleted"));
        }
    }

    @Override
    public CompletionStage<String> replace(String name, UnaryOperator<String> change) {
        return writer.submit(new Replace(name, change));
    }

    private record Replace(String name, UnaryOperator<String> change) implements StoreCommand<String> {

        @Override
        public String execute(WriteTransaction transaction) throws SQLException {
            String before = get(transaction.prepared(SELECT), name)
                    .orElseThrow(() -> new CairnException(
                            ErrorCode.NOT_FOUND, "The table cairn_secret has no row '" + name + "'"));
            String now = change.apply(before);
            PreparedStatement update =
                    transaction.prepared("UPDATE cairn_secret SET value = ?, changed_at = ? WHERE name = ?");
            update.setString(1, now);
            update.setLong(2, transaction.nowMillis());
            update.setString(3, name);
            update.executeUpdate();
            ChangeRow.insertSecret(transaction, name);
            return now;
        }

        @Override
        public void committed(String result) {}

        @Override
        public void announce(String result) {}

        @Override
        public int weightBytes() {
            return 512;
        }

        /** Without possible secrets. */
        @Override
        public String toString() {
            return "Replace[" + name + ']';
        }
    }
}
