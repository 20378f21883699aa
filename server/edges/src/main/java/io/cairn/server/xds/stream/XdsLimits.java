package io.cairn.server.xds.stream;

import java.util.concurrent.TimeUnit;

/** The limits of one client's requests, which protect the server's memory. */
public final class XdsLimits {

    /** Of a stream's first request, which names the node. */
    static final long FIRST_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Of each text of the node, such as its id. */
    static final int MAX_NODE_TEXT_BYTES = 1_024;

    /** In {@code node.metadata.services}. */
    static final int MAX_SERVICES = 2_000;

    /** Of a resource's name. */
    static final int MAX_NAME_BYTES = 2_048;

    /** Of a subscription, unless the limit of clusters needs more. */
    static final int MAX_NAMES = 10_000;

    private static final long CLIENT_FACTOR = 10;

    /** Requests, and their bytes, before the client is admitted. */
    static final int MAX_HELD = 64;

    static final int MAX_HELD_BYTES = 1 << 20;

    /** How long an unacknowledged large response counts. */
    static final long BUDGET_NANOS = TimeUnit.SECONDS.toNanos(5);

    private XdsLimits() {}

    /** A wildcard client may name the endpoints of each cluster and of some subsets. */
    static int maxNames(int maxClusters) {
        return (int) Math.max(MAX_NAMES, Math.min(Integer.MAX_VALUE, 2L * maxClusters));
    }

    /** Of all streams of one client: names without a service take memory, too. */
    public static int maxNamesOfClient(int maxClusters) {
        return (int) Math.min(Integer.MAX_VALUE, CLIENT_FACTOR * maxNames(maxClusters));
    }

    /** A request exceeds a limit. */
    static final class ExceededException extends RuntimeException {

        /** @param seen in the client's words, such as {@code node.id} */
        ExceededException(String seen, long limit) {
            super(seen + " (limit: " + limit + ")", null, false, false);
        }
    }
}
