package io.cairn.server.xds;

import java.util.HashMap;
import java.util.Map;

/** How many resources subscriptions cover, counted once for all streams that share them. Used for one list of proxies, by one thread. */
final class CoveredCounts {

    private final Map<Key, Count> known = new HashMap<>();

    /** Both are compared by identity. */
    private record Key(ViewState state, Subscription subscription) {}

    /** @param leftOut instances that endpoints lack because their address is a host name */
    record Count(int resources, int leftOut) {}

    Count of(ViewState state, Subscription subscription) {
        return known.computeIfAbsent(new Key(state, subscription), CoveredCounts::counted);
    }

    private static Count counted(Key key) {
        int resources = 0;
        int leftOut = 0;
        for (TableEntry entry : key.state.table(key.subscription.type()).covered(key.subscription)) {
            resources++;
            leftOut += entry.found().leftOut();
        }
        return new Count(resources, leftOut);
    }
}
