package io.cairn.server.xds;

import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.ViewState;
import java.util.HashMap;
import java.util.Map;

/** The number of resources in subscriptions, counted once for streams that share them. For one list of proxies, on one thread. */
final class CoveredCounts {

    private final Map<Key, Count> known = new HashMap<>();

    /** Both are compared by identity. */
    private record Key(ViewState state, Subscription subscription) {}

    /** @param leftOut instances without endpoints because of a host name */
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
