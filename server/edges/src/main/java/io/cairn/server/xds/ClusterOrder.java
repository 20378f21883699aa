package io.cairn.server.xds;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Clusters before the endpoints that they wait for, and both before the listeners and routes that name them. Used on the event loop of
 * its stream.
 */
final class ClusterOrder {

    /** Listeners and routes wait at most for this long until a client has the endpoints of new clusters. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Endpoints that clusters wait for, of clusters that were sent before any endpoints were subscribed to. */
    private Set<String> warming = Set.of();
    /** Endpoints of new clusters that the client has not acknowledged yet. */
    private Set<String> fresh = Set.of();
    /** Since when listeners and routes wait, or have waited in vain for the last response; 0 when they do not. */
    private long waitingSinceNanos;

    /** A response with clusters was sent. A cluster that has changed warms anew, and waits for endpoints that nobody asks for. */
    void sent(TypeState clusters, @Nullable TypeState endpoints, DiscoveryResponse response) {
        if (endpoints != null) {
            endpoints.addDue(response.warming());
        } else {
            warming = joined(warming, response.warming());
        }
        waitingSinceNanos = 0;
        if (clusters.subscription().isWildcard()) {
            fresh = joined(fresh, response.added());
        }
    }

    /** The endpoints that are due with the first subscription to endpoints. */
    Set<String> takeWarming() {
        Set<String> taken = warming;
        warming = Set.of();
        return taken;
    }

    /** How long listeners and routes still wait for clusters and endpoints; 0 when they may be sent. */
    long waitNanos(@Nullable TypeState clusters, @Nullable TypeState endpoints, ViewState state, long nowNanos) {
        if (clusters == null || !clusters.subscription().isWildcard()) {
            return 0;
        }
        long left = 0;
        if (clusters.awaitsAnswer() || clusters.isFirst() || !fresh.isEmpty() && !hasFresh(endpoints, state)) {
            waitingSinceNanos = waitingSinceNanos == 0 ? nowNanos : waitingSinceNanos;
            left = Math.max(0, waitingSinceNanos + WAIT_NANOS - nowNanos);
        } else {
            waitingSinceNanos = 0;
        }
        if (left == 0) {
            fresh = Set.of();
        }
        return left;
    }

    /** Whether the client has acknowledged the endpoints of all new clusters. */
    private boolean hasFresh(@Nullable TypeState endpoints, ViewState state) {
        return endpoints != null
                && !endpoints.awaitsAnswer()
                && !endpoints.isFirst()
                && !endpoints.isPending(state)
                && endpoints.subscription().names().containsAll(fresh);
    }

    private static Set<String> joined(Set<String> some, Set<String> more) {
        if (some.isEmpty() || more.isEmpty()) {
            return some.isEmpty() ? more : some;
        }
        Set<String> all = new HashSet<>(some);
        all.addAll(more);
        return all;
    }
}
