package io.cairn.server.subscription.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.subscription.history.ClientEvent.Kind;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolledConfigsTest {

    private static final EventFilter ALL = new EventFilter(null, null, null, null, null);
    private static final ConfigKey A = new ConfigKey(Namespace.DEFAULT, "G", "a.yaml");
    private static final ConfigKey B = new ConfigKey(Namespace.DEFAULT, "G", "b.yaml");
    private static final ContentDigest OLD = ContentDigest.of("old");
    private static final ContentDigest NEW = ContentDigest.of("new");
    private static final SeenClient CLIENT = SeenClient.polling("10.0.0.1", "Nacos-Java-Client:v1.4.8");

    @TempDir
    Path folder;

    private final SettableClock clock = new SettableClock();
    private final Counter dropped = new SimpleMeterRegistry().counter("dropped");
    private ClientHistory history;
    private PolledConfigs polled;

    @BeforeEach
    void open() {
        history = new ClientHistory(
                folder,
                new HistoryLimits(Duration.ofDays(7), 64 << 20),
                clock,
                new HandDrivenLoop(),
                Runnable::run,
                dropped);
        polled = new PolledConfigs(history, clock, Runnable::run);
    }

    @AfterEach
    void close() {
        history.close();
    }

    /** The events in the order of time. */
    private List<ClientEvent> events() throws Exception {
        List<ClientEvent> found = history.find(ALL, 100);
        Collections.reverse(found);
        return found;
    }

    private void poll(SeenClient client, ContentDigest a, ContentDigest b, ConfigKey... changed) {
        polled.polled(client, false, List.of(A, B), Arrays.asList(a, b), List.of(changed));
        answer(client, a, b, changed);
    }

    private void answer(SeenClient client, ContentDigest a, ContentDigest b, ConfigKey... changed) {
        if (changed.length > 0) {
            polled.answered(
                    client,
                    List.of(changed),
                    Stream.of(changed).map(key -> key.equals(A) ? a : b).toList());
        }
    }

    @Test
    void aChangeIsFollowedByThePollThatReportsIt() throws Exception {
        polled.polled(CLIENT, true, List.of(A, B), Arrays.asList(OLD, null), List.of());
        poll(CLIENT, OLD, null);
        answer(CLIENT, OLD, null, A);
        poll(CLIENT, NEW, null);
        poll(CLIENT, NEW, null);

        assertThat(events())
                .extracting(ClientEvent::kind, ClientEvent::key, ClientEvent::digest)
                .containsExactly(
                        tuple(Kind.LISTENED, A, OLD),
                        tuple(Kind.LISTENED, B, null),
                        tuple(Kind.NOTIFIED, A, null),
                        tuple(Kind.FOLLOWED, A, NEW));
        assertThat(events()).extracting(ClientEvent::client).containsOnly(CLIENT);
        clock.advance(Duration.ofMinutes(1));
        poll(CLIENT, NEW, null);
        assertThat(polled.knows(CLIENT)).as("nothing is kept of it").isFalse();
    }

    /** All listeners are notified of a release to some, and of a change that is taken back. */
    @Test
    void aClientWhoseContentStaysHasNotFollowed() throws Exception {
        answer(CLIENT, OLD, OLD, A);
        poll(CLIENT, OLD, OLD);
        answer(CLIENT, OLD, OLD, A);
        poll(CLIENT, NEW, OLD);

        assertThat(events()).extracting(ClientEvent::kind).containsExactly(Kind.NOTIFIED, Kind.NOTIFIED, Kind.FOLLOWED);
    }

    @Test
    void aContentThatWasOvertakenIsNotedToo() throws Exception {
        answer(CLIENT, OLD, OLD, A);
        poll(CLIENT, NEW, OLD, A);
        poll(CLIENT, ContentDigest.of("newest"), OLD);

        assertThat(events())
                .extracting(ClientEvent::kind, ClientEvent::digest)
                .containsExactly(
                        tuple(Kind.NOTIFIED, null),
                        tuple(Kind.FOLLOWED, NEW),
                        tuple(Kind.NOTIFIED, null),
                        tuple(Kind.FOLLOWED, ContentDigest.of("newest")));
    }

    /** A client that polls in a loop without reading would fill the files with the same line. */
    @Test
    void aChangeThatIsNotFollowedIsNotedOnceAMinute() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            poll(CLIENT, OLD, OLD, A);
            clock.advance(Duration.ofMillis(100));
        }

        assertThat(events()).extracting(ClientEvent::kind).containsExactly(Kind.NOTIFIED, Kind.NOTIFIED);
    }

    /** Official clients repeat all configurations in each poll while they add listeners. */
    @Test
    void aConfigurationIsListenedToOnce() throws Exception {
        for (int i = 0; i < 100; i++) {
            polled.polled(CLIENT, true, List.of(A, B), List.of(OLD, OLD), List.of());
            clock.advance(Duration.ofMillis(100));
        }

        assertThat(events()).extracting(ClientEvent::kind).containsExactly(Kind.LISTENED, Kind.LISTENED);
    }

    @Test
    void anotherClientAtTheAddressOfOneThatIsGoneHasNotFollowed() throws Exception {
        answer(CLIENT, OLD, OLD, A);
        clock.advance(Duration.ofHours(1));

        poll(CLIENT, NEW, OLD);

        assertThat(events()).extracting(ClientEvent::kind).containsExactly(Kind.NOTIFIED);
        assertThat(polled.knows(CLIENT)).isFalse();
    }

    @Test
    void clientsAreDistinguishedByAddressAndSdk() throws Exception {
        SeenClient other = SeenClient.polling("10.0.0.1", "curl/8.5");
        answer(CLIENT, OLD, OLD, A);
        answer(other, OLD, OLD, A);

        poll(other, NEW, OLD);

        assertThat(events())
                .extracting(ClientEvent::kind, ClientEvent::client)
                .containsExactly(
                        tuple(Kind.NOTIFIED, CLIENT), tuple(Kind.NOTIFIED, other), tuple(Kind.FOLLOWED, other));
    }

    @Test
    void statedTextsAndNumbersAreLimited() {
        SeenClient large = SeenClient.polling("1".repeat(100_000), "x".repeat(100_000));
        assertThat(large.ip()).hasSize(256);
        assertThat(large.sdk()).hasSize(256);
        List<ConfigKey> keys = IntStream.range(0, PolledConfigs.MOST_KEYS_OF_CLIENT + 5)
                .mapToObj(i -> new ConfigKey(Namespace.DEFAULT, "G", "k" + i))
                .toList();

        polled.answered(CLIENT, keys, Collections.nCopies(keys.size(), OLD));

        assertThat(dropped.count()).as("shown as missing").isEqualTo(5);
    }

    @Test
    void clientsThatAreGoneMakeRoomAfterAMinute() {
        PolledConfigs small = new PolledConfigs(history, clock, Runnable::run, 10);
        for (int i = 0; i < 10; i++) {
            small.answered(SeenClient.polling("10.0.0." + i, ""), List.of(A), List.of(OLD));
        }
        small.answered(CLIENT, List.of(A, B), List.of(OLD, OLD));
        assertThat(small.knows(CLIENT)).isFalse();
        assertThat(dropped.count()).as("shown as missing").isEqualTo(2);
        clock.advance(Duration.ofMinutes(1));

        small.answered(CLIENT, List.of(A), List.of(OLD));

        assertThat(small.knows(CLIENT)).isTrue();
        assertThat(small.knows(SeenClient.polling("10.0.0.1", ""))).isFalse();
    }

    @Test
    void nothingIsRememberedWithoutAHistory() {
        try (ClientHistory none = new ClientHistory(
                folder,
                new HistoryLimits(Duration.ofDays(7), 0),
                clock,
                new HandDrivenLoop(),
                Runnable::run,
                dropped)) {
            PolledConfigs idle = new PolledConfigs(none, clock, Runnable::run);
            idle.polled(CLIENT, true, List.of(A), List.of(OLD), List.of());
            idle.answered(CLIENT, List.of(A), List.of(OLD));
            assertThat(idle.knows(CLIENT)).isFalse();
        }
    }

    /** Threads share clients, and the limit is reached all the time, so contents are searched for and dropped meanwhile. */
    @Test
    void pollsOfManyThreadsDoNotDisturbEachOther() throws Exception {
        int threads = 4;
        int rounds = 2_000;
        PolledConfigs small = new PolledConfigs(history, clock, Runnable::run, 20);
        List<Thread> pollers = new ArrayList<>();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread;
            Thread poller = new Thread(() -> {
                for (int i = 0; i < rounds; i++) {
                    SeenClient client = SeenClient.polling("10.0.1." + (first + i) % 20, "");
                    small.answered(client, List.of(A, B), List.of(OLD, OLD));
                    small.polled(client, i % 2 == 0, List.of(A, B), List.of(NEW, OLD), List.of());
                    clock.advance(Duration.ofMillis(100));
                }
            });
            poller.setUncaughtExceptionHandler((failed, why) -> failures.add(why));
            pollers.add(poller);
        }
        pollers.forEach(Thread::start);
        for (Thread poller : pollers) {
            poller.join();
        }
        assertThat(failures).isEmpty();

        clock.advance(Duration.ofMinutes(2));
        double before = dropped.count();
        for (int i = 0; i < 10; i++) {
            small.answered(SeenClient.polling("10.0.2." + i, ""), List.of(A, B), List.of(OLD, OLD));
        }
        assertThat(dropped.count()).as("all room is free again").isEqualTo(before);
    }
}
