package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.SQLException;

/** What differs between the databases, as far as the rest of the SQL cannot be the same text. */
public interface Dialect {

    /** Starts a transaction that no other writer can run beside. */
    void begin(Connection connection) throws SQLException;

    /** Makes it durable. */
    void commit(Connection connection) throws SQLException;

    /** Undoes it; does nothing when there is none. */
    void rollback(Connection connection) throws SQLException;

    /** Locks out other nodes' writers until the transaction ends, and returns the last revision given out. */
    long lockRevision(Connection connection) throws SQLException;

    /** Whether a unique key refused the row. */
    boolean isDuplicateKey(SQLException failure);

    /** Whether the connection, not the statement, is at fault, so that it must be opened anew. */
    boolean isConnectionFailure(SQLException failure);

    /** The failure's cause in a few words, with what to do about it where that is known. */
    String explain(SQLException failure);
}
