package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.Memory;
import io.cairn.server.support.ServiceClient;
import io.cairn.testing.HangLimit;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Restarts all instances of a large service, one group after the other, with many subscribers. */
@Tag("full")
class ServiceStormIT {

    private static final String SERVICE = "storm";
    private static final int THREADS = 4;

    @RegisterExtension
    static final InspectableServer cairn =
            InspectableServer.temporary().with("logging.level.io.cairn.server.connection", "ERROR");

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final List<ServiceSubscriber> subscribers = new ArrayList<>();
    private final List<ServiceClient> providers = new ArrayList<>();

    /**
     * The load.
     *
     * @param connections that register the instances, each the same share
     * @param bursts of changes by all connections at once, after the restart
     */
    private record Storm(int instances, int connections, int subscribers, int bursts, Duration patience) {}

    @Test
    @HangLimit
    void everySubscriberGetsTheFinalState() throws Exception {
        rages(new Storm(500, 50, 200, 10, PATIENCE));
    }

    @Test
    @Tag("endurance")
    @Timeout(1800)
    void everySubscriberOfAVeryLargeServiceGetsTheFinalState() throws Exception {
        rages(new Storm(5_000, 250, 1_000, 5, PATIENCE.multipliedBy(10)));
    }

    @AfterEach
    void close() {
        subscribers.forEach(ServiceSubscriber::close);
        providers.forEach(ServiceClient::close);
        threads.shutdownNow();
    }

    private void rages(Storm storm) throws Exception {
        providers.addAll(inParallel(storm.connections, i -> provider(storm, i, "1")));
        subscribers.addAll(inParallel(storm.subscribers, i -> subscriber()));
        awaitFinalState(storm, "1");
        Memory before = Memory.used();
        long pushesBefore = pushes();

        long start = System.nanoTime();
        List<ServiceClient> restarted = inParallel(storm.connections, i -> {
            providers.get(i).close();
            await().atMost(storm.patience).until(() -> instances() <= storm.instances);
            return provider(storm, i, "2");
        });
        providers.clear();
        providers.addAll(restarted);
        awaitFinalState(storm, "2");
        report("rolling restart", storm, storm.connections * 2, pushes() - pushesBefore, start);

        long pushesBetween = pushes();
        long burst = System.nanoTime();
        List<CompletableFuture<Payload>> answers = new ArrayList<>();
        for (int round = 1; round <= storm.bursts; round++) {
            for (int i = 0; i < storm.connections; i++) {
                answers.add(providers.get(i).registerAllLater(SERVICE, share(storm, i, "burst " + round)));
            }
        }
        for (CompletableFuture<Payload> answer : answers) {
            assertThat(answer.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).bodyText())
                    .contains("\"success\":true");
        }
        awaitFinalState(storm, "burst " + storm.bursts);
        int changes = storm.connections * storm.bursts;
        report("burst", storm, changes, pushes() - pushesBetween, burst);

        assertThat((pushes() - pushesBetween) / storm.subscribers)
                .as("pushes to each subscriber for %d changes", changes)
                .isLessThan(changes / 2);
        assertThat(subscribers.stream().mapToInt(ServiceSubscriber::setBacks).sum())
                .as("pushes that were older than a former one")
                .isZero();
        await().atMost(storm.patience)
                .untilAsserted(() -> assertThat(Memory.used().megabytesMoreThan(before))
                        .as("MB more than before the storm")
                        .isLessThan(40));
    }

    private ServiceClient provider(Storm storm, int number, String version) {
        ServiceClient client = ServiceClient.connect(cairn.grpcPort());
        client.registerAll(SERVICE, share(storm, number, version));
        return client;
    }

    private static List<String> share(Storm storm, int number, String version) {
        int share = storm.instances / storm.connections;
        return IntStream.range(0, share)
                .mapToObj(i -> ServiceClient.instance(
                        "10." + number / 250 + "." + number % 250 + "." + i, 8080, Map.of("version", version)))
                .toList();
    }

    private static ServiceSubscriber subscriber() {
        ServiceSubscriber subscriber = new ServiceSubscriber(cairn.grpcPort());
        await().pollInterval(Duration.ofMillis(10)).until(() -> subscriber.trySubscribe(SERVICE));
        return subscriber;
    }

    private <T> List<T> inParallel(int count, IntFunction<T> make) throws Exception {
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            running.add(threads.submit(() -> make.apply(number)));
        }
        List<T> made = new ArrayList<>();
        for (Future<T> each : running) {
            made.add(each.get(PATIENCE.multipliedBy(10).toSeconds(), TimeUnit.SECONDS));
        }
        return made;
    }

    /** Waits until all instances have that version, and every subscriber has exactly that list. */
    private void awaitFinalState(Storm storm, String version) {
        await().atMost(storm.patience)
                .until(() -> instances() == storm.instances
                        && providers.get(0).query(SERVICE).size() == storm.instances);
        String body = providers.get(0).queryRaw(SERVICE).bodyText();
        assertThat(body.split("\"version\":\"" + version + "\"", -1)).hasSize(storm.instances + 1);
        // Not its time: an answer of a query names a later one when the last change was some seconds ago.
        long instances = ServiceSubscriber.Seen.of(body).checkSum();
        await().atMost(storm.patience).pollInterval(Duration.ofMillis(5)).untilAsserted(() -> assertThat(subscribers)
                .extracting(subscriber -> subscriber.last().checkSum())
                .containsOnly(instances));
    }

    private static long instances() {
        return cairn.part(RegistryParts.class).reads().instanceCount();
    }

    private long pushes() {
        return subscribers.stream().mapToLong(ServiceSubscriber::pushes).sum();
    }

    private static void report(String what, Storm storm, int changes, long pushes, long startNanos) {
        Timer latency = cairn.part(MeterRegistry.class)
                .get("cairn.push.latency")
                .tag("kind", "service")
                .timer();
        System.out.printf(
                "%s of %d instances before %d subscribers: %d changes, %.1f pushes to each, %d ms; change to"
                        + " acknowledgement so far: mean %.1f ms, longest %.1f ms%n",
                what,
                storm.instances,
                storm.subscribers,
                changes,
                (double) pushes / storm.subscribers,
                Duration.ofNanos(System.nanoTime() - startNanos).toMillis(),
                latency.mean(TimeUnit.MILLISECONDS),
                latency.max(TimeUnit.MILLISECONDS));
    }
}
