package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.cairn.server.process.CairnProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Collection;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The listening clients, as a server lists them over HTTP. */
final class HttpListeners {
    private static final Pattern ADDRESS = Pattern.compile("Status\":\\{\"([^\"]+)\":");
    private static final Pattern DATA_ID = Pattern.compile("\"([^\"+]+)\\+");
    private static final Pattern VALUE = Pattern.compile("\"value\":([0-9.E]+)");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String server;

    HttpListeners(CairnProcess cairn) {
        server = "http://" + cairn.serverAddress() + "/nacos";
    }

    /** How many of the configurations clients of this machine listen to. */
    int listened(Collection<String> dataIds) throws IOException, InterruptedException {
        for (String dataId : dataIds) {
            Matcher address = ADDRESS.matcher(
                    get("/v1/cs/configs/listener?group=" + ConfigScenarios.GROUP + "&dataId=" + dataId));
            if (address.find()) {
                Set<String> listened = listenedBy(address.group(1));
                return (int) dataIds.stream().filter(listened::contains).count();
            }
        }
        return 0;
    }

    private Set<String> listenedBy(String ip) throws IOException, InterruptedException {
        return DATA_ID.matcher(get("/v1/cs/listener?all=true&ip=" + ip))
                .results()
                .map(key -> key.group(1))
                .collect(Collectors.toSet());
    }

    int healed() throws IOException, InterruptedException {
        return meter("cairn.config.listens.healed");
    }

    int listens() throws IOException, InterruptedException {
        return meter("cairn.config.listens");
    }

    private int meter(String name) throws IOException, InterruptedException {
        String meter = get("/actuator/metrics/" + name);
        Matcher value = VALUE.matcher(meter);
        if (!value.find()) {
            throw new IOException("no value: " + meter);
        }
        return (int) Double.parseDouble(value.group(1));
    }

    private String get(String path) throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(URI.create(server + path))
                .timeout(PATIENCE)
                .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString(UTF_8));
        if (response.statusCode() != 200) {
            throw new IOException(path + ": status " + response.statusCode() + ", " + response.body());
        }
        return response.body();
    }
}
