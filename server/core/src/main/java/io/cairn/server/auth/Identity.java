package io.cairn.server.auth;

/** The result of checking credentials: a {@link Principal}, or a {@link Denial}. */
public sealed interface Identity permits Principal, Denial {}
