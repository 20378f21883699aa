package io.cairn.server.rpc.config;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import io.cairn.server.push.PushBudget;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.subscription.ConfigSightings;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.HashedWheelTimer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A change at the moment at which a client starts to listen: it is reported by the response or by a push. */
class CompareAndRegisterTest {

    private static final int ROUNDS = 30_000;
    private static final ConfigLimits LIMITS = new ConfigLimits(1_000, 10_000);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ChangeFeed feed = new ChangeFeed();
    private final ConfigView view = new ConfigView(feed, 1_000_000);
    private final ConfigService configs =
            new ConfigService(null, view, LIMITS, new ContentLoader(null, view, Runnable::run, 1, 10));
    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final RequestIds ids = new RequestIds();
    private final ConnectionRegistry registry = new ConnectionRegistry(
            new ConnectionSettings(Duration.ofHours(1), Duration.ofHours(1), 10),
            10,
            new PushBudget(1_000_000),
            ids,
            timer,
            "127.0.0.1");
    private final PushKind kind = new PushKind(
            new PushSettings(Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1), 10),
            new PushMeters(meters, "test"));
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final PushDispatcher<ConfigKey> dispatcher = new PushDispatcher<>(
            "test-push",
            subscriptions,
            (watched, committedNanos) ->
                    new ConfigChangePush(kind, watched.key(), ids.next(), committedNanos, "127.0.0.1"));
    private final ConfigBatchListenHandler handler = new ConfigBatchListenHandler(
            configs,
            subscriptions,
            new io.cairn.server.limit.Limit("watches-per-connection", "", 1_000_000),
            new RevisionGate(new NothingApplied(), new Following(), timer, Duration.ofSeconds(1), CatchUp.NOT_NEEDED),
            ConfigSightings.NONE);
    /** The clients of this test send no revision. */
    private record NothingApplied() implements RevisionFollower {

        @Override
        public void wake(long revision) {}

        @Override
        public long appliedRevision() {
            return NONE;
        }

        @Override
        public void follow(Listener listener) {}
    }

    private final ExecutorService writer = Executors.newSingleThreadExecutor();
    private final ExecutorService loop = Executors.newSingleThreadExecutor();

    @BeforeEach
    void start() {
        registry.onClose(connection -> connection.watches().clear(WatchedKey::closed));
        feed.follow(change -> dispatcher.changed(change.key()));
        dispatcher.start();
    }

    @AfterEach
    void stop() {
        dispatcher.close();
        timer.stop();
        writer.shutdownNow();
        loop.shutdownNow();
    }

    @Test
    void losesNoChangeBetweenComparisonAndRegistration() throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        Random random = new Random(1);
        int told = 0;
        int pushed = 0;
        show(0);
        for (int round = 1; round <= ROUNDS; round++) {
            AtomicInteger pushes = new AtomicInteger();
            FakeTransport client = FakeTransport.staysOpen(loop, payload -> pushes.incrementAndGet());
            ClientConnection connection = new ClientConnection(
                    Integer.toString(round), new ClientIdentity("127.0.0.1", "", "", Map.of()), client, registry);
            assertThat(registry.register(connection)).isTrue();
            Payload listen = Payload.of(
                    "ConfigBatchListenRequest",
                    "127.0.0.1",
                    ("{\"configListenContexts\":[{\"dataId\":\"a\",\"group\":\"g\",\"md5\":\"" + md5(round - 1)
                                    + "\"}]}")
                            .getBytes(StandardCharsets.UTF_8));
            int next = round;
            int writerLater = random.nextInt(2_000);
            int listenerLater = random.nextInt(2_000);
            Future<?> write = writer.submit(() -> {
                together.await();
                spin(writerLater);
                show(next);
                return null;
            });
            together.await();
            spin(listenerLater);
            Payload answer = handler.handle(handler.read(listen), connection, Principal.UNCHECKED)
                    .toCompletableFuture()
                    .join();
            write.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            if (answer.bodyText().contains("\"dataId\":\"a\"")) {
                told++;
            } else {
                pushed++;
                if (pushes.get() == 0) {
                    await().pollInterval(Duration.ofMillis(1)).until(() -> pushes.get() > 0);
                }
            }
            // On the event loop, where the end of a connection is noticed, too.
            CompletableFuture.runAsync(() -> registry.closed(connection), loop).join();
        }
        assertThat(told).as("changes reported by the response").isPositive();
        assertThat(pushed).as("changes that were pushed").isPositive();
        assertThat(subscriptions.pairs()).isZero();
        assertThat(subscriptions.keys()).isZero();
    }

    /** The effect of a commit in the store. */
    private void show(int number) {
        PublishConfig command = ConfigDraft.named("a", "g", null)
                .content("content " + number)
                .build()
                .check(LIMITS, new Author(null, "127.0.0.1"));
        ConfigEntry before = view.entry(command.key());
        ConfigChanged change = new ConfigChanged(
                command.key(),
                number,
                Optional.ofNullable(before).map(ConfigEntry::digest),
                Optional.of(command.digest()));
        view.published(
                command,
                new ConfigEntry(
                        command.key(), command.digest(), command.attributes().type(), number, "", null),
                change);
        view.announce(change);
    }

    private static String md5(int number) {
        return ContentDigest.of("content " + number).toString();
    }

    private static void spin(int nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
    }
}
