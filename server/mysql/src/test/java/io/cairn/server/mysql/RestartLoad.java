package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.awaitility.Awaitility.await;

import io.grpc.ManagedChannel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import tools.jackson.databind.json.JsonMapper;

/**
 * Many light clients of a cluster, and what goes wrong for them. Those over gRPC register, subscribe and read; those over HTTP send
 * heartbeats to any node, and to the next one when that does not answer, as clients of generation 1 do. A list without one of the
 * instances, and a call that no node answers, is a violation.
 */
final class RestartLoad implements AutoCloseable {

    static final String SERVICE = "restarted";

    private static final JsonMapper JSON = new JsonMapper();
    private static final int WATCH_MILLIS = 100;

    private final int[] ports;
    private final int instances;
    private final int overHttp;
    private final int beatMillis;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final List<MovingClient> clients = new ArrayList<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicLong calls = new AtomicLong();
    private volatile boolean watching;
    private volatile boolean running = true;

    /** @param beatMillis between two heartbeats of an instance, and between two reads of a gRPC client */
    RestartLoad(ClusterOfServers cluster, int overGrpc, int overHttp, int beatMillis) {
        this.ports = cluster.nodes().stream().mapToInt(cluster::port).toArray();
        this.overHttp = overHttp;
        this.instances = overGrpc + overHttp;
        this.beatMillis = beatMillis;
        for (int i = 0; i < overGrpc; i++) {
            String instance =
                    "{\"ip\":\"10.1." + i / 250 + '.' + (i % 250 + 1) + "\",\"port\":8080,\"ephemeral\":true}";
            MovingClient client = new MovingClient(
                    ports, i % ports.length, SERVICE, instance, loops, thread, this::listed, this::failed);
            clients.add(client);
            client.start();
        }
        for (int i = 0; i < overHttp; i++) {
            int number = i;
            thread.scheduleAtFixedRate(
                    () -> beat(number), (long) i * beatMillis / overHttp, beatMillis, TimeUnit.MILLISECONDS);
        }
        for (int port : ports) {
            thread.scheduleWithFixedDelay(() -> watch(port), WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Waits until each node lists all instances, and each gRPC client has seen all of them: what it was sent while the others registered
     * is behind it then. From then on a shorter list is a violation.
     */
    void begin() {
        await().until(() -> {
            for (int port : ports) {
                if (JSON.readTree(http.send(
                                                HttpRequest.newBuilder(list(port))
                                                        .build(),
                                                HttpResponse.BodyHandlers.ofString())
                                        .body())
                                .path("hosts")
                                .size()
                        < instances) {
                    return false;
                }
            }
            return true;
        });
        await().until(() -> CompletableFuture.supplyAsync(
                        () -> clients.stream()
                                .allMatch(client -> client.isConnected() && client.lastListed() == instances),
                        thread)
                .join());
        for (int i = 0; i < clients.size(); i++) {
            MovingClient client = clients.get(i);
            thread.scheduleAtFixedRate(
                    () -> {
                        calls.incrementAndGet();
                        client.query();
                    },
                    (long) i * beatMillis / clients.size(),
                    beatMillis,
                    TimeUnit.MILLISECONDS);
        }
        watching = true;
    }

    private void listed(String where, int count) {
        if (watching && count < instances) {
            violations.add(Instant.now() + ": " + where + " lists " + count + " of " + instances);
        }
    }

    private void failed(String what) {
        violations.add(Instant.now() + ": failed call: " + what);
    }

    private static String ip(int number) {
        return "10.2." + number / 250 + '.' + (number % 250 + 1);
    }

    private void beat(int number) {
        String names = "serviceName=DEFAULT_GROUP%40%40" + SERVICE + "&ip=" + ip(number) + "&port=8080";
        call("PUT", "/nacos/v1/ns/instance/beat?" + names).thenAccept(answer -> {
            if (answer.contains("20404")) {
                call("POST", "/nacos/v1/ns/instance?" + names + "&ephemeral=true");
            }
        });
    }

    /** A call to any node, then to each of the others until one answers. */
    private CompletableFuture<String> call(String method, String path) {
        calls.incrementAndGet();
        return call(method, path, ThreadLocalRandom.current().nextInt(ports.length), new AtomicInteger());
    }

    private CompletableFuture<String> call(String method, String path, int node, AtomicInteger tries) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + ports[node % ports.length] + path))
                .timeout(PATIENCE)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .handle((answer, failure) -> {
                    if (failure == null && answer.statusCode() == 200) {
                        return CompletableFuture.completedFuture(answer.body());
                    }
                    if (tries.incrementAndGet() < ports.length && running) {
                        return call(method, path, node + 1, tries);
                    }
                    if (running) {
                        failed(method + ' ' + path + ": "
                                + (failure == null ? answer.statusCode() + answer.body() : failure.toString()));
                    }
                    return CompletableFuture.completedFuture("");
                })
                .thenCompose(next -> next);
    }

    private static URI list(int port) {
        return URI.create(
                "http://127.0.0.1:" + port + "/nacos/v1/ns/instance/list?healthyOnly=true&serviceName=" + SERVICE);
    }

    /** A node whose port is closed has no list. */
    private void watch(int port) {
        if (watching) {
            http.sendAsync(HttpRequest.newBuilder(list(port)).build(), HttpResponse.BodyHandlers.ofString())
                    .thenAccept(answer -> {
                        if (answer.statusCode() == 200) {
                            listed(
                                    "port " + port,
                                    JSON.readTree(answer.body()).path("hosts").size());
                        }
                    });
        }
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    long calls() {
        return calls.get();
    }

    int instancesOverHttp() {
        return overHttp;
    }

    /** Whether all gRPC clients are connected. */
    boolean areAllConnected() {
        return CompletableFuture.supplyAsync(() -> clients.stream().allMatch(MovingClient::isConnected), thread)
                .join();
    }

    /** How often gRPC clients were asked to move. */
    int moves() {
        return CompletableFuture.supplyAsync(
                        () -> clients.stream().mapToInt(MovingClient::moves).sum(), thread)
                .join();
    }

    /** Ends the clients, then the event loop and the thread that their channels need until they have ended. */
    @Override
    public void close() {
        watching = false;
        running = false;
        List<ManagedChannel> channels = CompletableFuture.supplyAsync(
                        () -> clients.stream()
                                .flatMap(client -> client.close().stream())
                                .toList(),
                        thread)
                .join();
        await().until(() -> channels.stream().allMatch(ManagedChannel::isTerminated));
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        thread.shutdownNow();
    }
}
