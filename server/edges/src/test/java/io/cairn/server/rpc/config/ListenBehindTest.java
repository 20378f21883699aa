package io.cairn.server.rpc.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.auth.Principal;
import io.cairn.server.change.CatchUp;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.change.Following;
import io.cairn.server.change.RevisionFollower;
import io.cairn.server.change.RevisionGate;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.limit.Limit;
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ConfigSightings;
import io.cairn.server.testing.HandDrivenLoop;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A listen that finds another content than that of the client, on a node that may be behind the one that the client comes from. */
class ListenBehindTest {

    private static final ConfigLimits LIMITS = new ConfigLimits(1_000, 10_000);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final Store store = new Store();
    private final ConfigView view = new ConfigView(new ChangeFeed(), 1_000_000);
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final CatchUp catchUp = new CatchUp(
            new CatchUp.Sources(store, new Following(), () -> false, loop),
            new CatchUp.Settings(Duration.ofHours(1), Duration.ofHours(1)));
    private final ConfigBatchListenHandler handler = new ConfigBatchListenHandler(
            new ConfigService(null, view, LIMITS, new ContentLoader(null, view, Runnable::run, 1, 10)),
            subscriptions,
            new Limit("watches-per-connection", "", 1_000),
            new RevisionGate(store, new Following(), loop, Duration.ofSeconds(1), catchUp),
            ConfigSightings.NONE);
    private final ClientConnection connection = new ClientConnection(
            "1",
            new ClientIdentity("127.0.0.1", "", "", Map.of()),
            FakeTransport.unused(loop),
            new ConnectionRegistry(
                    new ConnectionSettings(Duration.ofHours(1), Duration.ofHours(1), 10),
                    10,
                    new PushBudget(1_000_000),
                    new RequestIds(),
                    loop,
                    "127.0.0.1"));

    /** A store that is read when the test says so. */
    private static final class Store implements RevisionFollower {

        private CompletableFuture<Boolean> next = new CompletableFuture<>();
        private int asked;

        @Override
        public void wake(long revision) {
            throw new AssertionError("only a look is asked for");
        }

        @Override
        public long appliedRevision() {
            return 1;
        }

        @Override
        public CompletionStage<Boolean> check() {
            asked++;
            return next;
        }

        @Override
        public void follow(Listener listener) {}

        void looked() {
            CompletableFuture<Boolean> begun = next;
            next = new CompletableFuture<>();
            begun.complete(true);
        }
    }

    @BeforeEach
    void showTheContentBefore() {
        show("a", 9);
        show("b", 9);
    }

    private void show(String dataId, int number) {
        PublishConfig command = ConfigDraft.named(dataId, "g", null)
                .content("content " + number)
                .build()
                .check(LIMITS, new Author(null, "127.0.0.1"));
        view.published(
                command,
                new ConfigEntry(
                        command.key(), command.digest(), command.attributes().type(), number, "", null),
                new ConfigChanged(command.key(), number, Optional.empty(), Optional.of(command.digest())));
    }

    private static String context(String dataId, int number) {
        return "{\"dataId\":\"" + dataId + "\",\"group\":\"g\",\"md5\":\"" + ContentDigest.of("content " + number)
                + "\"}";
    }

    private CompletableFuture<Payload> listen(String... contexts) {
        Payload message = Payload.of(
                "ConfigBatchListenRequest",
                "127.0.0.1",
                ("{\"configListenContexts\":[" + String.join(",", contexts) + "]}").getBytes(StandardCharsets.UTF_8));
        return handler.handle(handler.read(message), connection, Principal.UNCHECKED)
                .toCompletableFuture();
    }

    private void looked() {
        store.looked();
        loop.run();
    }

    private ContentDigest held(String dataId) {
        WatchedKey<ConfigKey> watched = subscriptions.find(ConfigWire.key(dataId, "g", null));
        return connection.watches().held(watched);
    }

    @Test
    void aClientThatIsAheadIsNotNotifiedOfTheContentBefore() {
        CompletableFuture<Payload> answer = listen(context("a", 10), context("b", 8));
        assertThat(answer).isNotDone();

        show("a", 10);
        looked();

        assertThat(answer.join().bodyText()).doesNotContain("\"dataId\":\"a\"").contains("\"dataId\":\"b\"");
        assertThat(held("a")).isEqualTo(ContentDigest.of("content 10"));
        assertThat(held("b")).isEqualTo(ContentDigest.of("content 8"));
    }

    @Test
    void aClientWhoseContentIsTheSameDoesNotWait() {
        assertThat(listen(context("a", 9)).join().bodyText()).doesNotContain("dataId");
        assertThat(store.asked).isZero();
    }

    @Test
    void aListenThatIsRepeatedHasItsContentFromThisNode() {
        listen(context("a", 9)).join();
        show("a", 10);

        assertThat(listen(context("a", 9)).join().bodyText()).contains("\"dataId\":\"a\"");
        assertThat(store.asked).isZero();
    }

    @Test
    void aListenThatIsRepeatedWaitsWhereThisNodeIsBehind() {
        listen(context("a", 9)).join();
        catchUp.shownElsewhere(2);

        CompletableFuture<Payload> answer = listen(context("a", 10));
        assertThat(answer).isNotDone();
        show("a", 10);
        looked();

        assertThat(answer.join().bodyText()).doesNotContain("dataId");
    }

    @Test
    void aListenIsAnsweredWithoutALookThatTakesTooLong() throws Exception {
        CompletableFuture<Payload> answer = listen(context("a", 10));

        loop.pass(CatchUp.WITHIN);

        assertThat(answer.join().bodyText()).contains("\"dataId\":\"a\"");
    }
}
