package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Instance lists over plain HTTP v1, without a client's cache. */
final class HttpInstances {
    private static final Pattern ADDRESS = Pattern.compile("\"ip\":\"([^\"]+)\",\"port\":(\\d+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI list;

    HttpInstances(String server) {
        this(server, "/v1/ns/instance/list");
    }

    private HttpInstances(String server, String path) {
        list = URI.create("http://" + server + "/nacos" + path);
    }

    /** A drain does not await it. */
    static HttpInstances ofOperator(String server) {
        return new HttpInstances(server, "/v3/admin/ns/instance/list");
    }

    /**
     * {@code ip:port} of each instance of a service in the default group.
     *
     * @throws IOException without an answer or list
     */
    List<String> addresses(String service) throws IOException, InterruptedException {
        return addresses(service, "");
    }

    /** As {@link #addresses}, without unhealthy instances. */
    List<String> healthyAddresses(String service) throws IOException, InterruptedException {
        return addresses(service, "&healthyOnly=true");
    }

    private List<String> addresses(String service, String parameters) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(
                        URI.create(list + "?serviceName=" + URLEncoder.encode(service, UTF_8) + parameters))
                .timeout(PATIENCE)
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
        if (response.statusCode() != 200) {
            throw new IOException("status " + response.statusCode());
        }
        return ADDRESS.matcher(response.body())
                .results()
                .map(address -> address.group(1) + ":" + address.group(2))
                .collect(Collectors.toList());
    }
}
