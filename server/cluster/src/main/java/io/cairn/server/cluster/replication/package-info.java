/**
 * Replication of the registry: each node numbers its own changes, and the others follow with a copy of what it owns. Knows neither the
 * transport nor threads, but for {@link io.cairn.server.cluster.replication.LaneThreads}.
 *
 * <p>Locks, in the order in which they are taken: a member and then the membership of {@link
 * io.cairn.server.cluster.replication.RegistryReplication}; a {@link io.cairn.server.cluster.replication.PeerCopy}; those of the
 * registry (publisher, service); those of {@link io.cairn.server.cluster.replication.OwnLog}, {@link
 * io.cairn.server.cluster.replication.RecentDeregistrations} and the queues of {@link
 * io.cairn.server.cluster.replication.PeerLane}, which are leaves.
 */
@NullMarked
package io.cairn.server.cluster.replication;

import org.jspecify.annotations.NullMarked;
