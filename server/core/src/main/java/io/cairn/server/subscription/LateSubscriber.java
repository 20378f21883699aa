package io.cairn.server.subscription;

import java.util.Comparator;

/**
 * A consumer without the present list of a service at a time limit.
 *
 * @param kind how it gets lists: {@code grpc}, {@code udp}, {@code http} or {@code xds}
 * @param clientId the connection's or HTTP client's id, or the id of the node over xDS
 * @param port 0 if unknown
 * @param agent name and version of its SDK
 * @param app as reported; over xDS the cluster of the node
 * @param clusters comma-separated names; empty for all
 * @param node the address of the server that it is connected to; empty for this one
 * @param reason its refusal, or empty
 */
public record LateSubscriber(
        String kind,
        String clientId,
        String ip,
        int port,
        String agent,
        String app,
        String clusters,
        String node,
        String reason) {

    public static final String GRPC = "grpc";
    public static final String UDP = "udp";
    public static final String HTTP = "http";
    public static final String XDS = "xds";

    public static final Comparator<LateSubscriber> BY_ADDRESS = Comparator.comparing(LateSubscriber::ip)
            .thenComparingInt(LateSubscriber::port)
            .thenComparing(LateSubscriber::kind)
            .thenComparing(LateSubscriber::clientId)
            .thenComparing(LateSubscriber::clusters);

    public static LateSubscriber of(String kind, Subscriber subscriber) {
        return new LateSubscriber(
                kind,
                subscriber.clientId(),
                subscriber.ip(),
                subscriber.port(),
                subscriber.agent(),
                subscriber.app(),
                subscriber.clusters(),
                "",
                "");
    }

    public LateSubscriber at(String server) {
        return new LateSubscriber(kind, clientId, ip, port, agent, app, clusters, server, reason);
    }
}
