package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Meters;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.LogWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that listen, lose their connection, reconnect, and acknowledge late or never, while others publish and
 * delete. Whenever the writers pause, every client sees the stored content without a further change: no notification
 * was lost.
 */
@Tag("full")
class ListenerConvergenceIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.push.ack-timeout", "500ms")
            .with("cairn.push.retry-delay", "200ms")
            .with("cairn.push.max-in-flight", "16")
            .with("nacos.config.push.maxRetryTime", "1000")
            .with("logging.level.io.cairn.server.connection", "ERROR");

    private final Meters meters = new Meters(cairn);

    @Test
    void everyListenerSeesTheStoredContentSoonAfterTheLastChange() throws Exception {
        converges(new Storm(1, 24, 6, 60, 3, Duration.ofSeconds(12)));
    }

    @Test
    @Tag("endurance")
    void everyListenerSeesTheStoredContentAfterManyStorms() throws Exception {
        for (int seed = 2; seed < 6; seed++) {
            converges(new Storm(seed, 80, 20, 300, 4, Duration.ofSeconds(45)));
        }
    }

    /**
     * The load: bursts of changes, and a pause after each in which all listeners must see the same content.
     *
     * @param listeners over gRPC
     * @param polls listeners over HTTP
     */
    private record Storm(long seed, int listeners, int polls, int configs, int writers, Duration lasts) {}

    private void converges(Storm storm) throws Exception {
        List<String> configs = IntStream.range(0, storm.configs)
                .mapToObj(i -> "storm-" + storm.seed + '-' + i)
                .toList();
        List<StormListener> listeners = new ArrayList<>();
        for (int i = 0; i < storm.listeners + storm.polls; i++) {
            Random random = new Random(storm.seed * 1_000 + i);
            List<String> some =
                    configs.stream().filter(config -> random.nextInt(4) > 0).toList();
            listeners.add(
                    i < storm.listeners
                            ? new GrpcListener(cairn, some, random)
                            : new PollingListener(cairn, some, random));
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        try (LogWatch log = new LogWatch();
                WireClient reader = cairn.newClient()) {
            List<Future<?>> running = new ArrayList<>();
            listeners.forEach(listener -> running.add(threads.submit(listener)));
            Random random = new Random(storm.seed);
            long end = System.nanoTime() + storm.lasts.toNanos();
            int gusts = 0;
            int changes = 0;
            // At least this many bursts and changes, even on a slow machine.
            while (System.nanoTime() - end < 0 || gusts <= 5 || changes <= 500) {
                listeners.forEach(StormListener::storm);
                changes += gust(storm, configs, random, threads);
                listeners.forEach(StormListener::calmDown);
                assertConverged(listeners, stored(configs, reader));
                gusts++;
            }

            listeners.forEach(StormListener::close);
            for (Future<?> listener : running) {
                listener.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            assertThat(log.takeAlarms()).isEmpty();
        } finally {
            listeners.forEach(StormListener::close);
            threads.shutdownNow();
        }
        await().untilAsserted(() -> assertThat(List.of(meters.connections(), meters.listens(), meters.longPolls()))
                .as("connections, listens, polls")
                .containsOnly(0));
    }

    private static void assertConverged(List<StormListener> listeners, Map<String, String> stored) {
        await().pollInterval(Duration.ofMillis(10))
                .untilAsserted(() -> listeners.forEach(listener ->
                        assertThat(listener.view()).as(listener.toString()).isEqualTo(listener.ofInterest(stored))));
    }

    /** Some writers publish and delete for a moment; returns the number of changes. */
    private static int gust(Storm storm, List<String> configs, Random random, ExecutorService threads)
            throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(20 + random.nextInt(300));
        List<Future<Integer>> writers = new ArrayList<>();
        for (int i = 0; i < storm.writers; i++) {
            Random own = new Random(random.nextLong());
            writers.add(threads.submit(() -> {
                int changes = 0;
                try (WireClient writer = cairn.newClient()) {
                    for (; System.nanoTime() - end < 0; changes++) {
                        change(writer, configs.get(own.nextInt(configs.size())), own);
                    }
                }
                return changes;
            }));
        }
        int changes = 0;
        for (Future<Integer> writer : writers) {
            changes += writer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        return changes;
    }

    /** Few different contents, so that a config often returns to a former content. */
    private static void change(WireClient writer, String dataId, Random random) {
        String content = "content " + random.nextInt(4);
        switch (random.nextInt(8)) {
            case 0 ->
                assertThat(writer.remove(dataId).path("success").asBoolean()).isTrue();
            case 1 ->
                assertThat(cairn.delete("/v1/cs/configs?dataId=" + dataId + "&group=DEFAULT_GROUP")
                                .body())
                        .isEqualTo("true");
            case 2, 3 ->
                assertThat(cairn.post(
                                        "/v1/cs/configs",
                                        Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content))
                                .body())
                        .isEqualTo("true");
            default ->
                assertThat(writer.publish(dataId, content).path("success").asBoolean())
                        .isTrue();
        }
    }

    private static Map<String, String> stored(List<String> configs, WireClient reader) {
        Map<String, String> stored = new HashMap<>();
        for (String config : configs) {
            String content = reader.query(config).path("content").asString(null);
            if (content != null) {
                stored.put(config, content);
            }
        }
        return stored;
    }
}
