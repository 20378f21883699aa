package io.cairn.server.xds.resource;

import com.google.protobuf.Any;
import com.google.protobuf.Message;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import com.google.protobuf.util.Durations;
import io.cairn.api.naming.Instance;
import io.envoyproxy.envoy.config.cluster.v3.Cluster;
import io.envoyproxy.envoy.config.core.v3.Address;
import io.envoyproxy.envoy.config.core.v3.AggregatedConfigSource;
import io.envoyproxy.envoy.config.core.v3.ApiVersion;
import io.envoyproxy.envoy.config.core.v3.ConfigSource;
import io.envoyproxy.envoy.config.core.v3.HealthStatus;
import io.envoyproxy.envoy.config.core.v3.Http2ProtocolOptions;
import io.envoyproxy.envoy.config.core.v3.Metadata;
import io.envoyproxy.envoy.config.core.v3.SocketAddress;
import io.envoyproxy.envoy.config.core.v3.TrafficDirection;
import io.envoyproxy.envoy.config.endpoint.v3.ClusterLoadAssignment;
import io.envoyproxy.envoy.config.endpoint.v3.Endpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LbEndpoint;
import io.envoyproxy.envoy.config.endpoint.v3.LocalityLbEndpoints;
import io.envoyproxy.envoy.config.listener.v3.ApiListener;
import io.envoyproxy.envoy.config.listener.v3.Filter;
import io.envoyproxy.envoy.config.listener.v3.FilterChain;
import io.envoyproxy.envoy.config.listener.v3.Listener;
import io.envoyproxy.envoy.config.route.v3.NonForwardingAction;
import io.envoyproxy.envoy.config.route.v3.Route;
import io.envoyproxy.envoy.config.route.v3.RouteAction;
import io.envoyproxy.envoy.config.route.v3.RouteConfiguration;
import io.envoyproxy.envoy.config.route.v3.RouteMatch;
import io.envoyproxy.envoy.config.route.v3.VirtualHost;
import io.envoyproxy.envoy.extensions.filters.http.router.v3.Router;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter;
import io.envoyproxy.envoy.extensions.filters.network.http_connection_manager.v3.Rds;
import io.envoyproxy.envoy.extensions.upstreams.http.v3.HttpProtocolOptions;
import io.envoyproxy.envoy.type.v3.Percent;
import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The resources of a service made with Envoy's generated classes, as plainly as possible, for services whose instances have
 * IPv4 addresses that differ. The bytes of {@link ServiceResources} are compared with these.
 */
final class GeneratedResources {

    private final List<Instance> hosts;
    private final Flavour flavour;
    private final String name;
    private final boolean weighted;

    GeneratedResources(ResourceName name, List<Instance> hosts, Flavour flavour) {
        this.name = name.toString();
        this.flavour = flavour;
        this.hosts = hosts.stream()
                .filter(Instance::enabled)
                .filter(one -> name.subset().entrySet().stream().allMatch(wanted -> wanted.getValue()
                        .equals(
                                wanted.getKey().equals("cluster")
                                        ? one.key().cluster()
                                        : one.metadata().get(wanted.getKey()))))
                .filter(one -> flavour == Flavour.ENVOY || one.healthy() && one.weight() > 0)
                .sorted(Comparator.comparing((Instance one) -> one.key().ip())
                        .thenComparing(one -> one.key().port()))
                .toList();
        this.weighted = this.hosts.stream()
                        .filter(one -> one.weight() > 0)
                        .map(GeneratedResources::hundredfold)
                        .distinct()
                        .count()
                > 1;
    }

    private static long hundredfold(Instance instance) {
        return instance.weight() > 0 ? Math.max(1, Math.round(instance.weight() * 100)) : 1;
    }

    private long weight(Instance instance) {
        long largest =
                hosts.stream().mapToLong(GeneratedResources::hundredfold).max().orElse(1);
        if (flavour == Flavour.MOSN && weighted) {
            return Math.max(1, Math.round(hundredfold(instance) * 100.0 / largest));
        }
        return weighted ? hundredfold(instance) : 1;
    }

    private static ConfigSource ads() {
        return ConfigSource.newBuilder()
                .setAds(AggregatedConfigSource.getDefaultInstance())
                .setResourceApiVersion(ApiVersion.V3)
                .build();
    }

    private static Any any(Message message) {
        return Any.pack(message);
    }

    Cluster cluster(long connectMillis, boolean http2) {
        Cluster.Builder cluster = Cluster.newBuilder()
                .setName(name)
                .setType(Cluster.DiscoveryType.EDS)
                .setEdsClusterConfig(Cluster.EdsClusterConfig.newBuilder()
                        .setEdsConfig(ads())
                        .setServiceName(name))
                .setConnectTimeout(Durations.fromMillis(connectMillis))
                .setCommonLbConfig(
                        Cluster.CommonLbConfig.newBuilder().setHealthyPanicThreshold(Percent.getDefaultInstance()));
        if (name.contains(":")) {
            cluster.setAltStatName(name.replace(':', '_'));
        }
        if (flavour == Flavour.MOSN && weighted) {
            cluster.setLbPolicy(Cluster.LbPolicy.LEAST_REQUEST);
        }
        if (http2) {
            cluster.putTypedExtensionProtocolOptions(
                    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
                    any(HttpProtocolOptions.newBuilder()
                            .setExplicitHttpConfig(HttpProtocolOptions.ExplicitHttpConfig.newBuilder()
                                    .setHttp2ProtocolOptions(Http2ProtocolOptions.getDefaultInstance()))
                            .build()));
        }
        return cluster.build();
    }

    ClusterLoadAssignment endpoints(List<String> metadataKeys) {
        ClusterLoadAssignment.Builder all = ClusterLoadAssignment.newBuilder().setClusterName(name);
        Map<String, List<Instance>> places = hosts.stream()
                .collect(Collectors.groupingBy(
                        one -> place(one).getRegion() + "\0" + place(one).getZone() + "\0"
                                + place(one).getSubZone(),
                        TreeMap::new,
                        Collectors.toList()));
        for (List<Instance> together : places.values()) {
            LocalityLbEndpoints.Builder locality = LocalityLbEndpoints.newBuilder()
                    .setLocality(place(together.get(0)))
                    .setLoadBalancingWeight(UInt32Value.of(
                            (int) together.stream().mapToLong(this::weight).sum()));
            for (Instance instance : together) {
                locality.addLbEndpoints(endpoint(instance, metadataKeys));
            }
            all.addEndpoints(locality);
        }
        return all.build();
    }

    private io.envoyproxy.envoy.config.core.v3.Locality place(Instance instance) {
        var place = io.envoyproxy.envoy.config.core.v3.Locality.newBuilder();
        String region = instance.metadata().get("region");
        String zone = instance.metadata().get("zone");
        if (region != null) {
            place.setRegion(region);
        }
        if (zone != null) {
            place.setZone(zone);
        }
        if (region == null && zone == null && !instance.key().cluster().equals("DEFAULT")) {
            place.setZone(instance.key().cluster());
        }
        if (flavour == Flavour.GRPC && weighted) {
            place.setSubZone("w"
                    + BigDecimal.valueOf(hundredfold(instance), 2)
                            .stripTrailingZeros()
                            .toPlainString());
        }
        return place.build();
    }

    private LbEndpoint endpoint(Instance instance, List<String> metadataKeys) {
        LbEndpoint.Builder endpoint = LbEndpoint.newBuilder()
                .setEndpoint(Endpoint.newBuilder()
                        .setAddress(Address.newBuilder()
                                .setSocketAddress(SocketAddress.newBuilder()
                                        .setAddress(instance.key().ip())
                                        .setPortValue(instance.key().port()))))
                .setHealthStatus(
                        instance.weight() <= 0
                                ? HealthStatus.DRAINING
                                : instance.healthy() ? HealthStatus.HEALTHY : HealthStatus.UNHEALTHY);
        if (weighted) {
            endpoint.setLoadBalancingWeight(UInt32Value.of((int) weight(instance)));
        }
        Struct.Builder fields = Struct.newBuilder();
        for (String key : metadataKeys) {
            String value = instance.metadata().get(key);
            if (value != null) {
                fields.putFields(key, Value.newBuilder().setStringValue(value).build());
            }
        }
        if (fields.getFieldsCount() > 0) {
            endpoint.setMetadata(Metadata.newBuilder().putFilterMetadata("envoy.lb", fields.build()));
        }
        return endpoint.build();
    }

    static Listener listener(String name) {
        HttpConnectionManager manager = HttpConnectionManager.newBuilder()
                .setStatPrefix(name)
                .setRds(Rds.newBuilder().setConfigSource(ads()).setRouteConfigName(name))
                .addHttpFilters(HttpFilter.newBuilder()
                        .setName("envoy.filters.http.router")
                        .setTypedConfig(any(Router.getDefaultInstance())))
                .build();
        return Listener.newBuilder()
                .setName(name)
                .setApiListener(ApiListener.newBuilder().setApiListener(any(manager)))
                .build();
    }

    static Listener serverListener(String name, String address, int port) {
        HttpConnectionManager manager = HttpConnectionManager.newBuilder()
                .setStatPrefix("inbound")
                .setRouteConfig(RouteConfiguration.newBuilder()
                        .setName("inbound")
                        .addVirtualHosts(VirtualHost.newBuilder()
                                .setName("inbound")
                                .addDomains("*")
                                .addRoutes(Route.newBuilder()
                                        .setMatch(RouteMatch.newBuilder().setPrefix(""))
                                        .setNonForwardingAction(NonForwardingAction.getDefaultInstance()))))
                .addHttpFilters(HttpFilter.newBuilder()
                        .setName("envoy.filters.http.router")
                        .setTypedConfig(any(Router.getDefaultInstance())))
                .build();
        return Listener.newBuilder()
                .setName(name)
                .setAddress(Address.newBuilder()
                        .setSocketAddress(
                                SocketAddress.newBuilder().setAddress(address).setPortValue(port)))
                .addFilterChains(FilterChain.newBuilder()
                        .setName("inbound")
                        .addFilters(Filter.newBuilder()
                                .setName("envoy.filters.network.http_connection_manager")
                                .setTypedConfig(any(manager))))
                .setTrafficDirection(TrafficDirection.INBOUND)
                .build();
    }

    static RouteConfiguration route(String name) {
        return RouteConfiguration.newBuilder()
                .setName(name)
                .addVirtualHosts(VirtualHost.newBuilder()
                        .setName(name)
                        .addDomains("*")
                        .addRoutes(Route.newBuilder()
                                .setMatch(RouteMatch.newBuilder().setPrefix(""))
                                .setRoute(RouteAction.newBuilder().setCluster(name))))
                .build();
    }
}
