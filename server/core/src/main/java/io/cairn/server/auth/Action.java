package io.cairn.server.auth;

public enum Action {
    READ,
    WRITE
}
