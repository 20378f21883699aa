package io.cairn.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConnectionRegistryTest {

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofSeconds(20), Duration.ofSeconds(5), 10),
            10,
            new PushBudget(1_000_000),
            new RequestIds(),
            loop,
            "127.0.0.1");
    private final List<String> sent = new ArrayList<>();

    private final List<String> told = new ArrayList<>();

    private FakeTransport slowTransport() {
        return new FakeTransport(loop, false, payload -> sent.add(payload.type()), () -> {});
    }

    @Test
    void aSlowClientIsAskedToMoveAsWell() {
        ClientConnection slow = new ClientConnection(
                "slow", new ClientIdentity("10.0.0.1", "", "", Map.of()), slowTransport(), registry);
        ClientConnection gone = new ClientConnection(
                "gone", new ClientIdentity("10.0.0.2", "", "", Map.of()), slowTransport(), registry);
        registry.register(slow);
        registry.register(gone);
        registry.closed(gone);

        registry.reset(slow, "", 8848, MoveReason.OPERATOR);
        registry.reset(gone, "", 8848, MoveReason.OPERATOR);
        loop.run();

        assertThat(sent).containsExactly("ConnectResetRequest");
    }

    @Test
    void clientIsNotNotifiedAgainOfPendingPushes() {
        ClientConnection slow = new ClientConnection(
                "slow", new ClientIdentity("10.0.0.1", "", "", Map.of()), slowTransport(), registry);
        registry.register(slow);
        Subscriptions<String> subscriptions = new Subscriptions<>();
        WatchedKey<String> underWay = subscriptions.watch("under way", slow);
        WatchedKey<String> taken = subscriptions.watch("taken", slow);
        slow.push(underWay, new NoPush());

        slow.remind(underWay, () -> told.add("under way"));
        slow.remind(taken, () -> told.add("taken"));
        assertThat(told).as("on its event loop").isEmpty();
        loop.run();
        assertThat(told).containsExactly("taken");

        registry.closed(slow);
        slow.remind(taken, () -> told.add("gone"));
        loop.run();
        assertThat(told).containsExactly("taken");
    }

    @Test
    void listenerGetsTheGrayReleaseOfItsTag() {
        ClientConnection connection = new ClientConnection(
                "tagged",
                new ClientIdentity("10.0.0.1", "", "", Map.of("Vipserver-Tag", "said at the set-up")),
                slowTransport(),
                registry);
        WatchedKey<String> watched = new Subscriptions<String>().watch("key", connection);
        connection.watches().add(watched, 0);

        assertThat(connection.holding(watched).reader().tag()).isNull();
        connection.listensAs("canary");
        assertThat(connection.holding(watched).reader().tag()).isEqualTo("canary");
    }

    /** Never sent. */
    private static final class NoPush extends Push {

        NoPush() {
            super(
                    new PushKind(
                            new PushSettings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofHours(1), 4),
                            new PushMeters(new SimpleMeterRegistry(), "test")),
                    "1",
                    0,
                    1);
        }

        @Override
        public String replyType() {
            return "Response";
        }

        @Override
        protected Payload encode(int variant) {
            throw new AssertionError("the line takes nothing");
        }
    }
}
