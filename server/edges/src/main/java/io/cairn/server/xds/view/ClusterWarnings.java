package io.cairn.server.xds.view;

import io.cairn.server.xds.resource.ViewKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs when wildcard clients' clusters come near the limit, and when they pass it: one line for each namespace and scope, until
 * they are below {@value #AGAIN_PERCENT} % again. For the mesh thread.
 */
public final class ClusterWarnings {

    /** The begin of "near". */
    static final int NEAR_PERCENT = 80;

    private static final int AGAIN_PERCENT = 70;
    private static final int MAX_KEPT = 1_000;
    private static final int MAX_NAMES = 5;

    private static final Logger log = LoggerFactory.getLogger(ClusterWarnings.class);

    private final Map<Key, Level> logged = new HashMap<>();

    /** The nodes of several views with the same clusters. */
    private record Key(String namespaceId, @Nullable List<String> scope) {}

    private enum Level {
        NEAR,
        BEYOND
    }

    static boolean isNear(long clusters, long most) {
        return clusters * 100 >= most * NEAR_PERCENT;
    }

    /** @param beyond clusters beyond the limit, in order */
    public void noted(ViewKey view, int clusters, int most, List<String> beyond) {
        Key key = new Key(view.namespace().id(), view.scope());
        if (clusters * 100L < (long) most * AGAIN_PERCENT) {
            logged.remove(key);
            return;
        }
        Level level = !beyond.isEmpty() ? Level.BEYOND : isNear(clusters, most) ? Level.NEAR : null;
        Level before = logged.get(key);
        if (level == null || before != null && before.compareTo(level) >= 0) {
            return;
        }
        if (logged.size() >= MAX_KEPT) {
            logged.clear();
        }
        logged.put(key, level);
        if (level == Level.NEAR) {
            log.warn(
                    "Mesh clients of the namespace '{}' that ask for all clusters get {} of at most {} (cairn.xds.max-clusters);"
                            + " beyond that, new clients lack the last services by name: raise the limit, or set"
                            + " node.metadata.services of the clients to the services that they need",
                    view.namespace(),
                    clusters,
                    most);
        } else {
            log.warn(
                    "Mesh clients of the namespace '{}' that ask for all clusters get {} of {} (cairn.xds.max-clusters): new"
                            + " clients lack {}; connected ones keep what they have. Raise the limit, or set"
                            + " node.metadata.services of the clients to the services that they need",
                    view.namespace(),
                    most,
                    clusters,
                    shown(beyond));
        }
    }

    /** The first names, and the number of the others. */
    public static String shown(List<String> names) {
        if (names.size() <= MAX_NAMES) {
            return String.join(", ", names);
        }
        return String.join(", ", names.subList(0, MAX_NAMES)) + " and " + (names.size() - MAX_NAMES) + " more";
    }
}
