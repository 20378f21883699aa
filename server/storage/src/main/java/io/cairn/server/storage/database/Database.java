package io.cairn.server.storage.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

public interface Database extends AutoCloseable {

    Dialect dialect();

    Connection openWriter() throws SQLException;

    /** A connection beside the writer's for small statements: opening and each statement fail after 2 s. */
    Connection openBrief() throws SQLException;

    /** Read-only; each statement sees the last commit. */
    Connection openReader() throws SQLException;

    /** To be closed before the database. */
    ReadConnections readers();

    LeftOutRows leftOut();

    StoreDamage damage();

    /** Idempotent. */
    @Override
    void close();

    /** Tables that ignore case, with the remedy, if any. */
    default Optional<String> caselessTables() {
        return Optional.empty();
    }
}
