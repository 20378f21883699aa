/**
 * Requests of clients without a connection, passed to the node that owns the client; and the walks that move clients and checks to other
 * nodes when the members change. Knows neither the transport nor the copies of {@code cluster.replication}.
 *
 * <p>Locks: those of {@link io.cairn.server.cluster.routing.BeatNotices} and {@link io.cairn.server.cluster.routing.RebalancePasses} are
 * leaves.
 */
@NullMarked
package io.cairn.server.cluster.routing;

import org.jspecify.annotations.NullMarked;
