package io.cairn.api.wire.naming;

import org.jspecify.annotations.Nullable;

/** A service in the spelling of a client; not checked yet. */
public record ServiceName(
        @Nullable String namespace,
        @Nullable String serviceName,
        @Nullable String groupName) {}
