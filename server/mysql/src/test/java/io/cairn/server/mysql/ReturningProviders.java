package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Providers that register service by service on one connection each, and do so again after all nodes have restarted. Each has one
 * instance of each service, and several of one large service. One more provider never comes back. A reader notes each list without one of
 * those that do.
 */
final class ReturningProviders implements AutoCloseable {

    private static final String LARGE = "large";
    private static final String SDK = "Nacos-Java-Client:v2.5.1";
    /** The services of the provider that does not come back. */
    static final int LOST_SERVICES = 3;

    private final int providers;
    private final int services;
    private final int ofLarge;
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<WireClient> connections = new CopyOnWriteArrayList<>();
    private final ExecutorService threads;
    /** The ports for HTTP of the nodes that are read. */
    private final List<Integer> read = new CopyOnWriteArrayList<>();

    private final Queue<String> shortLists = new ConcurrentLinkedQueue<>();
    private final AtomicLong reads = new AtomicLong();

    /** @param ofLarge how many instances of the large service each provider has */
    ReturningProviders(int providers, int services, int ofLarge) {
        this.providers = providers;
        this.services = services;
        this.ofLarge = ofLarge;
        this.threads = Executors.newFixedThreadPool(providers + 1);
    }

    static String service(int number) {
        return "kept-" + number;
    }

    int instances() {
        return providers * (services + ofLarge);
    }

    /** Registers all, also those that will not come back. Returns when all are registered. */
    void register(List<Integer> httpPorts) {
        WireClient lost = connect(httpPorts.get(0));
        for (int number = 0; number < LOST_SERVICES; number++) {
            new NamingClient(lost).register(service(number), "10.21.0.1:8080");
        }
        CompletableFuture.allOf(IntStream.range(0, providers)
                        .mapToObj(provider -> CompletableFuture.runAsync(
                                () -> register(provider, httpPorts.get(provider % httpPorts.size()), 0), threads))
                        .toArray(CompletableFuture[]::new))
                .join();
    }

    /**
     * As official clients do after a stop in order, each connects, registers a few services, closes that connection, and registers all on
     * another one.
     *
     * @param everyMillis the time of one registration
     */
    CompletableFuture<Void> comeBack(List<Integer> httpPorts, long everyMillis) {
        return CompletableFuture.allOf(IntStream.range(0, providers)
                .mapToObj(provider -> CompletableFuture.runAsync(
                        () -> {
                            int port = httpPorts.get(provider % httpPorts.size());
                            WireClient first = connect(port);
                            for (int number = 0; number < LOST_SERVICES; number++) {
                                new NamingClient(first).register(service(number), address(provider));
                            }
                            first.close();
                            register(provider, port, everyMillis);
                        },
                        threads))
                .toArray(CompletableFuture[]::new));
    }

    private WireClient connect(int httpPort) {
        WireClient client = WireClient.connect("127.0.0.1", httpPort + 1_000).setUp("127.0.0.1", SDK);
        connections.add(client);
        return client;
    }

    private static String address(int provider) {
        return "10.20." + provider + ".1:8080";
    }

    private void register(int provider, int httpPort, long everyMillis) {
        NamingClient client = new NamingClient(connect(httpPort));
        long start = System.nanoTime();
        for (int number = 0; number < services; number++) {
            client.register(service(number), address(provider));
            pauseUntil(start + TimeUnit.MILLISECONDS.toNanos(everyMillis * (number + 1)));
        }
        client.registerAll(
                LARGE,
                IntStream.range(0, ofLarge)
                        .mapToObj(number -> "10.20." + provider + ".2:" + (9_000 + number))
                        .toArray(String[]::new));
    }

    /** The pace of a client, which waits for nothing else. */
    private static void pauseUntil(long nanos) {
        try {
            TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The connections have ended with their servers. */
    void disconnect() {
        connections.forEach(WireClient::close);
        connections.clear();
    }

    /** Reads lists until this is closed: those of {@link #read(int)}. */
    void startReading() {
        threads.execute(() -> {
            try {
                while (!Thread.currentThread().isInterrupted()) {
                    for (int port : read) {
                        shortLists.addAll(missing(port));
                    }
                }
            } catch (InterruptedException e) {
                // All has been read.
                Thread.currentThread().interrupt();
            }
        });
    }

    void read(int httpPort) {
        read.add(httpPort);
    }

    /** The services of which the node lists fewer instances than come back, with the numbers. */
    List<String> missing(int httpPort) throws InterruptedException {
        List<String> missing = new ArrayList<>();
        for (int number = 0; number <= services; number++) {
            boolean isLarge = number == services;
            int expected = isLarge ? providers * ofLarge : providers;
            String service = isLarge ? LARGE : service(number);
            int listed = count(httpPort, service, "\"ip\":\"10.20.");
            if (listed < expected) {
                missing.add(service + " has " + listed + " of " + expected + " at " + httpPort);
            }
            reads.incrementAndGet();
        }
        return missing;
    }

    /** Whether the node lists an instance of the provider that does not come back. */
    boolean listsLost(int httpPort) throws InterruptedException {
        int listed = 0;
        for (int number = 0; number < LOST_SERVICES; number++) {
            listed += count(httpPort, service(number), "\"ip\":\"10.21.");
        }
        return listed > 0;
    }

    private int count(int httpPort, String service, String text) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:" + httpPort + "/nacos/v1/ns/instance/list?serviceName=" + service))
                .timeout(Duration.ofMinutes(2))
                .build();
        try {
            String body =
                    http.send(request, HttpResponse.BodyHandlers.ofString()).body();
            int found = 0;
            for (int at = body.indexOf(text); at >= 0; at = body.indexOf(text, at + 1)) {
                found++;
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The short lists that the reader has found. */
    List<String> shortLists() {
        return List.copyOf(shortLists);
    }

    long reads() {
        return reads.get();
    }

    @Override
    public void close() throws InterruptedException {
        threads.shutdownNow();
        disconnect();
        if (!threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("the providers do not end");
        }
    }
}
