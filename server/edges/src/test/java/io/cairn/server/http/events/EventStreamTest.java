package io.cairn.server.http.events;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.auth.Principal;
import io.cairn.server.testing.LogWatch;
import io.netty.util.HashedWheelTimer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How a stream of events ends. */
class EventStreamTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "g", "d");

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final EventHub hub = new EventHub(new AccessPolicy(false), timer, EventHub.HEARTBEAT);
    private final AtomicInteger asked = new AtomicInteger();

    @AfterEach
    void stop() {
        timer.stop();
    }

    private EventStream open(Supplier<Identity> who) throws Exception {
        EventStream stream = hub.open(who, Namespace.DEFAULT, null);
        assertThat(next(stream)).contains("event: hello");
        return stream;
    }

    private static String next(EventStream stream) throws Exception {
        byte[] piece = stream.next().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        return piece == null ? null : new String(piece, StandardCharsets.UTF_8);
    }

    @Test
    void endsOnceTheCallerCannotBeVerified() throws Exception {
        List<Supplier<Identity>> defects = List.of(
                () -> {
                    throw new IllegalStateException("no accounts");
                },
                () -> {
                    throw new OutOfMemoryError("no room");
                });
        for (Supplier<Identity> defect : defects) {
            asked.set(0);
            EventStream stream = open(() -> {
                asked.incrementAndGet();
                return defect.get();
            });
            try (LogWatch log = new LogWatch()) {
                hub.configChanged(KEY);

                assertThat(next(stream)).isNull();
                assertThat(hub.size()).isZero();
                hub.configChanged(KEY);
                assertThat(next(stream)).isNull();
                assertThat(asked).hasValue(1);
                assertThat(log.takeAlarms()).singleElement().asString().contains("stream of events", "EventStreamTest");
            }
        }
    }

    @Test
    void readerThatAsksWhileTheStreamEndsIsAnswered() throws Exception {
        ExecutorService others = Executors.newFixedThreadPool(3);
        try {
            for (int i = 0; i < 50; i++) {
                EventStream stream = open(() -> Principal.UNCHECKED);
                AtomicBoolean isOver = new AtomicBoolean();
                // Events at the same time: the lock is in demand, so that the question falls between two uses of it.
                Runnable events = () -> {
                    while (!isOver.get()) {
                        stream.offer(new LiveEvent.ConfigEvent(KEY));
                    }
                };
                List<Future<?>> changes = List.of(others.submit(events), others.submit(events));
                Future<?> ended = others.submit(stream::end);
                CompletableFuture<byte[]> asked = stream.next().toCompletableFuture();
                ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                isOver.set(true);
                for (Future<?> change : changes) {
                    change.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }

                // Events come before the end where they were gathered for as long as it takes.
                byte[] piece = asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                assertThat(piece == null ? asked : stream.next().toCompletableFuture())
                        .isCompletedWithValue(null);
            }
        } finally {
            others.shutdownNow();
        }
    }

    @Test
    void endsWithTheRightToIt() throws Exception {
        AtomicInteger turn = new AtomicInteger();
        EventStream stream = open(() -> turn.incrementAndGet() == 1 ? Principal.UNCHECKED : Denial.EXPIRED);
        hub.configChanged(KEY);
        assertThat(next(stream)).contains("event: config");
        hub.configChanged(KEY);

        assertThat(next(stream)).isNull();
        assertThat(hub.size()).isZero();
    }
}
