package io.cairn.server.storage.postgresql;

import java.sql.SQLException;

/** The server is of another product, or its database cannot hold all texts. */
final class UnsupportedServerException extends SQLException {

    private static final long serialVersionUID = 1L;

    UnsupportedServerException(String message) {
        super(message);
    }
}
