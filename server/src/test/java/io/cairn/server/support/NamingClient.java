package io.cairn.server.support;

import io.cairn.api.wire.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A connection that publishes instances and subscribes to services, all of them in the default group. */
public final class NamingClient implements AutoCloseable {

    private final WireClient wire;

    public NamingClient(WireClient wire) {
        this.wire = wire;
    }

    public static NamingClient connect(CairnExtension cairn) {
        return new NamingClient(cairn.newClient());
    }

    public WireClient wire() {
        return wire;
    }

    /** Registers {@code ip:port}, and whatever else is given of the instance as JSON fields. */
    public JsonNode register(String service, String address, String... fields) {
        return instance("registerInstance", service, address, fields);
    }

    public JsonNode deregister(String service, String address) {
        return instance("deregisterInstance", service, address);
    }

    public JsonNode instance(String type, String service, String address, String... fields) {
        return wire.request(
                "InstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"" + type
                        + "\",\"instance\":" + json(address, fields) + '}');
    }

    /** Registers all of these together, and nothing else. */
    public JsonNode registerAll(String service, String... addresses) {
        String all = Arrays.stream(addresses).map(NamingClient::json).collect(Collectors.joining(","));
        return wire.request(
                "BatchInstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\","
                        + "\"type\":\"batchRegisterInstance\",\"instances\":[" + all + "]}");
    }

    /** An instance as JSON. */
    public static String json(String address, String... fields) {
        String[] parts = address.split(":");
        StringBuilder json = new StringBuilder("{\"ip\":\"" + parts[0] + "\",\"port\":" + parts[1]);
        for (String field : fields) {
            json.append(',').append(field);
        }
        return json.append('}').toString();
    }

    /** The service info of an answer. */
    public JsonNode query(String service, String cluster, boolean healthyOnly) {
        return wire.request(
                        "ServiceQueryRequest",
                        "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"cluster\":\"" + cluster
                                + "\",\"healthyOnly\":" + healthyOnly + '}')
                .path("serviceInfo");
    }

    public List<String> hosts(String service) {
        return hosts(query(service, "", false));
    }

    /** The service info of the answer. */
    public JsonNode subscribe(String service, String... clusters) {
        return subscription(service, true, clusters);
    }

    public JsonNode unsubscribe(String service, String... clusters) {
        return subscription(service, false, clusters);
    }

    private JsonNode subscription(String service, boolean subscribe, String... clusters) {
        return wire.request(
                        "SubscribeServiceRequest",
                        "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"subscribe\":"
                                + subscribe + ",\"clusters\":\"" + String.join(",", clusters) + "\"}")
                .path("serviceInfo");
    }

    /** The service info of the next push. */
    public JsonNode nextInfo() {
        Payload push = wire.nextPush();
        if (!push.type().equals("NotifySubscriberRequest")) {
            throw new AssertionError("not the push of a service: " + push.bodyText());
        }
        return WireClient.tree(push).path("serviceInfo");
    }

    public List<String> nextHosts() {
        return hosts(nextInfo());
    }

    /** The addresses of a service info, as {@code ip:port}. */
    public static List<String> hosts(JsonNode info) {
        List<String> hosts = new ArrayList<>();
        info.path("hosts")
                .forEach(host -> hosts.add(
                        host.path("ip").asString() + ':' + host.path("port").asInt()));
        return hosts;
    }

    @Override
    public void close() {
        wire.close();
    }
}
