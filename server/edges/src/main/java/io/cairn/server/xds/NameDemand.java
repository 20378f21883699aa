package io.cairn.server.xds;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of one type that subscriptions of a view ask for. Used on the thread of the mesh. */
final class NameDemand {

    /** How many subscriptions ask for a name. */
    private final Map<String, Integer> names = new HashMap<>();
    /** How many subscriptions ask for all listed resources. */
    private int wildcards;

    boolean has(String name) {
        return names.containsKey(name);
    }

    /** Whether some subscription asks for all listed resources. */
    boolean isForAll() {
        return wildcards > 0;
    }

    /** Whether there are at most so many names with those of the subscription, or it brings none. */
    boolean hasRoomFor(Subscription subscription, int most) {
        int more = 0;
        for (String name : subscription.names()) {
            more += names.containsKey(name) ? 0 : 1;
        }
        return more == 0 || names.size() + more <= most;
    }

    /** Counts what the subscription asks for; returns the names that none asked for before. */
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

    /** Counts what the subscription asked for no longer; returns the names that none asks for now. */
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
