package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.SQLException;

/** Where everything lasting is kept. Thread-safe. */
public interface Database extends AutoCloseable {

    /** How it differs from others. */
    Dialect dialect();

    /** A connection for the one writer. */
    Connection openWriter() throws SQLException;

    /**
     * A connection of its own for small statements that do not wait for the one writer: opening it and each of its statements
     * fails after 2 s.
     */
    Connection openBrief() throws SQLException;

    /** A connection that can only read, and sees the last commit at each statement. */
    Connection openReader() throws SQLException;

    /** Connections that read; to be closed before the database. */
    ReadConnections readers();

    /** Ends what is open; does nothing the second time. */
    @Override
    void close();
}
