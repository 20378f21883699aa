package io.cairn.server.mesh;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of the mesh edge: one stream of a proxy or of a gRPC library.
 *
 * @param id of the stream
 * @param nodeId by which the client names itself
 * @param nodeCluster of the client; empty when it names none
 * @param address of the client, with port
 * @param server the node of Cairn that has the stream, {@code host:port} of HTTP
 * @param agent name and version of its software
 * @param flavour {@code envoy}, {@code grpc} or {@code mosn}
 * @param protocol {@code sotw} or {@code delta}
 * @param user by whose rights it reads; empty without login
 * @param tag by which gray rules choose it; empty when it has none
 * @param connectedAt in ms
 * @param state the worst of its types: {@code refusing}, {@code waiting}, {@code starting} or {@code current}
 * @param hostNames instances that it does not get because their address is a host name
 * @param newest whether it has acknowledged the newest version of the resource that was asked for; null when none was
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
        List<MeshProxyType> types) {

    /** The states, the worst first. */
    public static final List<String> STATES = List.of("refusing", "waiting", "starting", "current");

    public MeshProxy {
        types = List.copyOf(types);
    }

    /**
     * One type of resources of a client.
     *
     * @param type {@code cds}, {@code eds}, {@code lds} or {@code rds}
     * @param names how many names it asks for
     * @param resources that it gets now
     * @param sentVersion the revision sent last; empty before the first response
     * @param acknowledgedVersion the revision acknowledged last; empty before
     * @param error why it refused the last response, in its own words; null when it did not
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

    /** The type of that short name; null when the client does not subscribe to it. */
    public @Nullable MeshProxyType type(String shortName) {
        for (MeshProxyType each : types) {
            if (each.type().equals(shortName)) {
                return each;
            }
        }
        return null;
    }

    /** The worse one of two states. */
    public static String worse(String one, String other) {
        return STATES.indexOf(one) <= STATES.indexOf(other) ? one : other;
    }
}
