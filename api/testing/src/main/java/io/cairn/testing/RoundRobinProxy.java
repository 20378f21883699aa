package io.cairn.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy on loopback that sends each request to the next of its servers. Thread-safe. */
public final class RoundRobinProxy implements AutoCloseable {

    private static final Set<String> OF_CONNECTION =
            Set.of("host", "connection", "content-length", "upgrade", "http2-settings", "transfer-encoding");

    private final int port = ReservedPorts.one();
    private final List<Integer> servers = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;

    public RoundRobinProxy() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::forward);
        server.start();
    }

    public int port() {
        return port;
    }

    /** Adds a server on loopback. */
    public void to(int serverPort) {
        servers.add(serverPort);
    }

    private void forward(HttpExchange exchange) throws IOException {
        int target = servers.get(Math.floorMod(next.getAndIncrement(), servers.size()));
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + target + exchange.getRequestURI()))
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_CONNECTION.contains(name.toLowerCase(java.util.Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        try {
            HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            answer.headers().map().forEach((name, values) -> {
                if (!OF_CONNECTION.contains(name)) {
                    exchange.getResponseHeaders().put(name, values);
                }
            });
            boolean isEmpty =
                    answer.headers().firstValueAsLong("content-length").orElse(1) == 0;
            exchange.sendResponseHeaders(answer.statusCode(), isEmpty ? -1 : 0);
            try (InputStream from = answer.body();
                    OutputStream to = exchange.getResponseBody()) {
                byte[] piece = new byte[8192];
                for (int length = from.read(piece); length >= 0; length = from.read(piece)) {
                    to.write(piece, 0, length);
                    to.flush();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            exchange.close();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
