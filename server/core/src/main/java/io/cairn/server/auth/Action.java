package io.cairn.server.auth;

/** The kinds of access to a resource. */
public enum Action {
    READ,
    WRITE
}
