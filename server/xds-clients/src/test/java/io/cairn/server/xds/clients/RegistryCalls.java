package io.cairn.server.xds.clients;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What tests change on a server over its HTTP API. */
final class RegistryCalls {

    /** No heartbeat is sent, so that nothing but the test changes an instance. */
    private static final String LONG_LIVED =
            "\"preserved.heart.beat.timeout\":\"600000\",\"preserved.ip.delete.timeout\":\"600000\"";

    private final HttpClient http = HttpClient.newHttpClient();
    private final String base;
    private String token = "";

    RegistryCalls(int httpPort) {
        this.base = "http://127.0.0.1:" + httpPort + "/nacos";
    }

    /** Logs in; the calls after it are those of that user. */
    void login(String user, String password) throws IOException, InterruptedException {
        String body = call("POST", "/v1/auth/login", Map.of("username", user, "password", password));
        token = body.replaceAll("(?s).*\"accessToken\"\\s*:\\s*\"([^\"]+)\".*", "$1");
    }

    /** @param metadata as the members of a JSON object, or empty */
    void register(String service, int port, double weight, String metadata) throws IOException, InterruptedException {
        Map<String, String> form = instance(service, port);
        form.put("weight", Double.toString(weight));
        form.put("metadata", '{' + LONG_LIVED + (metadata.isEmpty() ? "" : ',' + metadata) + '}');
        call("POST", "/v1/ns/instance", form);
    }

    void deregister(String service, int port) throws IOException, InterruptedException {
        call("DELETE", "/v1/ns/instance", instance(service, port));
    }

    /** @param metadata of the service, as a JSON object */
    void describe(String service, String metadata) throws IOException, InterruptedException {
        call("PUT", "/v3/admin/ns/service", Map.of("serviceName", service, "metadata", metadata));
    }

    /** Publishes a configuration of the group of the mesh. */
    void publish(String dataId, String content) throws IOException, InterruptedException {
        call(
                "POST",
                "/v3/admin/cs/config",
                Map.of("dataId", dataId, "groupName", "CAIRN_XDS", "content", content, "type", "yaml"));
    }

    private static Map<String, String> instance(String service, int port) {
        Map<String, String> form = new LinkedHashMap<>();
        form.put("serviceName", service);
        form.put("ip", "127.0.0.1");
        form.put("port", Integer.toString(port));
        return form;
    }

    /** The body of the response, whose status is 200. */
    String call(String method, String path, Map<String, String> form) throws IOException, InterruptedException {
        String encoded = form.entrySet().stream()
                .map(field -> field.getKey() + '=' + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder().timeout(Duration.ofSeconds(10));
        if (method.equals("GET") || method.equals("DELETE")) {
            request.uri(URI.create(base + path + '?' + encoded)).method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            request.uri(URI.create(base + path))
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .method(method, HttpRequest.BodyPublishers.ofString(encoded));
        }
        if (!token.isEmpty()) {
            request.header("accessToken", token);
        }
        HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException(
                    method + ' ' + path + ' ' + form + ": " + response.statusCode() + ' ' + response.body());
        }
        return response.body();
    }
}
