package io.cairn.server.mesh;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A mesh client: a stream of a proxy or gRPC library, or its last refusal within ten minutes.
 *
 * @param id of the stream
 * @param nodeId of the client
 * @param nodeCluster of the client, or empty
 * @param address with port
 * @param server its node of Cairn, {@code host:port} of HTTP
 * @param agent name and version of its software
 * @param flavour {@code envoy}, {@code grpc} or {@code mosn}
 * @param protocol {@code sotw} or {@code delta}
 * @param user empty without login
 * @param tag of gray releases, or empty
 * @param connectedAt ms; of a refused client the time of the last refusal
 * @param state the worst of its types: {@code refusing}, {@code waiting}, {@code starting} or {@code current}; without a stream
 *     {@code unauthenticated}, {@code denied} or {@code refused}
 * @param hostNames instances left out for a host name as address
 * @param newest whether it has acknowledged the newest version of the requested resource, or null
 * @param reason of the server's refusal; null with a stream
 */
public record MeshProxy(
        String id,
        String nodeId,
        String nodeCluster,
        String address,
        String server,
        String agent,
        String flavour,
        String protocol,
        String namespaceId,
        String user,
        String tag,
        long connectedAt,
        String state,
        int hostNames,
        @Nullable Boolean newest,
        @Nullable String reason,
        List<MeshProxyType> types) {

    /** Worst first. */
    public static final List<String> STATES =
            List.of("unauthenticated", "denied", "refused", "refusing", "waiting", "starting", "current");

    public MeshProxy {
        types = List.copyOf(types);
    }

    /**
     * One type of a client's resources.
     *
     * @param type {@code cds}, {@code eds}, {@code lds} or {@code rds}
     * @param names number of requested ones
     * @param resources number of present ones
     * @param sentVersion last sent revision; empty before the first
     * @param acknowledgedVersion last acknowledged revision; empty before the first
     * @param error the client's text for a refused last response, or null
     * @param since of the state, in ms
     */
    public record MeshProxyType(
            String type,
            String typeUrl,
            boolean wildcard,
            int names,
            int resources,
            String sentVersion,
            String acknowledgedVersion,
            String state,
            @Nullable String error,
            long since) {}

    public boolean wasRefused() {
        return reason != null;
    }

    /** Null if the client does not subscribe to it. */
    public @Nullable MeshProxyType type(String shortName) {
        for (MeshProxyType each : types) {
            if (each.type().equals(shortName)) {
                return each;
            }
        }
        return null;
    }

    public static String worse(String one, String other) {
        return STATES.indexOf(one) <= STATES.indexOf(other) ? one : other;
    }
}
