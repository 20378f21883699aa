package io.cairn.server.xds;

import java.util.concurrent.TimeUnit;

/** The limits on the requests of one client, so that none can fill the memory of the server. */
final class XdsLimits {

    /** For the first request of a stream, which names the node. */
    static final long FIRST_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Bytes of each text that describes the node, such as its id. */
    static final int MAX_NODE_TEXT_BYTES = 1_024;

    /** Names and patterns in {@code node.metadata.services}. */
    static final int MAX_SERVICES = 2_000;

    /** Bytes of the name of a resource. */
    static final int MAX_NAME_BYTES = 2_048;

    /** Names of a subscription, unless the limit on clusters asks for more. */
    static final int MAX_NAMES = 10_000;

    private static final long VIEW_FACTOR = 10;

    /** Requests, and their bytes, that may come before the client is admitted. */
    static final int MAX_HELD = 64;

    static final int MAX_HELD_BYTES = 1 << 20;

    /** A large response counts for so long, unless it is acknowledged before. */
    static final long BUDGET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private XdsLimits() {}

    /** Names of a subscription: a client with all clusters may name the endpoints of each and of some subsets. */
    static int maxNames(int maxClusters) {
        return (int) Math.max(MAX_NAMES, Math.min(Integer.MAX_VALUE, 2L * maxClusters));
    }

    /** Names of one type in the subscriptions of all clients of one kind together: those that no service has take memory, too. */
    static int maxNamesOfView(int maxClusters) {
        return (int) Math.min(Integer.MAX_VALUE, VIEW_FACTOR * maxNames(maxClusters));
    }

    /** A request beyond one of the limits. */
    static final class ExceededException extends RuntimeException {

        /** @param seen in the client's words, such as {@code node.id} */
        ExceededException(String seen, long limit) {
            super(seen + " (limit: " + limit + ")", null, false, false);
        }
    }
}
