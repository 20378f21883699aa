package io.cairn.benchmark.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.List;
import java.util.stream.Collectors;

/** The naming requests as the Java SDKs write them: 2.x over gRPC, 1.x over HTTP v1. In the default namespace. */
public final class NamingMessages {
    public static final String GROUP = "CAIRN_BENCHMARK";

    /** On both sides of an instance's mark. It stands nowhere else in a view and is not escaped in JSON. */
    static final byte MARK = '~';

    private static final int MOST_INSTANCES = 1 << 24;

    private NamingMessages() {}

    /**
     * An instance with an address that follows from its index and, in its metadata, the mark {@code ~index.version~}, by
     * which a view shows which version of it is in there.
     */
    public record Instance(int index, int version, int metadataEntries) {
        /** Those that every instance has: the SDK's own, and the mark. */
        public static final int FEWEST_ENTRIES = 2;

        public Instance {
            if (index < 0 || index >= MOST_INSTANCES || version < 0) {
                throw new IllegalArgumentException("index: " + index + " (expected: 0-" + (MOST_INSTANCES - 1)
                        + "), version: " + version + " (expected: 0 or more)");
            }
        }

        public Instance(int index, int version) {
            this(index, version, FEWEST_ENTRIES);
        }

        String ip() {
            return "10." + (index >> 16) + "." + (index >> 8 & 0xff) + "." + (index & 0xff);
        }

        int port() {
            return 8080;
        }

        public String mark() {
            return (char) MARK + "" + index + "." + version + (char) MARK;
        }

        private String metadata() {
            var entries =
                    new StringBuilder("{\"preserved.register.source\":\"SPRING_CLOUD\",\"mark\":\"" + mark() + '"');
            for (int i = FEWEST_ENTRIES; i < metadataEntries; i++) {
                entries.append(",\"entry-")
                        .append(i)
                        .append("\":\"value-")
                        .append(index * 31 + i)
                        .append('"');
            }
            return entries.append('}').toString();
        }

        String json() {
            return "{\"ip\":\"" + ip() + "\",\"port\":" + port() + ",\"weight\":1.0,\"healthy\":true,\"enabled\":true,"
                    + "\"ephemeral\":true,\"clusterName\":\"DEFAULT\",\"metadata\":" + metadata()
                    + ",\"instanceHeartBeatInterval\":5000,\"instanceHeartBeatTimeOut\":15000,"
                    + "\"ipDeleteTimeout\":30000}";
        }
    }

    public static byte[] register(String service, Instance instance) {
        return instanceRequest(service, "registerInstance", instance);
    }

    public static byte[] deregister(String service, Instance instance) {
        return instanceRequest(service, "deregisterInstance", instance);
    }

    private static byte[] instanceRequest(String service, String type, Instance instance) {
        return Envelope.write(
                "InstanceRequest",
                common(service) + ",\"type\":\"" + type + "\",\"instance\":" + instance.json()
                        + ",\"module\":\"naming\"}");
    }

    /** Replaces all that the connection has registered for the service. */
    public static byte[] registerAll(String service, List<Instance> instances) {
        return batch(service, instances.stream().map(Instance::json).collect(Collectors.joining(",")));
    }

    private static byte[] batch(String service, String list) {
        return Envelope.write(
                "BatchInstanceRequest",
                common(service) + ",\"type\":\"batchRegisterInstance\",\"instances\":[" + list
                        + "],\"module\":\"naming\"}");
    }

    /** An instance of which its address is all that matters, as a proxy sees it. */
    public record Endpoint(String ip, int port) {
        private String json() {
            return "{\"ip\":\"" + ip + "\",\"port\":" + port + ",\"weight\":1.0,\"healthy\":true,\"enabled\":true,"
                    + "\"ephemeral\":true,\"clusterName\":\"DEFAULT\",\"metadata\":{}}";
        }
    }

    /** Replaces all that the connection has registered for the service. */
    public static byte[] registerEndpoints(String service, List<Endpoint> endpoints) {
        return batch(service, endpoints.stream().map(Endpoint::json).collect(Collectors.joining(",")));
    }

    public static byte[] subscribe(String service) {
        return subscribe(service, false);
    }

    /** @param deltas as a client that keeps the list, and has none yet */
    public static byte[] subscribe(String service, boolean deltas) {
        return Envelope.write(
                "SubscribeServiceRequest",
                common(service) + ",\"subscribe\":true,\"clusters\":\"\"" + (deltas ? ",\"since\":0" : "")
                        + ",\"module\":\"naming\"}");
    }

    public static byte[] query(String service) {
        return Envelope.write(
                "ServiceQueryRequest",
                common(service) + ",\"cluster\":\"\",\"healthyOnly\":false,\"udpPort\":0,\"module\":\"naming\"}");
    }

    private static String common(String service) {
        return "{\"headers\":{},\"namespace\":\"public\",\"serviceName\":\"" + service + "\",\"groupName\":\"" + GROUP
                + "\"";
    }

    public static byte[] httpRegister(String host, String service, Instance instance) {
        return http(
                host,
                "POST",
                "?app=unknown&metadata=" + encoded(instance.metadata()) + "&ip=" + instance.ip()
                        + "&weight=1.0&ephemeral=true&serviceName=" + grouped(service) + "&groupName=" + GROUP
                        + "&namespaceId=public&port=" + instance.port()
                        + "&enable=true&healthy=true&clusterName=DEFAULT",
                "");
    }

    public static byte[] httpDeregister(String host, String service, Instance instance) {
        return http(
                host,
                "DELETE",
                "?app=unknown&ephemeral=true&serviceName=" + grouped(service) + "&namespaceId=public&port="
                        + instance.port() + "&clusterName=DEFAULT&ip=" + instance.ip(),
                "");
    }

    public static byte[] httpList(String host, String service) {
        return http(
                host,
                "GET",
                "/list?app=unknown&healthyOnly=false&namespaceId=public&clientIP=127.0.0.1&serviceName="
                        + grouped(service) + "&udpPort=0&clusters=",
                "");
    }

    /** A light beat, or with {@code full} the first ones, which carry the instance in a form. */
    public static byte[] httpBeat(String host, String service, Instance instance, boolean full) {
        String beat = "{\"port\":" + instance.port() + ",\"ip\":\"" + instance.ip()
                + "\",\"weight\":1.0,\"serviceName\":\"" + GROUP + "@@" + service
                + "\",\"cluster\":\"DEFAULT\",\"metadata\":" + instance.metadata()
                + ",\"scheduled\":false,\"period\":5000,\"stopped\":false}";
        return http(
                host,
                "PUT",
                "/beat?app=unknown&serviceName=" + grouped(service) + "&namespaceId=public&port=" + instance.port()
                        + "&clusterName=DEFAULT&ip=" + instance.ip(),
                full ? "beat=" + encoded(beat) : "");
    }

    private static String grouped(String service) {
        return GROUP + "%40%40" + service;
    }

    private static String encoded(String value) {
        var encoded = new StringBuilder();
        for (byte b : value.getBytes(US_ASCII)) {
            boolean plain = Character.isLetterOrDigit(b) || b == '.' || b == '-' || b == '_' || b == MARK;
            encoded.append(plain ? Character.toString(b) : String.format("%%%02X", b));
        }
        return encoded.toString();
    }

    /** With the headers of the 1.x SDK, except the one that invites a compressed answer. */
    private static byte[] http(String host, String method, String pathAndQuery, String body) {
        boolean bodyless = method.equals("GET") || method.equals("DELETE");
        return (method + " /nacos/v1/ns/instance" + pathAndQuery + " HTTP/1.1\r\n"
                        + "Client-Version: Nacos-Java-Client:v1.4.8\r\nUser-Agent: Nacos-Java-Client:v1.4.8\r\n"
                        + "RequestId: 7f3c4a52-31a5-4ab1-9c1f-0c5d0f9be0aa\r\nRequest-Module: Naming\r\n"
                        + "Content-Type: application/x-www-form-urlencoded;charset=UTF-8\r\nAccept-Charset: UTF-8\r\n"
                        + "Host: " + host + "\r\nConnection: keep-alive\r\n"
                        + (bodyless ? "" : "Content-Length: " + body.length() + "\r\n")
                        + "\r\n" + body)
                .getBytes(US_ASCII);
    }
}
