package io.cairn.server.auth;

/** The result of a check of credentials. */
public sealed interface Identity permits Principal, Denial {}
