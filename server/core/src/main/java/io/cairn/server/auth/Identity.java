package io.cairn.server.auth;

/** What came out of looking at somebody's credentials: a {@link Principal}, or the {@link Denial} of them. */
public sealed interface Identity permits Principal, Denial {}
