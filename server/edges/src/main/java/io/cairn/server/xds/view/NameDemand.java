package io.cairn.server.xds.view;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of a type that a view's subscriptions request. For the mesh thread. */
final class NameDemand {

    private final Map<String, Integer> names = new HashMap<>();
    private int wildcards;

    boolean has(String name) {
        return names.containsKey(name);
    }

    boolean isForAll() {
        return wildcards > 0;
    }

    /** Counts a subscription; returns newly requested names. */
    Collection<String> add(Subscription subscription) {
        List<String> added = new ArrayList<>();
        for (String name : subscription.names()) {
            if (names.merge(name, 1, Integer::sum) == 1) {
                added.add(name);
            }
        }
        wildcards += subscription.isWildcard() ? 1 : 0;
        return added;
    }

    /** Removes a subscription; returns names without further requests. */
    Collection<String> remove(Subscription subscription) {
        List<String> gone = new ArrayList<>();
        for (String name : subscription.names()) {
            if (names.merge(name, -1, (present, less) -> present + less == 0 ? null : present + less) == null) {
                gone.add(name);
            }
        }
        wildcards -= subscription.isWildcard() ? 1 : 0;
        return gone;
    }
}
