package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.testing.HandDrivenLoop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A client that listens to one configuration over its new connection. */
class NewConnectionNoticesTest {

    private static final String GO = "Nacos-Go-Client:v2.3.5";
    private static final String LISTENED = "listened";

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 10),
            10,
            new PushBudget(1_000_000),
            new RequestIds(),
            loop,
            "127.0.0.1");
    private final ChangeFeed feed = new ChangeFeed();
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final List<String> notified = new ArrayList<>();

    NewConnectionNoticesTest() {
        new NewConnectionNotices(
                        registry,
                        loop,
                        new LatestChanges(feed, loop::nanoTime),
                        (connection, key) -> notified.add(key.dataId()),
                        NewConnectionNotices.TIMES,
                        loop::nanoTime)
                .follow();
    }

    private ClientConnection connection(String version, String module) {
        return new ClientConnection(
                "1_127.0.0.1_5000",
                new ClientIdentity("10.0.0.1", version, "", Map.of("module", module)),
                FakeTransport.of(loop, payload -> {}),
                registry);
    }

    private void connect(ClientConnection connection, Principal reader) {
        connection.watches().add(subscriptions.watch(key(Namespace.DEFAULT, LISTENED), connection), 0);
        connection.watchedBy(reader, false);
        assertThat(registry.register(connection)).isTrue();
    }

    private static ConfigKey key(Namespace namespace, String dataId) {
        return new ConfigKey(namespace, "DEFAULT_GROUP", dataId);
    }

    private void change(ConfigKey key) {
        feed.announce(List.of(new ConfigChanged(
                key, 1, Optional.empty(), Optional.of(ContentDigest.of(key.dataId() + System.nanoTime())))));
    }

    private void change(String dataId) {
        change(key(Namespace.DEFAULT, dataId));
    }

    @Test
    void goClientIsNotifiedOnceOfEachChangeToWhichItDoesNotListen() throws Exception {
        change("before the set-up");
        connect(connection(GO, "config"), Principal.UNCHECKED);
        change(LISTENED);
        change(key(Namespace.ofNullable("dev"), "of another namespace"));
        assertThat(notified).isEmpty();

        loop.pass(Duration.ofSeconds(1));
        assertThat(notified).containsExactly("before the set-up");
        change("after the set-up");
        loop.pass(Duration.ofMinutes(1));

        assertThat(notified).containsExactly("before the set-up", "after the set-up");
    }

    @Test
    void isNotifiedOfTheLatestOfManyChanges() throws Exception {
        IntStream.range(0, 100).forEach(i -> change("config-" + i));
        connect(connection(GO, "config"), Principal.UNCHECKED);

        loop.pass(Duration.ofMinutes(1));

        assertThat(notified)
                .hasSize(NewConnectionNotices.MOST)
                .startsWith("config-68")
                .endsWith("config-99");
    }

    @Test
    void isNotNotifiedOfWhatItMayNotRead() throws Exception {
        change("secret");
        connect(connection(GO, "config"), Principal.ANONYMOUS);

        loop.pass(Duration.ofMinutes(1));

        assertThat(notified).isEmpty();
    }

    @Test
    void otherClientsAndConnectionsAreNotNotified() throws Exception {
        change("changed");
        connect(connection("Nacos-Python-Client:v3.2.0", "config"), Principal.UNCHECKED);
        loop.pass(Duration.ofMinutes(1));
        assertThat(notified).isEmpty();
    }

    @Test
    void connectionForInstancesIsNotNotified() throws Exception {
        change("changed");
        connect(connection(GO, "naming"), Principal.UNCHECKED);

        loop.pass(Duration.ofMinutes(1));

        assertThat(notified).isEmpty();
    }

    @Test
    void clientThatHasNotListenedIsNotNotified() throws Exception {
        change("changed");
        assertThat(registry.register(connection(GO, "config"))).isTrue();

        loop.pass(Duration.ofMinutes(1));

        assertThat(notified).isEmpty();
    }
}
