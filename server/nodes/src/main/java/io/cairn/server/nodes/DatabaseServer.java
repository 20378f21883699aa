package io.cairn.server.nodes;

/** The process of a database, with data of its own. Not thread-safe. */
public interface DatabaseServer extends AutoCloseable {

    /** Starts a stopped or killed server with its data of before; returns when it accepts connections. */
    void start();

    /** Stops it in order; returns when it has ended. */
    void stop();

    /** SIGKILL; returns when it has ended. */
    void kill();

    /** @param schema a schema of MariaDB, a database of PostgreSQL */
    DatabaseAccess access(String schema);

    /** Ends the server, and deletes its data. */
    @Override
    void close();
}
