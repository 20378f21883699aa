package io.cairn.server.xds.resource;

import io.cairn.api.naming.Instance;
import io.cairn.server.naming.GroupedName;
import io.cairn.server.naming.view.ServiceView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Encodes a service for clients: cluster, endpoints, and for {@code xds:///} an API listener with a route. The messages of Envoy's
 * API are written by hand; a test compares them with generated classes.
 *
 * <p>A message is written from its end, so the last field is first in each method.
 */
public final class ServiceResources {

    private static final String HTTP_PROTOCOL_OPTIONS = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
    private static final String CONNECTION_MANAGER =
            "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
    private static final String ROUTER = "envoy.extensions.filters.http.router.v3.Router";
    /** The filter metadata of load balancers. */
    private static final String LB_METADATA = "envoy.lb";

    private static final String ROUTER_FILTER = "envoy.filters.http.router";
    private static final String INBOUND = "inbound";

    private static final int EDS = 3;
    private static final int LEAST_REQUEST = 1;
    private static final int API_V3 = 2;
    private static final int TRAFFIC_INBOUND = 1;

    private final LocalityKeys localityKeys;

    /**
     * @param localityKeys of region and zone
     * @throws IllegalArgumentException for other than two keys
     */
    public ServiceResources(List<String> localityKeys) {
        this.localityKeys = LocalityKeys.of(localityKeys);
    }

    /**
     * For MOSN it depends on the instances' weights.
     *
     * @param view with all clusters and unhealthy instances, as seen from the client's address
     */
    public Resource cluster(ResourceName name, ServiceView view, Flavour flavour) {
        return cluster(name, view.hosts(), view.snapshot().settings().metadata(), flavour);
    }

    public Resource cluster(
            ResourceName name, List<Instance> hosts, Map<String, String> serviceMetadata, Flavour flavour) {
        boolean leastRequest = flavour == Flavour.MOSN
                && EndpointSelection.of(name, hosts, List.of(), flavour, localityKeys)
                        .isWeighted();
        ServiceOptions options = ServiceOptions.of(serviceMetadata);
        String text = name.toString();
        ProtoWriter out = new ProtoWriter(128 + text.length() * 3);
        if (options.http2()) {
            int entry = out.length();
            int any = out.length();
            int value = out.length();
            int explicit = out.length();
            out.empty(2); // http2_protocol_options
            out.end(3, explicit); // explicit_http_config
            endAny(out, HTTP_PROTOCOL_OPTIONS, value);
            out.end(2, any); // the value of the map's entry
            out.text(1, HTTP_PROTOCOL_OPTIONS); // its key
            out.end(36, entry); // typed_extension_protocol_options
        }
        if (text.indexOf(':') >= 0) {
            out.text(28, text.replace(':', '_')); // alt_stat_name
        }
        int common = out.length();
        out.empty(1); // healthy_panic_threshold 0 %: the service's protection threshold decides
        out.end(27, common); // common_lb_config
        out.number(6, leastRequest ? LEAST_REQUEST : 0); // lb_policy
        duration(out, 4, options.connectTimeout());
        int eds = out.length();
        out.text(2, text); // service_name
        aggregatedSource(out, 1); // eds_config
        out.end(3, eds); // eds_cluster_config
        out.presentNumber(2, EDS); // type
        out.text(1, text);
        return Resource.of(XdsType.CDS, text, out.toBytes());
    }

    /** @param view with all clusters and unhealthy instances, as seen from the client's address */
    public Resource endpoints(ResourceName name, ServiceView view, Flavour flavour) {
        return endpoints(
                name, view.hosts(), view.drained(), view.snapshot().settings().metadata(), flavour);
    }

    /** @param drained not in the list; sent as draining where the client knows that state */
    public Resource endpoints(
            ResourceName name,
            List<Instance> hosts,
            List<Instance> drained,
            Map<String, String> serviceMetadata,
            Flavour flavour) {
        String text = name.toString();
        EndpointSelection selection = EndpointSelection.of(name, hosts, drained, flavour, localityKeys);
        List<String> metadataKeys = ServiceOptions.of(serviceMetadata).metadataKeys();
        ProtoWriter out = new ProtoWriter(64 + text.length() + selection.size() * 48);
        List<Map.Entry<Locality, List<EndpointSelection.Endpoint>>> localities =
                new ArrayList<>(selection.byLocality());
        for (int i = localities.size() - 1; i >= 0; i--) {
            locality(out, localities.get(i).getKey(), localities.get(i).getValue(), selection, flavour, metadataKeys);
        }
        out.text(1, text); // cluster_name
        return Resource.of(XdsType.EDS, text, out.toBytes());
    }

    /** The instances left out for a host name or port 0. */
    public int hostNames(ServiceView view) {
        int count = 0;
        for (Instance instance : view.hosts()) {
            count += EndpointSelection.isAddressed(instance) ? 0 : 1;
        }
        return count;
    }

    private static void locality(
            ProtoWriter out,
            Locality locality,
            List<EndpointSelection.Endpoint> endpoints,
            EndpointSelection selection,
            Flavour flavour,
            List<String> metadataKeys) {
        int all = out.length();
        long sum = 0;
        for (EndpointSelection.Endpoint endpoint : endpoints) {
            // gRPC has no endpoint's share, so a drained one must not raise its locality's.
            sum += flavour == Flavour.GRPC && endpoint.health == EndpointSelection.DRAINING ? 0 : endpoint.weight();
        }
        wrapped(out, 3, sum); // load_balancing_weight: gRPC ignores a locality without it
        for (int i = endpoints.size() - 1; i >= 0; i--) {
            endpoint(out, endpoints.get(i), selection.isWeighted(), metadataKeys);
        }
        int place = out.length();
        out.text(3, locality.subZone());
        out.text(2, locality.zone());
        out.text(1, locality.region());
        out.end(1, place); // locality: gRPC refuses endpoints without it, even if empty
        out.end(2, all); // endpoints
    }

    private static void endpoint(
            ProtoWriter out, EndpointSelection.Endpoint endpoint, boolean weighted, List<String> metadataKeys) {
        int all = out.length();
        if (weighted) {
            wrapped(out, 4, endpoint.weight()); // load_balancing_weight
        }
        metadata(out, endpoint.metadata, metadataKeys);
        out.number(2, endpoint.health); // health_status
        int inner = out.length();
        int address = out.length();
        int socket = out.length();
        out.presentNumber(3, endpoint.port); // port_value
        out.text(2, endpoint.address);
        out.end(1, socket); // socket_address
        out.end(1, address); // address
        out.end(1, inner); // endpoint
        out.end(2, all); // lb_endpoints
    }

    private static void metadata(ProtoWriter out, Map<String, String> metadata, List<String> keys) {
        int all = out.length();
        int entry = out.length();
        int fields = out.length();
        for (int i = keys.size() - 1; i >= 0; i--) {
            String value = metadata.get(keys.get(i));
            if (value != null) {
                int field = out.length();
                int inner = out.length();
                out.presentText(3, value); // string_value
                out.end(2, inner); // the value of the map's entry
                out.text(1, keys.get(i)); // its key
                out.end(1, field); // fields
            }
        }
        if (out.length() > fields) {
            out.end(2, fields); // the value of the map's entry
            out.text(1, LB_METADATA); // its key
            out.end(1, entry); // filter_metadata
            out.end(3, all); // metadata
        }
    }

    /** For a name without a service. */
    public Resource unknownEndpoints(String name) {
        ProtoWriter out = new ProtoWriter(8 + name.length());
        out.text(1, name); // cluster_name
        return Resource.of(XdsType.EDS, name, out.toBytes());
    }

    /**
     * The API listener of {@code xds:///name}, with a route of the service's name.
     *
     * @param name requested, in either form of the {@linkplain GroupedName group}
     */
    public Resource listener(String name, ResourceName service) {
        String route = service.toString();
        ProtoWriter out = new ProtoWriter(256 + name.length() + route.length() * 2);
        int api = out.length();
        int any = out.length();
        int manager = out.length();
        router(out);
        int rds = out.length();
        out.text(2, route); // route_config_name
        aggregatedSource(out, 1); // config_source
        out.end(3, rds); // rds
        out.text(2, route); // stat_prefix
        endAny(out, CONNECTION_MANAGER, manager);
        out.end(1, any); // api_listener
        out.end(19, api); // api_listener
        out.text(1, name);
        return Resource.of(XdsType.LDS, name, out.toBytes());
    }

    /** The only HTTP filter. */
    private static void router(ProtoWriter out) {
        int filter = out.length();
        int config = out.length();
        endAny(out, ROUTER, out.length());
        out.end(4, config); // typed_config
        out.text(1, ROUTER_FILTER);
        out.end(5, filter); // http_filters
    }

    /** A gRPC server's listener: plain text, all calls to the server's own handlers. */
    Resource serverListener(String name, ServerListenerName listening) {
        ProtoWriter out = new ProtoWriter(384 + name.length());
        out.number(16, TRAFFIC_INBOUND); // traffic_direction
        int chain = out.length();
        out.text(7, INBOUND); // name
        int filter = out.length();
        int any = out.length();
        int manager = out.length();
        router(out);
        int routes = out.length();
        int host = out.length();
        int route = out.length();
        out.empty(18); // non_forwarding_action
        int match = out.length();
        out.presentText(1, ""); // prefix
        out.end(1, match); // match
        out.end(3, route); // routes
        out.text(2, "*"); // domains
        out.text(1, INBOUND);
        out.end(2, host); // virtual_hosts
        out.text(1, INBOUND);
        out.end(4, routes); // route_config
        out.text(2, INBOUND); // stat_prefix
        endAny(out, CONNECTION_MANAGER, manager);
        out.end(4, any); // typed_config
        out.text(1, "envoy.filters.network.http_connection_manager");
        out.end(3, filter); // filters
        out.end(3, chain); // filter_chains
        int address = out.length();
        int socket = out.length();
        out.presentNumber(3, listening.port()); // port_value
        out.text(2, listening.address());
        out.end(1, socket); // socket_address
        out.end(2, address); // address
        out.text(1, name);
        return Resource.of(XdsType.LDS, name, out.toBytes());
    }

    /** The route of {@code xds:///name}: all requests to the cluster of that name. */
    public Resource route(ResourceName service) {
        String name = service.toString();
        ProtoWriter out = new ProtoWriter(64 + name.length() * 3);
        int host = out.length();
        int route = out.length();
        int action = out.length();
        out.presentText(1, name); // cluster
        out.end(2, action); // route
        int match = out.length();
        out.presentText(1, ""); // prefix
        out.end(1, match); // match
        out.end(3, route); // routes
        out.text(2, "*"); // domains
        out.text(1, name);
        out.end(2, host); // virtual_hosts
        out.text(1, name);
        return Resource.of(XdsType.RDS, name, out.toBytes());
    }

    /** Ends an Any after its value; the caller ends its field. */
    private static void endAny(ProtoWriter out, String message, int before) {
        if (out.length() > before) {
            out.end(2, before); // value
        }
        out.text(1, "type.googleapis.com/" + message); // type_url
    }

    private static void aggregatedSource(ProtoWriter out, int field) {
        int source = out.length();
        out.number(6, API_V3); // resource_api_version
        out.empty(3); // ads
        out.end(field, source);
    }

    private static void duration(ProtoWriter out, int field, Duration duration) {
        int all = out.length();
        out.number(2, duration.getNano());
        out.number(1, duration.getSeconds());
        out.end(field, all);
    }

    /** A UInt32Value. */
    private static void wrapped(ProtoWriter out, int field, long value) {
        int all = out.length();
        out.number(1, value);
        out.end(field, all);
    }
}
