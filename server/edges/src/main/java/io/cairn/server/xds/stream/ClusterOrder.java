package io.cairn.server.xds.stream;

import io.cairn.server.xds.view.DiscoveryResponse;
import io.cairn.server.xds.view.ViewState;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends clusters before the endpoints that they wait for, and both before the listeners and routes that name them. For the event
 * loop of its stream.
 */
final class ClusterOrder {

    /** The longest wait of listeners and routes for the endpoints of new clusters. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Awaited endpoints of clusters sent before the first subscription to endpoints. */
    private Set<String> warming = Set.of();
    /** Unacknowledged endpoints of new clusters. */
    private Set<String> fresh = Set.of();
    /** The begin of the wait of listeners and routes, also a vain one, for the last response; else 0. */
    private long waitingSinceNanos;

    /**
     * A response with clusters was sent. A changed cluster warms again, and waits for endpoints that the client does not request.
     */
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

    /** The endpoints due with the first subscription to endpoints. */
    Set<String> takeWarming() {
        Set<String> taken = warming;
        warming = Set.of();
        return taken;
    }

    /** The remaining wait of listeners and routes for clusters and endpoints, or 0. */
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
