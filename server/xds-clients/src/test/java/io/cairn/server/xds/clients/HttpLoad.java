package io.cairn.server.xds.clients;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Requests one after the other on a few threads, until it is closed. */
final class HttpLoad implements AutoCloseable {

    private static final int THREADS = 4;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final HttpRequest request;
    private final Map<String, AtomicInteger> answers = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final long start = System.nanoTime();
    private volatile boolean closed;

    HttpLoad(int port) {
        request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + '/'))
                .timeout(PATIENCE)
                .build();
        for (int i = 0; i < THREADS; i++) {
            Thread thread = new Thread(this::run, "load-" + i);
            threads.add(thread);
            thread.start();
        }
    }

    private void run() {
        while (!closed) {
            try {
                HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() == 200) {
                    answers.computeIfAbsent(response.body(), body -> new AtomicInteger())
                            .incrementAndGet();
                } else {
                    failed(response.statusCode() + " " + response.body());
                }
            } catch (IOException e) {
                failed(e.toString());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void failed(String text) {
        failures.add((System.nanoTime() - start) / 1_000_000 + " ms: " + text);
    }

    /** The answers other than 200, with their time. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** How many requests were answered with 200. */
    int answered() {
        return answers.values().stream().mapToInt(AtomicInteger::get).sum();
    }

    /** How many requests that backend answered. */
    int answeredBy(int port) {
        AtomicInteger count = answers.get(Integer.toString(port));
        return count == null ? 0 : count.get();
    }

    @Override
    public void close() {
        closed = true;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
