package io.cairn.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.push.HandDrivenLoop;
import io.cairn.server.push.PushBudget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
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

    /** Takes nothing at the moment, as the transport of a client that reads slowly. */
    private final class FullLine implements ClientConnection.Line {

        @Override
        public Executor loop() {
            return loop;
        }

        @Override
        public boolean isReady() {
            return false;
        }

        @Override
        public void send(Payload payload) {
            sent.add(payload.type());
        }

        @Override
        public void close(boolean stopping) {}
    }

    @Test
    void aSlowClientIsAskedToMoveAsWell() {
        ClientConnection slow = new ClientConnection(
                "slow", new ClientIdentity("10.0.0.1", "", "", Map.of()), new FullLine(), registry);
        ClientConnection gone = new ClientConnection(
                "gone", new ClientIdentity("10.0.0.2", "", "", Map.of()), new FullLine(), registry);
        registry.register(slow);
        registry.register(gone);
        registry.closed(gone);

        registry.reset(slow, "", 8848);
        registry.reset(gone, "", 8848);
        loop.run();

        assertThat(sent).containsExactly("ConnectResetRequest");
    }
}
