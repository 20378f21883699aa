package io.cairn.client.internal;

import io.cairn.api.config.Namespace;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The objects and settings that the parts of a client share.
 *
 * @param patience the timeout of an operation
 */
public record ClientParts(
        Namespace namespace,
        ServerLink link,
        Threads threads,
        @Nullable SnapshotFolder folder,
        Duration patience) {}
