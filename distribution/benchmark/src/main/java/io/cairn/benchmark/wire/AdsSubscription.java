package io.cairn.benchmark.wire;

/**
 * The subscriptions of a proxy that sees some services, and its requests, shared by all proxies of a run: all clusters, the
 * endpoints of each by name, all listeners.
 */
public final class AdsSubscription {
    private static final int NODE_ID = 1;
    private static final int NODE_CLUSTER = 2;
    private static final int NODE_METADATA = 3;
    private static final int NODE_USER_AGENT_NAME = 6;
    private static final int NODE_USER_AGENT_VERSION = 7;

    private final boolean delta;
    private final int services;
    private final byte[] node;
    private final byte[] endpointNames;

    /**
     * @param delta whether it speaks the delta protocol; else state of the world
     * @param prefix of the services' names, which end with a hyphen and a number from 0 on
     */
    public AdsSubscription(boolean delta, String prefix, int services) {
        this.delta = delta;
        this.services = services;
        String scope = NamingMessages.GROUP + "@@" + prefix + "-";
        node = node(scope + "*").bytes();
        var names = new ProtoWriter();
        for (int i = 0; i < services; i++) {
            names.field(3, scope + i); // resource_names, and resource_names_subscribe of delta
        }
        endpointNames = names.bytes();
    }

    /** As Envoy describes itself, without its list of extensions; the scope is the control plane's own metadata. */
    private static ProtoWriter node(String scope) {
        var scopes = new ProtoWriter()
                .field(6, new ProtoWriter().field(1, new ProtoWriter().field(3, scope))); // list_value, string_value
        return new ProtoWriter()
                .field(NODE_ID, "benchmark")
                .field(NODE_CLUSTER, "benchmark")
                .field(
                        NODE_METADATA,
                        new ProtoWriter()
                                .field(1, new ProtoWriter().field(1, "services").field(2, scopes)))
                .field(NODE_USER_AGENT_NAME, "envoy")
                .field(NODE_USER_AGENT_VERSION, "benchmark");
    }

    boolean delta() {
        return delta;
    }

    int services() {
        return services;
    }

    String path() {
        return "/envoy.service.discovery.v3.AggregatedDiscoveryService/"
                + (delta ? "DeltaAggregatedResources" : "StreamAggregatedResources");
    }

    /** The first request of a stream: all clusters. Later ones leave out the node, as Envoy does where it is told so. */
    byte[] firstRequest() {
        return (delta
                        ? new ProtoWriter().field(1, node).field(2, ResourceKind.CLUSTERS.typeUrl())
                        : new ProtoWriter().field(2, node).field(4, ResourceKind.CLUSTERS.typeUrl()))
                .framed();
    }

    byte[] subscribe(ResourceKind kind) {
        byte[] names = kind == ResourceKind.ENDPOINTS ? endpointNames : new byte[0];
        return (delta
                        ? new ProtoWriter().field(2, kind.typeUrl()).raw(names)
                        : new ProtoWriter().raw(names).field(4, kind.typeUrl()))
                .framed();
    }

    /** In the state of the world each request repeats the names. */
    byte[] acknowledge(ResourceKind kind, byte[] version, byte[] nonce) {
        if (delta) {
            return new ProtoWriter().field(2, kind.typeUrl()).field(6, nonce).framed();
        }
        byte[] names = kind == ResourceKind.ENDPOINTS ? endpointNames : new byte[0];
        return new ProtoWriter()
                .field(1, version)
                .raw(names)
                .field(4, kind.typeUrl())
                .field(5, nonce)
                .framed();
    }
}
