package io.cairn.benchmark.bare;

import com.google.protobuf.Duration;
import io.cairn.benchmark.wire.NamingMessages;
import io.envoyproxy.controlplane.cache.v3.SimpleCache;
import io.envoyproxy.controlplane.cache.v3.Snapshot;
import io.envoyproxy.controlplane.server.DefaultExecutorGroup;
import io.envoyproxy.controlplane.server.V3DiscoveryServer;
import io.envoyproxy.controlplane.server.serializer.CachedProtoResourcesSerializer;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.type.v3.Percent;
import io.grpc.ServerServiceDefinition;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bare server with java-control-plane as its mesh edge, to compare with: one snapshot for all nodes, made of the services that are
 * registered. It keeps the messages of what has not changed and has each encoded once, the best that the library offers.
 */
public final class JavaControlPlane {

    private static final String ALL_NODES = "all";
    private static final Pattern ADDRESS = Pattern.compile("\"ip\":\"([^\"]+)\",\"port\":(\\d+)");

    private final SimpleCache<String> cache = new SimpleCache<>(node -> ALL_NODES);
    private final Map<String, Cluster> clusters = new LinkedHashMap<>();
    private final Map<String, ClusterLoadAssignment> endpoints = new LinkedHashMap<>();
    private long clustersVersion;
    private long endpointsVersion;

    private JavaControlPlane(BareNaming naming) {
        naming.follow(this::changed);
    }

    /** @param httpPort 0 for a free one whose gRPC port, 1000 above, is free too */
    public static BareServer start(int httpPort, int threads) throws IOException {
        return BareServer.start(httpPort, threads, naming -> new JavaControlPlane(naming).service());
    }

    /** Serves until its input ends; prints its port and process id. */
    public static void main(String[] arguments) throws IOException {
        try (BareServer server = start(Integer.parseInt(arguments[0]), 2)) {
            System.out.println("ready " + server.httpPort() + " pid "
                    + ProcessHandle.current().pid());
            System.out.flush();
            while (System.in.read() >= 0) {
                // The input carries nothing; its end says that the caller is done.
            }
        }
    }

    private ServerServiceDefinition service() {
        return new V3DiscoveryServer(List.of(), cache, new DefaultExecutorGroup(), new CachedProtoResourcesSerializer())
                .getAggregatedDiscoveryServiceImpl()
                .bindService();
    }

    private synchronized void changed(String service, List<String> instances) {
        String name = NamingMessages.GROUP + "@@" + service;
        endpointsVersion++;
        if (instances.isEmpty()) {
            clusters.remove(name);
            endpoints.remove(name);
            clustersVersion++;
        } else {
            endpoints.put(name, endpoints(name, instances));
            if (clusters.putIfAbsent(name, cluster(name)) == null) {
                clustersVersion++;
            }
        }
        cache.setSnapshot(
                ALL_NODES,
                Snapshot.create(
                        clusters.values(),
                        Long.toString(clustersVersion),
                        endpoints.values(),
                        Long.toString(endpointsVersion),
                        // One listener: the library does not answer a delta request that nothing belongs to.
                        List.of(Listener.newBuilder().setName("none").build()),
                        "1",
                        List.of(),
                        "1",
                        List.of(),
                        "1"));
    }

    private static Cluster cluster(String name) {
        ConfigSource ads = ConfigSource.newBuilder()
                .setAds(AggregatedConfigSource.getDefaultInstance())
                .setResourceApiVersion(ApiVersion.V3)
                .build();
        return Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.EDS)
                .setEdsClusterConfig(
                        Cluster.EdsClusterConfig.newBuilder().setEdsConfig(ads).setServiceName(name))
                .setConnectTimeout(Duration.newBuilder().setSeconds(1))
                .setCommonLbConfig(
                        Cluster.CommonLbConfig.newBuilder().setHealthyPanicThreshold(Percent.getDefaultInstance()))
                .build();
    }

    private static ClusterLoadAssignment endpoints(String name, List<String> instances) {
        LocalityLbEndpoints.Builder locality = LocalityLbEndpoints.newBuilder();
        for (String instance : instances) {
            Matcher address = ADDRESS.matcher(instance);
            if (!address.find()) {
                throw new IllegalArgumentException("no ip and port in " + instance);
            }
            SocketAddress socket = SocketAddress.newBuilder()
                    .setAddress(address.group(1))
                    .setPortValue(Integer.parseInt(address.group(2)))
                    .build();
            locality.addLbEndpoints(LbEndpoint.newBuilder()
                    .setHealthStatus(HealthStatus.HEALTHY)
                    .setEndpoint(Endpoint.newBuilder()
                            .setAddress(Address.newBuilder().setSocketAddress(socket))));
        }
        return ClusterLoadAssignment.newBuilder()
                .setClusterName(name)
                .addEndpoints(locality)
                .build();
    }
}
