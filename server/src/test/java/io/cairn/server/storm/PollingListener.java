package io.cairn.server.storm;

import io.cairn.server.support.CairnExtension;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Listens over HTTP as the 1.x clients do: one long poll after the other. Now and then it gives one up. */
final class PollingListener extends StormListener {

    private final CairnExtension cairn;
    private final HttpClient http = HttpClient.newHttpClient();

    PollingListener(CairnExtension cairn, List<String> configs, Random random) {
        super(configs, random);
        this.cairn = cairn;
    }

    @Override
    public void run() {
        try {
            while (!isClosed()) {
                for (String record : poll().split("\u0001")) {
                    if (!record.isBlank()) {
                        read(record.split("\u0002")[0]);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The changed records; empty when there are none, or when the poll was given up. */
    private String poll() throws InterruptedException {
        String records = configs.stream()
                .map(config -> config + "\u0002DEFAULT_GROUP\u0002" + md5(config) + '\u0001')
                .collect(Collectors.joining());
        CompletableFuture<HttpResponse<String>> answer = http.sendAsync(
                HttpRequest.newBuilder(cairn.uri("/v1/cs/configs/listener"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .header("Long-Pulling-Timeout", "30000")
                        .POST(HttpRequest.BodyPublishers.ofString(
                                CairnExtension.encode(Map.of("Listening-Configs", records))))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        while (!isClosed() && !happens(60)) {
            try {
                return URLDecoder.decode(answer.get(20, TimeUnit.MILLISECONDS).body(), StandardCharsets.UTF_8)
                        .trim();
            } catch (TimeoutException e) {
                // Still parked.
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        answer.cancel(true);
        return "";
    }

    private void read(String config) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(cairn.uri("/v1/cs/configs?dataId=" + config + "&group=DEFAULT_GROUP"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        remember(config, answer.statusCode() == 200 ? answer.body() : null);
    }
}
