package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.connection.PushReply;
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
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A client that wants six configurations and listens to four of them on its first connection to this server. */
class LostListensTest {

    private static final int WANTED = 6;

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final RequestIds requestIds = new RequestIds();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofDays(1), Duration.ofSeconds(5), 10),
            10,
            new PushBudget(1_000_000),
            requestIds,
            loop,
            "127.0.0.1");
    private final Counter healed = new SimpleMeterRegistry().counter("healed");
    private final ChangeFeed feed = new ChangeFeed();
    private final List<String> notified = new ArrayList<>();
    private Principal reader = Principal.UNCHECKED;
    private int listened = 4;
    private int resets;
    private ClientConnection connection;

    /** Answers each question as the official client does. */
    private void answer(Payload payload) {
        if (payload.type().equals(MessageCatalog.CONNECT_RESET_REQUEST)) {
            resets++;
        } else if (payload.type().equals(MessageCatalog.CLIENT_CONFIG_METRIC_REQUEST)) {
            String requestId = JsonInput.read(payload, LostListensTest::requestId);
            Payload answer = Payload.of(
                    MessageCatalog.CLIENT_CONFIG_METRIC_RESPONSE,
                    ("{\"resultCode\":200,\"requestId\":\"" + requestId
                                    + "\",\"metrics\":{\"client-1\":\"{\\\"listenConfigSize\\\":" + WANTED
                                    + "}\"}}")
                            .getBytes(StandardCharsets.UTF_8));
            loop.execute(() -> assertThat(connection.answersQuestion(PushReply.of(answer), answer))
                    .isTrue());
        }
    }

    private static String requestId(JsonInput in) {
        String id = null;
        for (String field = in.nextField(); field != null; field = in.nextField()) {
            if (field.equals("requestId")) {
                id = in.text();
            } else {
                in.skip();
            }
        }
        return id;
    }

    private void connect(boolean hasPeers) throws Exception {
        new LostListens(
                        registry,
                        requestIds,
                        loop,
                        healed,
                        new LatestChanges(feed),
                        (connection, key) -> notified.add(key.dataId()),
                        Duration.ofSeconds(6),
                        hasPeers)
                .follow();
        connection = new ClientConnection(
                "1_127.0.0.1_5000",
                new ClientIdentity("10.0.0.1", "Nacos-Java-Client:v2.5.1", "", Map.of("module", "config")),
                FakeTransport.of(loop, this::answer),
                registry);
        Subscriptions<String> subscriptions = new Subscriptions<>();
        for (int i = 0; i < listened; i++) {
            connection.watches().add(subscriptions.watch("config-" + i, connection), 0);
        }
        connection.watchedBy(reader, false);
        assertThat(registry.register(connection)).isTrue();
        change("after the set-up");
        loop.pass(Duration.ofSeconds(10));
    }

    private void change(String dataId) {
        feed.announce(List.of(new ConfigChanged(
                new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", dataId),
                1,
                Optional.empty(),
                Optional.of(ContentDigest.of(dataId)))));
    }

    @Test
    void itIsNotifiedOnceOfEachChangeThatItMayReadWithinItsNamespace() throws Exception {
        connect(false);

        assertThat(notified).containsExactly("after the set-up");
    }

    @Test
    void itIsNotNotifiedOfChangesThatItMayNotRead() throws Exception {
        reader = Principal.ANONYMOUS;

        connect(false);

        assertThat(notified).isEmpty();
    }

    @Test
    void doesNotNotifyClientThatListensToAll() throws Exception {
        listened = WANTED;

        connect(true);

        assertThat(notified).isEmpty();
        assertThat(resets).isZero();
    }

    @Test
    void clusterNodeResetsClientThatLacksListens() throws Exception {
        connect(true);

        assertThat(resets).isEqualTo(1);
        assertThat(healed.count()).isEqualTo(1);
    }

    @Test
    void singleServerDoesNotResetTheClient() throws Exception {
        connect(false);

        assertThat(resets).isZero();
    }

    @Test
    void clusterNodeResetsAClientAtMostTwice() throws Exception {
        connect(true);
        loop.pass(Duration.ofHours(1));

        assertThat(resets).isEqualTo(2);
    }
}
