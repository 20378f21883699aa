package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The configs of a server over plain HTTP v1, to see and do what the official client has no call for. */
final class HttpConfigs {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI configs;

    /** @param server {@code host:port} */
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
                .timeout(TIMEOUT)
                .build();
        return http.send(request, BodyHandlers.ofString(UTF_8));
    }

    HttpResponse<String> publish(String dataId, String group, String content) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(configs)
                .timeout(TIMEOUT)
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
