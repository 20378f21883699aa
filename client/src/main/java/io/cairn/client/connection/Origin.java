package io.cairn.client.connection;

/** The source of a value. */
public enum Origin {
    /** A response or push from a server to this process. */
    SERVER,
    /** A snapshot file with an earlier response, used because no server could be reached. */
    SNAPSHOT
}
