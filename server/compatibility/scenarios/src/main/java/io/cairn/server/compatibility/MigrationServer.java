package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One side of a migration over HTTP v1, which both products have. */
final class MigrationServer {

    private static final String MARK = "cairn.bridge.from";

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String base;

    MigrationServer(String address) {
        base = "http://" + address + "/nacos";
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.timeout(PATIENCE).build(), BodyHandlers.ofString(UTF_8));
    }

    private HttpRequest.Builder request(String path, Map<String, String> parameters) {
        return HttpRequest.newBuilder(URI.create(base + path + "?" + form(parameters)));
    }

    private static String form(Map<String, String> parameters) {
        return new TreeMap<>(parameters)
                .entrySet().stream()
                        .map(each -> each.getKey() + "=" + URLEncoder.encode(each.getValue(), UTF_8))
                        .collect(Collectors.joining("&"));
    }

    private static String text(HttpResponse<String> response) throws IOException {
        if (response.statusCode() != 200) {
            throw new IOException(
                    response.request().uri() + ": status " + response.statusCode() + ", " + response.body());
        }
        return response.body();
    }

    /** A configuration of the default group; empty without one. */
    String config(String dataId) throws IOException, InterruptedException {
        return config(dataId, Map.of());
    }

    /** @param release {@code beta=true} or {@code tag=…} */
    String config(String dataId, Map<String, String> release) throws IOException, InterruptedException {
        Map<String, String> asked = new TreeMap<>(release);
        asked.putAll(Map.of("dataId", dataId, "group", "DEFAULT_GROUP"));
        HttpResponse<String> response = send(request("/v1/cs/configs", asked).GET());
        return response.statusCode() == 404 ? "" : text(response);
    }

    void publish(String dataId, String content, Map<String, String> release, Map<String, String> headers)
            throws IOException, InterruptedException {
        Map<String, String> asked = new TreeMap<>(release);
        asked.putAll(Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + "/v1/cs/configs"))
                .header("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
                .POST(BodyPublishers.ofString(form(asked)));
        headers.forEach(request::header);
        text(send(request));
    }

    /** The JSON list of a service in the default group, unhealthy instances included. */
    String instances(String service) throws IOException, InterruptedException {
        return text(send(
                request("/v1/ns/instance/list", Map.of("serviceName", service)).GET()));
    }

    boolean showsCopy(String service) throws IOException, InterruptedException {
        return instances(service).contains(MARK);
    }

    /** Whether a bridge has left the instance by which it is known to others. */
    boolean knowsABridge() throws IOException, InterruptedException {
        return instances("CAIRN_BRIDGE@@cairn-bridge").contains("\"port\"");
    }

    boolean shows(String service, int port) throws IOException, InterruptedException {
        return instances(service).contains("\"port\":" + port + ",");
    }

    void patch(String service, String ip, int port, String metadata) throws IOException, InterruptedException {
        Map<String, String> asked =
                Map.of("serviceName", service, "ip", ip, "port", String.valueOf(port), "metadata", metadata);
        // Nacos 2 lacks the first path, and Nacos 3 refuses the second one.
        HttpResponse<String> response =
                send(request("/v3/admin/ns/instance", asked).PUT(BodyPublishers.noBody()));
        text(
                response.statusCode() == 404
                        ? send(request("/v1/ns/instance", asked).PUT(BodyPublishers.noBody()))
                        : response);
    }
}
