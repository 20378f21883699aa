package io.cairn.server.storage.database;

import java.sql.Connection;
import java.sql.SQLException;

@FunctionalInterface
public interface ConnectionSource {

    Connection open() throws SQLException;
}
