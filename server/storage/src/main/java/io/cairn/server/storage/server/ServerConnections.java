package io.cairn.server.storage.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Opens connections to one address, with the options that the store relies on whatever the URL says. */
public interface ServerConnections {

    ServerSettings.Source source();

    /** Rows that it reads under a lock are the newest, also within a transaction. */
    Connection openWriter() throws SQLException;

    /** As {@link #openWriter()}, with time-outs of 2 s, whatever the URL says. */
    Connection openBrief() throws SQLException;

    /** A connection for changes to the schema, which may take hours. */
    Connection openForSchema() throws SQLException;

    /** For the driver, beside {@link #options()}. */
    default String url() {
        return source().url();
    }

    /** Of the driver, for connections that read. */
    Properties options();

    /** A statement for each new session, or null. */
    @Nullable
    String sessionSettings();
}
