package io.cairn.server.support;

import io.cairn.api.wire.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** A connection that registers and subscribes in the words of the wire. */
public final class ServiceClient implements AutoCloseable {

    private final WireClient wire;

    public ServiceClient(WireClient wire) {
        this.wire = wire;
    }

    public static ServiceClient connect(int grpcPort) {
        return new ServiceClient(WireClient.connect("127.0.0.1", grpcPort).setUp());
    }

    public WireClient wire() {
        return wire;
    }

    public void register(String service, String ip, int port) {
        succeed(wire.request(
                "InstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"registerInstance\","
                        + "\"instance\":" + instance(ip, port, Map.of()) + "}"));
    }

    public void registerPersistent(String service, String ip, int port) {
        changePersistent(service, ip, port, "registerInstance");
    }

    public void deregisterPersistent(String service, String ip, int port) {
        changePersistent(service, ip, port, "deregisterInstance");
    }

    private void changePersistent(String service, String ip, int port, String type) {
        succeed(wire.request(
                "PersistentInstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"" + type
                        + "\",\"instance\":" + instance(ip, port, Map.of()).replace("true", "false") + "}"));
    }

    /** Replaces all that this connection has of the service. */
    public void registerAll(String service, List<String> instances) {
        succeed(WireClient.tree(registerAllLater(service, instances).join()));
    }

    /** As {@link #registerAll}, without waiting for the answer. */
    public CompletableFuture<Payload> registerAllLater(String service, List<String> instances) {
        return wire.callAsync(WireClient.payload(
                "BatchInstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\","
                        + "\"type\":\"batchRegisterInstance\",\"instances\":["
                        + String.join(",", instances) + "]}"));
    }

    public void deregister(String service, String ip, int port) {
        succeed(wire.request(
                "InstanceRequest",
                "{\"serviceName\":\"" + service + "\",\"groupName\":\"DEFAULT_GROUP\",\"type\":\"deregisterInstance\","
                        + "\"instance\":" + instance(ip, port, Map.of()) + "}"));
    }

    /** An ephemeral instance as JSON. */
    public static String instance(String ip, int port, Map<String, String> metadata) {
        return "{\"ip\":\"" + ip + "\",\"port\":" + port + ",\"ephemeral\":true,\"metadata\":"
                + metadata.entrySet().stream()
                        .map(entry -> '"' + entry.getKey() + "\":\"" + entry.getValue() + '"')
                        .collect(Collectors.joining(",", "{", "}"))
                + "}";
    }

    /** Subscribes; the list it is answered. */
    public List<String> subscribe(String service) {
        return hosts(succeed(wire.request("SubscribeServiceRequest", subscription(service)))
                .path("serviceInfo"));
    }

    public static String subscription(String service) {
        return "{\"serviceName\":\"" + service
                + "\",\"groupName\":\"DEFAULT_GROUP\",\"clusters\":\"\",\"subscribe\":true}";
    }

    public List<String> query(String service) {
        return hosts(WireClient.tree(queryRaw(service)).path("serviceInfo"));
    }

    /** The answer to a query, as it came. */
    public Payload queryRaw(String service) {
        return wire.call(WireClient.payload(
                "ServiceQueryRequest",
                "{\"serviceName\":\"" + service
                        + "\",\"groupName\":\"DEFAULT_GROUP\",\"cluster\":\"\",\"healthyOnly\":false}"));
    }

    /** The lists that were pushed and not taken yet, in their order. */
    public List<List<String>> takePushed() {
        List<Payload> pushes = new ArrayList<>();
        wire.pushes().drainTo(pushes);
        return pushes.stream()
                .filter(push -> push.type().equals("NotifySubscriberRequest"))
                .map(push -> hosts(WireClient.tree(push).path("serviceInfo")))
                .toList();
    }

    /** {@code ip:port} of the instances, in order. */
    public static List<String> hosts(JsonNode serviceInfo) {
        TreeSet<String> hosts = new TreeSet<>();
        for (JsonNode host : serviceInfo.path("hosts")) {
            hosts.add(host.path("ip").asString() + ':' + host.path("port").asInt());
        }
        return List.copyOf(hosts);
    }

    private static JsonNode succeed(JsonNode answer) {
        if (!answer.path("success").asBoolean()) {
            throw new AssertionError("refused: " + answer);
        }
        return answer;
    }

    @Override
    public void close() {
        wire.close();
    }
}
