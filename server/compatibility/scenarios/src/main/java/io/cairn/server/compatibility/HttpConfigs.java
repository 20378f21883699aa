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

/** Configs over plain HTTP v1, for operations that the official client lacks. */
final class HttpConfigs {

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI configs;

    HttpConfigs(String server) {
        configs = URI.create("http://" + server + "/nacos/v1/cs/configs");
    }

    HttpResponse<String> get(String dataId, String group) throws IOException, InterruptedException {
        return get(Map.of("dataId", dataId, "group", group));
    }

    HttpResponse<String> get(String dataId, String group, String tenant) throws IOException, InterruptedException {
        return get(Map.of("dataId", dataId, "group", group, "tenant", tenant));
    }

    private HttpResponse<String> get(Map<String, String> parameters) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(configs + "?" + form(parameters)))
                .timeout(PATIENCE)
                .build();
        return http.send(request, BodyHandlers.ofString(UTF_8));
    }

    HttpResponse<String> publish(String dataId, String group, String content) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(configs)
                .timeout(PATIENCE)
                .header("Content-Type", "application/x-www-form-urlencoded;charset=UTF-8")
                .POST(BodyPublishers.ofString(form(Map.of("dataId", dataId, "group", group, "content", content))))
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
