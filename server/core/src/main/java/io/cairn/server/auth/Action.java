package io.cairn.server.auth;

/** What somebody wants to do with a resource. */
public enum Action {
    READ,
    WRITE
}
