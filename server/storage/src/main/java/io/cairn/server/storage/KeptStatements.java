package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection with its prepared statements, each prepared once. Used by one thread at a time. */
final class KeptStatements implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    KeptStatements(Connection connection) {
        this.connection = connection;
    }

    Connection jdbc() {
        return connection;
    }

    PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        // The driver of SQLite closes a statement that has failed in certain ways.
        if (known == null || known.isClosed()) {
            known = connection.prepareStatement(sql);
            statements.put(sql, known);
        }
        return known;
    }

    @Override
    public void close() throws SQLException {
        // Closing the connection closes its statements.
        connection.close();
    }
}
