package io.cairn.server.storage;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections to one database. */
@FunctionalInterface
public interface ConnectionSource {

    Connection open() throws SQLException;
}
