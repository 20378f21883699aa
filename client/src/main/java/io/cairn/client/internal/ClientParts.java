package io.cairn.client.internal;

import io.cairn.api.config.Namespace;
import io.cairn.client.naming.EmptyLists;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The objects and settings that the parts of a client share.
 *
 * @param folder for snapshots; null for none
 * @param patience the timeout of an operation
 * @param emptyLists the treatment of a service that is reported without instances
 * @param hold how long its former instances are kept
 */
public record ClientParts(
        Namespace namespace,
        ServerLink link,
        Threads threads,
        @Nullable SnapshotFolder folder,
        Duration patience,
        EmptyLists emptyLists,
        Duration hold) {}
