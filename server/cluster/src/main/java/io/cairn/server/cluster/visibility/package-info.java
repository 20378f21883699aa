/**
 * Publishes are answered when the other nodes show them: {@link io.cairn.server.cluster.visibility.ClusterBarrier} waits for the others, and
 * {@link io.cairn.server.cluster.visibility.RevisionExchange} carries the messages. The locks of both are leaves: nothing but the
 * timer is called with them held.
 */
@NullMarked
package io.cairn.server.cluster.visibility;

import org.jspecify.annotations.NullMarked;
