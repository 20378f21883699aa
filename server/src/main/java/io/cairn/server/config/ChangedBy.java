package io.cairn.server.config;

import org.jspecify.annotations.Nullable;

/** Who ordered a change: a user, where known, and the address it came from. */
public record ChangedBy(@Nullable String user, @Nullable String address) {}
