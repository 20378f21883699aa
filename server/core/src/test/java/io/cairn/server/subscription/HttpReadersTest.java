package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HttpReadersTest {

    private static final ServiceKey ORDERS = new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, "orders");
    private static final Duration LONG = Duration.ofHours(1);

    private final Timer timer = new HashedWheelTimer();
    private final AtomicLong nanos = new AtomicLong();
    private final HttpReaders readers = new HttpReaders(() -> 10_000, timer, nanos::get);

    @AfterEach
    void stop() {
        timer.stop();
    }

    private void list(String service, String ip) {
        readers.listed(
                new Selection(new ServiceKey(Namespace.DEFAULT, ServiceKey.DEFAULT_GROUP, service), ""),
                ip,
                "curl/8",
                "app");
    }

    private void passSeconds(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    private CompletableFuture<ListAcknowledgements.Result> await(Duration within) {
        return readers.await(ORDERS, within).toCompletableFuture();
    }

    @Test
    void clientHasTheListWhenItListsAgain() {
        list("orders", "10.0.0.1");
        passSeconds(1);
        CompletableFuture<ListAcknowledgements.Result> result = await(LONG);
        passSeconds(1);
        list("other", "10.0.0.1");
        assertThat(result).isNotDone();

        list("orders", "10.0.0.1");

        assertThat(result).isCompletedWithValue(new ListAcknowledgements.Result(1, List.of()));
    }

    @Test
    void clientThatDoesNotListAgainIsWaitedOut() {
        list("orders", "10.0.0.1");
        passSeconds(9);
        CompletableFuture<ListAcknowledgements.Result> result = await(LONG);
        assertThat(result).isNotDone();
        passSeconds(1);

        // The timer of the test runs in real time; a list of another client checks as well.
        list("orders", "10.0.0.2");

        assertThat(result).isCompletedWithValue(new ListAcknowledgements.Result(1, List.of()));
    }

    @Test
    void clientIsNamedAtTheTimeLimit() {
        list("orders", "10.0.0.1");
        assertThat(await(Duration.ZERO).join().late())
                .containsExactly(new LateSubscriber("http", "", "10.0.0.1", 0, "curl/8", "app", "", "", ""));
    }

    @Test
    void clientThatListedLongAgoIsNotAwaited() {
        list("orders", "10.0.0.1");
        passSeconds(10);
        assertThat(await(LONG)).isCompletedWithValue(new ListAcknowledgements.Result(0, List.of()));
    }

    @Test
    void clientsBeyondTheLimitAreNamedTogether() {
        for (int i = 0; i < HttpReaders.MAX_READERS + 1; i++) {
            list("other", "10.0." + i / 256 + '.' + i % 256);
        }
        assertThat(await(Duration.ZERO).join().late())
                .extracting(LateSubscriber::agent)
                .containsExactly("more than 10000 clients list over HTTP");

        passSeconds(10);
        list("orders", "10.1.0.1");
        assertThat(await(Duration.ZERO).join().late()).hasSize(1);
    }
}
