package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The calls of a test that change a server, over its HTTP API. */
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

    /** Logs in as the first user of a server that was started in that folder; the calls after it are those of that user. */
    void login(Path home) throws IOException, InterruptedException {
        String password = Files.readString(home.resolve("data/auth/initial-admin-password"))
                .strip();
        token = member(
                "accessToken", call("POST", "/v1/auth/login", Map.of("username", "nacos", "password", password)));
    }

    /** A new token for machines that may read everything in the namespace of the tests, and nothing else. */
    String readingToken() throws IOException, InterruptedException {
        return member(
                "token",
                call(
                        "POST",
                        "/v3/admin/auth/token",
                        Map.of("name", "mesh", "ttlSeconds", "3600", "scopes", "r public:*:*")));
    }

    private static String member(String name, String json) {
        Matcher matcher =
                Pattern.compile('"' + name + "\"\\s*:\\s*\"([^\"]+)\"").matcher(json);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + name + " in " + json);
        }
        return matcher.group(1);
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

    /** Drains with a time limit of 30 s, and returns the answer. */
    String drain(String service, int port) throws IOException, InterruptedException {
        Map<String, String> form = instance(service, port);
        form.put("wait", "30s");
        return call("PUT", "/v3/admin/ns/instance/drain", form);
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

    /** Deletes a configuration of the group of the mesh. */
    void withdraw(String dataId) throws IOException, InterruptedException {
        call("DELETE", "/v3/admin/cs/config", Map.of("dataId", dataId, "groupName", "CAIRN_XDS"));
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
        HttpRequest.Builder request = HttpRequest.newBuilder().timeout(PATIENCE);
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
