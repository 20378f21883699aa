package io.cairn.server.storage.database;

import java.sql.SQLException;

/** Another transaction holds a lock for as long as a write may wait. The message names its session. */
public final class LockHeldException extends SQLException {

    private static final long serialVersionUID = 1L;

    public LockHeldException(String holder, SQLException cause) {
        super(holder, cause.getSQLState(), cause.getErrorCode(), cause);
    }
}
