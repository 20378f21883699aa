package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The writer's connection with its prepared statements. */
final class WriteConnection implements AutoCloseable {

    private final KeptStatements statements;

    WriteConnection(Connection connection) {
        this.statements = new KeptStatements(connection);
    }

    Connection jdbc() {
        return statements.jdbc();
    }

    PreparedStatement prepared(String sql) throws SQLException {
        return statements.prepared(sql);
    }

    @Override
    public void close() throws SQLException {
        statements.close();
    }
}
