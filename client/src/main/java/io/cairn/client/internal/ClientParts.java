package io.cairn.client.internal;

import io.cairn.api.config.Namespace;
import io.cairn.client.naming.EmptyLists;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a client share.
 *
 * @param folder null for none
 * @param patience how long an operation may take
 * @param emptyLists what becomes of the instances of a service that is said to have none
 * @param hold for how long
 */
public record ClientParts(
        Namespace namespace,
        ServerLink link,
        Threads threads,
        @Nullable SnapshotFolder folder,
        Duration patience,
        EmptyLists emptyLists,
        Duration hold) {}
