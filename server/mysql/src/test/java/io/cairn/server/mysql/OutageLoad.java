package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.WireClient;
import io.cairn.testing.Patience;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * Clients that publish rising numbers, clients that listen, and the responses to both. Each configuration has one
 * writer. A request that is not answered within {@link Patience#PATIENCE} is a defect: it would be one that waits for the driver, whose
 * limit is two minutes, where that of the server is three seconds.
 */
final class OutageLoad implements AutoCloseable {

    private static final int WRITERS = 3;
    private static final int EACH = 4;
    private static final int LISTENERS = 2;

    private final int grpcPort;
    private final String prefix;
    private final List<Thread> threads = new ArrayList<>();
    private final Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
    private final Map<String, Set<Integer>> unknown = new ConcurrentHashMap<>();
    private final List<Map<String, String>> seen = new ArrayList<>();
    private final AtomicInteger acknowledgements = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final Set<String> defects = ConcurrentHashMap.newKeySet();
    private volatile boolean isPublishing = true;
    private volatile boolean isListening = true;

    OutageLoad(int grpcPort, String prefix) {
        this.grpcPort = grpcPort;
        this.prefix = prefix;
        for (int i = 0; i < WRITERS; i++) {
            int writer = i;
            start(() -> write(writer));
        }
        for (int i = 0; i < LISTENERS; i++) {
            Map<String, String> contents = new ConcurrentHashMap<>();
            seen.add(contents);
            start(() -> listen(contents));
        }
    }

    private void start(Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | AssertionError e) {
                        defects.add(e.toString());
                    }
                },
                "outage-load");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    List<String> dataIds() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < WRITERS * EACH; i++) {
            all.add(prefix + i);
        }
        return all;
    }

    private void write(int writer) {
        try (WireClient client = WireClient.connect("127.0.0.1", grpcPort).setUp()) {
            for (int number = 1; isPublishing; number++) {
                String dataId = prefix + (writer * EACH + number % EACH);
                JsonNode answer;
                try {
                    answer = client.publish(dataId, Integer.toString(number));
                } catch (StatusRuntimeException e) {
                    defects.add(dataId + ": " + e.getStatus());
                    return;
                }
                if (answer.path("resultCode").asInt() == 200) {
                    acknowledged.put(dataId, number);
                    acknowledgements.incrementAndGet();
                } else {
                    unknown.computeIfAbsent(dataId, id -> ConcurrentHashMap.newKeySet())
                            .add(number);
                    refusals.incrementAndGet();
                    pause();
                }
            }
        }
    }

    private void listen(Map<String, String> contents) {
        try (WireClient client = WireClient.connect("127.0.0.1", grpcPort).setUp()) {
            client.acknowledge(push -> true);
            for (String dataId : dataIds()) {
                client.listen(dataId, "");
                read(client, dataId, contents);
            }
            while (isListening) {
                Payload push = client.pushes().poll(50, TimeUnit.MILLISECONDS);
                if (push != null && push.type().equals("ConfigChangeNotifyRequest")) {
                    read(client, WireClient.tree(push).path("dataId").asString(), contents);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read(WireClient client, String dataId, Map<String, String> contents) {
        JsonNode answer = client.query(dataId);
        if (answer.path("resultCode").asInt() == 200) {
            contents.put(dataId, answer.path("content").asString());
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Asserts that the database has the last acknowledged number of each configuration, or one without an answer after it. */
    void assertKept(Map<String, String> stored) {
        acknowledged.forEach((dataId, number) -> {
            int kept = Integer.parseInt(stored.get(dataId));
            assertThat(kept).as("%s, acknowledged %s", dataId, number).isGreaterThanOrEqualTo(number);
            assertThat(kept == number || unknown(dataId).contains(kept))
                    .as("%s of %s was published", kept, dataId)
                    .isTrue();
        });
    }

    /** Waits until each listener has seen, and the server shows, what the database has. */
    void awaitSeen(Map<String, String> stored, int httpPort) {
        await().untilAsserted(() -> {
            assertThat(seen()).allSatisfy(contents -> assertThat(contents).isEqualTo(stored));
            stored.forEach((dataId, content) ->
                    assertThat(MySqlServers.content(httpPort, dataId)).isEqualTo(content));
        });
    }

    int acknowledgements() {
        return acknowledgements.get();
    }

    int refusals() {
        return refusals.get();
    }

    Set<String> defects() {
        return defects;
    }

    /** The last acknowledged number of each configuration. */
    Map<String, Integer> acknowledged() {
        return new TreeMap<>(acknowledged);
    }

    /** The numbers whose publish failed or may have failed, by the response to the writer. */
    Set<Integer> unknown(String dataId) {
        return new HashSet<>(unknown.getOrDefault(dataId, Set.of()));
    }

    /** The last contents that each listener has read. */
    List<Map<String, String>> seen() {
        return seen.stream().<Map<String, String>>map(TreeMap::new).toList();
    }

    /** Stops publishing; returns when the last response has arrived. */
    void stopPublishing() throws InterruptedException {
        isPublishing = false;
        for (Thread thread : threads.subList(0, WRITERS)) {
            thread.join(PATIENCE.toMillis());
        }
    }

    @Override
    public void close() throws InterruptedException {
        isListening = false;
        isPublishing = false;
        for (Thread thread : threads) {
            thread.join(PATIENCE.toMillis());
        }
    }
}
