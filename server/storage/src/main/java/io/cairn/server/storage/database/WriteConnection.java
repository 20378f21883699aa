package io.cairn.server.storage.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The writer's connection with prepared statements and its session's limit. */
public final class WriteConnection implements AutoCloseable {

    /** For the database's answer that the session lasts. */
    private static final int ANSWER_SECONDS = 2;

    private static final Logger log = LoggerFactory.getLogger(WriteConnection.class);

    private final KeptStatements statements;
    private SessionLimit limit = SessionLimit.NONE;
    private long usedNanos = System.nanoTime();

    public WriteConnection(Connection connection) {
        this.statements = new KeptStatements(connection);
    }

    public Connection jdbc() {
        return statements.jdbc();
    }

    public PreparedStatement prepared(String sql) throws SQLException {
        return statements.prepared(sql);
    }

    /** Sets the limit of the unused session. */
    public void limit(SessionLimit until) {
        limit = until;
    }

    public SessionLimit limit() {
        return limit;
    }

    /** A statement is about to run. */
    public void used() {
        usedNanos = System.nanoTime();
    }

    /** The time until the session must be used, at least 1; 0 without a limit. */
    public long nanosToUse() {
        long every = limit.useEvery().toNanos();
        return every == 0 ? 0 : Math.max(1, usedNanos + every - System.nanoTime());
    }

    /** Uses the session; false when it has ended, or the database is silent. */
    public boolean isAlive() {
        used();
        try {
            return jdbc().isValid(ANSWER_SECONDS);
        } catch (SQLException e) {
            log.debug("The session of the writer cannot be used", e);
            return false;
        }
    }

    @Override
    public void close() throws SQLException {
        statements.close();
    }
}
