package io.cairn.server.storage.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** A connection with statements prepared once. For one thread at a time. */
public final class KeptStatements implements AutoCloseable {

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    KeptStatements(Connection connection) {
        this.connection = connection;
    }

    Connection jdbc() {
        return connection;
    }

    public PreparedStatement prepared(String sql) throws SQLException {
        PreparedStatement known = statements.get(sql);
        // SQLite's driver closes a statement after certain failures.
        if (known == null || known.isClosed()) {
            known = connection.prepareStatement(sql);
            statements.put(sql, known);
        }
        return known;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
