package io.cairn.server.subscription.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.PushBudget;
import io.cairn.server.subscription.history.ClientEvent.Kind;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientHistoryTest {

    private static final EventFilter ALL = new EventFilter(null, null, null, null, null);
    private static final ConfigKey KEY = new ConfigKey(Namespace.ofNullable(null), "G", "a.yaml");

    @TempDir
    Path folder;

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final Counter dropped = new SimpleMeterRegistry().counter("dropped");
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 10),
            10,
            new PushBudget(1_000_000),
            new RequestIds(),
            loop,
            "127.0.0.1");

    private ClientHistory open(Path at, long maxBytes) {
        return new ClientHistory(
                at, new HistoryLimits(Duration.ofDays(7), maxBytes), clock, loop, Runnable::run, dropped);
    }

    private ClientConnection client(String id) {
        return new ClientConnection(
                id,
                new ClientIdentity(
                        "10.0.0.1", "Nacos-Java-Client:v2.5.1", "", Map.of("AppName", "orders", "app_instance", "o-7")),
                FakeTransport.unused(loop),
                registry);
    }

    @Test
    void keepsWhatAClientSawWithItsDescription() throws Exception {
        ClientConnection client = client("1");
        try (ClientHistory history = open(folder, 1 << 20)) {
            history.listened(client, List.of(KEY), Collections.singletonList(null));
            history.notified(client, KEY);
            history.followed(client, KEY, ContentDigest.of("a"));
            history.behind(client, KEY, ContentDigest.of("a"));
            history.left(client);
            history.left(client("2"));
        }
        try (ClientHistory history = open(folder, 1 << 20)) {
            List<ClientEvent> found = history.find(ALL, 100);

            assertThat(found)
                    .extracting(ClientEvent::kind)
                    .as("a connection without events has no end either")
                    .containsExactly(Kind.LEFT, Kind.BEHIND, Kind.FOLLOWED, Kind.NOTIFIED, Kind.LISTENED);
            assertThat(found)
                    .extracting(ClientEvent::client)
                    .containsOnly(new SeenClient("10.0.0.1", "orders", "o-7", "Nacos-Java-Client:v2.5.1", "1"));
            assertThat(found.get(2).digest()).isEqualTo(ContentDigest.of("a"));
        }
    }

    @Test
    void writesByItselfSoonAfterAnEvent() throws Exception {
        try (ClientHistory history = open(folder, 1 << 20)) {
            history.notified(client("1"), KEY);
            loop.pass(Duration.ofMillis(200));
            try (Stream<Path> files = Files.list(folder)) {
                assertThat(files).singleElement().satisfies(file -> assertThat(file.toFile())
                        .isNotEmpty());
            }
        }
    }

    @Test
    void eventsThatTheDiskRefusesAreShownAsMissing() throws Exception {
        Path blocked = folder.resolve("0000000001.events");
        try (ClientHistory history = open(folder, 1 << 20)) {
            Files.createDirectory(blocked);
            history.notified(client("1"), KEY);
            history.notified(client("1"), KEY);
            loop.pass(Duration.ofMillis(200));
            assertThat(dropped.count()).isEqualTo(2);
            Files.delete(blocked);
            history.notified(client("1"), KEY);
            loop.pass(Duration.ofMillis(200));
            assertThat(dropped.count()).as("no try for 10 s").isEqualTo(3);
            clock.advance(Duration.ofSeconds(10));

            history.notified(client("1"), KEY);

            assertThat(history.find(ALL, 100))
                    .extracting(ClientEvent::kind, ClientEvent::count)
                    .containsExactly(
                            org.assertj.core.groups.Tuple.tuple(Kind.NOTIFIED, 0L),
                            org.assertj.core.groups.Tuple.tuple(Kind.MISSING, 3L));
        }
    }

    @Test
    void eventsBeyondTheQueueAreShownAsMissing() throws Exception {
        ClientConnection client = client("1");
        List<ConfigKey> many = Collections.nCopies(100_000, KEY);
        List<ContentDigest> held = Collections.nCopies(100_000, ContentDigest.of("a"));
        try (ClientHistory history = open(folder, 64 << 20)) {
            for (int i = 0; i < 7; i++) {
                history.listened(client, many, held);
            }
            history.left(client);

            List<ClientEvent> found = history.find(ALL, 1_000_000);

            assertThat(found).hasSize(500_002);
            assertThat(found.get(0).kind()).isEqualTo(Kind.LEFT);
            assertThat(found.get(found.size() - 1).count()).isEqualTo(200_000);
            assertThat(dropped.count()).isEqualTo(200_000);
        }
    }

    @Test
    void keepsNothingWithoutSpaceOrFolder() throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        for (ClientHistory history : List.of(open(folder.resolve("off"), 0), open(file.resolve("clients"), 1 << 20))) {
            history.notified(client("1"), KEY);
            loop.pass(Duration.ofSeconds(1));

            assertThat(history.find(ALL, 100)).isEmpty();
            history.close();
        }
        assertThat(folder.resolve("off")).doesNotExist();
    }
}
