package io.cairn.client;

/** Where a value comes from. */
public enum Origin {
    /** A server has said so, in this process's life. */
    SERVER,
    /** No server could be asked; an earlier answer was kept in a file. */
    SNAPSHOT
}
