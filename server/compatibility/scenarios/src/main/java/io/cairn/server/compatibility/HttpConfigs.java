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

/** Configs over plain HTTP, for operations that the official client lacks. */
final class HttpConfigs {

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI configs;
    private final URI releases;
    private final String admin;

    HttpConfigs(String server) {
        configs = URI.create("http://" + server + "/nacos/v1/cs/configs");
        admin = "http://" + server + "/nacos/v3/admin/cs/";
        releases = URI.create("http://" + server + "/nacos/v3/admin/cs/config");
    }

    HttpResponse<String> get(String dataId, String group) throws IOException, InterruptedException {
        return get(Map.of("dataId", dataId, "group", group));
    }

    HttpResponse<String> get(String dataId, String group, String tenant) throws IOException, InterruptedException {
        return get(Map.of("dataId", dataId, "group", group, "tenant", tenant));
    }

    private HttpResponse<String> get(Map<String, String> parameters) throws IOException, InterruptedException {
        return get(configs.toString(), parameters);
    }

    /** Of the administrators' API of configurations. */
    HttpResponse<String> admin(String path, Map<String, String> parameters) throws IOException, InterruptedException {
        return get(admin + path, parameters);
    }

    private HttpResponse<String> get(String at, Map<String, String> parameters)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(at + "?" + form(parameters)))
                .timeout(PATIENCE)
                .build();
        return http.send(request, BodyHandlers.ofString(UTF_8));
    }

    HttpResponse<String> publish(String dataId, String group, String content) throws IOException, InterruptedException {
        return publish(configs, Map.of("dataId", dataId, "group", group, "content", content));
    }

    /** For the clients that a condition on labels selects. */
    HttpResponse<String> publishForLabels(String dataId, String group, String name, String condition, String content)
            throws IOException, InterruptedException {
        return publishRelease(dataId, group, name, "label", condition, content);
    }

    HttpResponse<String> publishRelease(
            String dataId, String group, String name, String type, String expression, String content)
            throws IOException, InterruptedException {
        return publish(
                releases,
                Map.of(
                        "dataId", dataId,
                        "groupName", group,
                        "content", content,
                        "grayName", name,
                        "grayType", type,
                        "grayRuleExp", expression));
    }

    /** Spreads the clients evenly over the nodes. */
    HttpResponse<String> spreadClients() throws IOException, InterruptedException {
        return publish(URI.create(admin.replace("/cs/", "/core/loader/smartReloadCluster")), Map.of());
    }

    HttpResponse<String> removeRelease(String dataId, String group, String name)
            throws IOException, InterruptedException {
        Map<String, String> parameters = Map.of("dataId", dataId, "groupName", group, "grayName", name);
        var request = HttpRequest.newBuilder(URI.create(releases + "?" + form(parameters)))
                .timeout(PATIENCE)
                .DELETE()
                .build();
        return http.send(request, BodyHandlers.ofString(UTF_8));
    }

    private HttpResponse<String> publish(URI at, Map<String, String> parameters)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(at)
                .timeout(PATIENCE)
                .header("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
                .POST(BodyPublishers.ofString(form(parameters)))
                .build();
        return http.send(request, BodyHandlers.ofString(UTF_8));
    }

    private static String form(Map<String, String> parameters) {
        return new TreeMap<>(parameters)
                .entrySet().stream()
                        .map(parameter -> parameter.getKey() + "=" + URLEncoder.encode(parameter.getValue(), UTF_8))
                        .collect(Collectors.joining("&"));
    }
}
