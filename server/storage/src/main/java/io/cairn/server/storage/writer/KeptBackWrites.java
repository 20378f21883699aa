package io.cairn.server.storage.writer;

import java.sql.SQLException;

/** Writes that a transaction keeps back, so that many are one statement. */
public interface KeptBackWrites {

    /** Precedes every other statement of the transaction. */
    void settle() throws SQLException;
}
