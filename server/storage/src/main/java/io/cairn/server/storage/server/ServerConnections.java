package io.cairn.server.storage.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Opens connections to one address, with the options that the store relies on whatever the URL says. */
public interface ServerConnections {

    ServerSettings.Source source();

    /** Rows that it reads under a lock are the newest, also within a transaction. */
    Connection openWriter() throws SQLException;

    /** As {@link #openWriter()}, with time-outs of 2 s, whatever the URL says. */
    Connection openBrief() throws SQLException;

    /** A connection for changes to the schema, which may take hours. */
    Connection openForSchema() throws SQLException;

    /** Of the driver, for connections that read. */
    Properties options();

    String sessionSettings();
}
