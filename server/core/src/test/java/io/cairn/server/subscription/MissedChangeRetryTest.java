package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.push.Push;
import io.cairn.server.push.Subscriptions;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MissedChangeRetryTest {

    private static final ConfigKey KEY = new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "app.yaml");

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final Subscriptions<ConfigKey> subscriptions = new Subscriptions<>();
    private final Counter again = new SimpleMeterRegistry().counter("again");
    private final Set<Watcher> behind = new HashSet<>();
    private final List<Watcher> told = new ArrayList<>();
    private final MissedChangeRetry late = late(loop);
    private Runnable whenJudged = () -> {};
    private final Watcher one = new SilentWatcher();
    private final Watcher other = new SilentWatcher();

    private MissedChangeRetry late(Executor executor) {
        return new MissedChangeRetry(
                subscriptions,
                (watched, watcher) -> {
                    whenJudged.run();
                    return behind.contains(watcher);
                },
                (watched, watcher) -> told.add(watcher),
                again,
                new MissedChangeRetry.Schedule(loop, executor, MissedChangeRetry.FIRST),
                loop::nanoTime);
    }

    @Test
    void listenerThatHasFollowedIsNotNotifiedAgain() throws Exception {
        subscriptions.watch(KEY, one);

        late.changed(KEY);
        loop.pass(Duration.ofMinutes(10));

        assertThat(told).isEmpty();
        assertThat(late.pending()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void onlyListenersBehindAfterTenSecondsAreNotifiedAgain() throws Exception {
        subscriptions.watch(KEY, one);
        subscriptions.watch(KEY, other);
        behind.add(other);

        late.changed(KEY);
        loop.pass(Duration.ofMillis(9_999));
        assertThat(told).isEmpty();
        loop.pass(Duration.ofMillis(1));

        assertThat(told).containsExactly(other);
        assertThat(again.count()).isEqualTo(1);
        behind.clear();
        loop.pass(Duration.ofMinutes(10));
        assertThat(told).as("it has followed").hasSize(1);
        assertThat(late.pending()).isZero();
    }

    @Test
    void notifiesListenerThatNeverFollowsAtGrowingPausesAndThenStops() throws Exception {
        subscriptions.watch(KEY, one);
        behind.add(one);

        late.changed(KEY);
        List<Integer> times = new ArrayList<>();
        for (int seconds : new int[] {10, 20, 40, 80, 160, 3_600}) {
            loop.pass(Duration.ofSeconds(seconds).minusMillis(1));
            times.add(told.size());
            loop.pass(Duration.ofMillis(1));
            times.add(told.size());
        }

        assertThat(times).containsExactly(0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5);
        assertThat(late.pending()).isZero();
    }

    @Test
    void changeDuringThePauseRestartsTheChecks() throws Exception {
        subscriptions.watch(KEY, one);
        behind.add(one);
        late.changed(KEY);
        loop.pass(Duration.ofSeconds(6));
        late.changed(KEY);

        loop.pass(Duration.ofMillis(9_999));
        assertThat(told).isEmpty();
        loop.pass(Duration.ofMillis(1));
        assertThat(told).hasSize(1);

        loop.pass(Duration.ofSeconds(19));
        late.changed(KEY);
        loop.pass(Duration.ofMillis(9_999));
        assertThat(told).as("it has been told of that change just now").hasSize(1);
        loop.pass(Duration.ofMillis(1));
        assertThat(told).hasSize(2);
        loop.pass(Duration.ofHours(1));
        assertThat(told).hasSize(6);
    }

    @Test
    void changeDuringACheckIsCheckedTenSecondsLater() throws Exception {
        subscriptions.watch(KEY, one);
        whenJudged = () -> {
            whenJudged = () -> {};
            behind.add(one);
            late.changed(KEY);
        };

        late.changed(KEY);
        loop.pass(Duration.ofSeconds(10));
        assertThat(told).hasSize(1);
        loop.pass(Duration.ofMillis(9_999));
        assertThat(told).hasSize(1);
        loop.pass(Duration.ofMillis(1));

        assertThat(told).as("ten seconds after the second change").hasSize(2);
    }

    @Test
    void checksAChangeAfterTenSecondsForAnyFormerPause() throws Exception {
        subscriptions.watch(KEY, one);
        behind.add(one);
        late.changed(KEY);
        loop.pass(Duration.ofSeconds(10 + 20 + 40 + 80));
        assertThat(told).hasSize(4);

        late.changed(KEY);
        loop.pass(Duration.ofSeconds(10));
        assertThat(told).hasSize(5);
        behind.clear();
        loop.pass(Duration.ofHours(1));
        assertThat(told).hasSize(5);
        assertThat(late.pending()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void notifiesAListenerOfOneKeyAtATime() throws Exception {
        List<ConfigKey> keys = IntStream.range(0, 3)
                .mapToObj(i -> new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "app-" + i))
                .toList();
        for (ConfigKey key : keys) {
            subscriptions.watch(key, one);
            subscriptions.watch(key, other);
            late.changed(key);
        }
        behind.add(one);
        behind.add(other);

        loop.pass(Duration.ofSeconds(10));
        assertThat(told).containsExactlyInAnyOrder(one, other);
        loop.pass(MissedChangeRetry.BETWEEN.minusNanos(1));
        assertThat(told).hasSize(2);
        loop.pass(Duration.ofNanos(1));
        assertThat(told).hasSize(4);

        behind.remove(one);
        loop.pass(MissedChangeRetry.BETWEEN);
        assertThat(told).as("the one has followed meanwhile").hasSize(5).endsWith(other);
        behind.clear();
        loop.pass(Duration.ofHours(1));
        assertThat(told).hasSize(5);
        assertThat(late.pending()).isZero();
    }

    @Test
    void keyWithoutListenersSchedulesNoCheck() {
        late.changed(KEY);

        assertThat(late.pending()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void keyThatLostItsListenersIsForgotten() throws Exception {
        WatchedKey<ConfigKey> watched = subscriptions.watch(KEY, one);
        behind.add(one);
        late.changed(KEY);

        subscriptions.unwatch(watched, one);
        loop.pass(Duration.ofSeconds(10));

        assertThat(told).isEmpty();
        assertThat(late.pending()).isZero();
    }

    @Test
    void checksAreDelayedWhenTheExecutorIsBusy() throws Exception {
        subscriptions.watch(KEY, one);
        behind.add(one);
        List<Runnable> refused = new ArrayList<>();
        MissedChangeRetry busy = late(task -> {
            if (refused.isEmpty()) {
                refused.add(task);
                throw new RejectedExecutionException("full, for a test");
            }
            task.run();
        });

        busy.changed(KEY);
        loop.pass(Duration.ofSeconds(10));
        assertThat(refused).hasSize(1);
        assertThat(told).isEmpty();
        loop.pass(Duration.ofSeconds(10));

        assertThat(told).containsExactly(one);
    }

    @Test
    void failedCheckIsRetried() throws Exception {
        subscriptions.watch(KEY, one);
        behind.add(one);
        whenJudged = () -> {
            throw new IllegalStateException("for a test");
        };
        late.changed(KEY);
        loop.pass(Duration.ofSeconds(10));
        assertThat(told).isEmpty();

        whenJudged = () -> whenJudged = () -> {
            whenJudged = () -> {};
            throw new OutOfMemoryError("in its row, for a test");
        };
        loop.pass(Duration.ofSeconds(20));
        assertThat(told).isEmpty();

        loop.pass(Duration.ofSeconds(40));
        assertThat(told).containsExactly(one);
        behind.clear();
        loop.pass(Duration.ofHours(1));
        assertThat(late.pending()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    private static final class SilentWatcher implements Watcher {

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void changed(WatchedKey<?> watched, Push push) {
            throw new AssertionError("nothing is pushed here");
        }
    }
}
