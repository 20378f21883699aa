package io.cairn.server.push;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushDispatcherTest {

    /** Enough watchers that the dispatcher's thread handles their change. */
    private static final int MANY = 40;

    private final Subscriptions<String> subscriptions = new Subscriptions<>();
    private final List<String> created = new CopyOnWriteArrayList<>();
    private final AtomicInteger ids = new AtomicInteger();
    private volatile CountDownLatch gate = new CountDownLatch(0);
    private final PushDispatcher<String> dispatcher =
            new PushDispatcher<>("test-push", subscriptions, (watched, committedNanos) -> {
                String key = watched.key();
                created.add(key);
                awaitGate();
                if (key.startsWith("broken")) {
                    throw new IllegalStateException("a push that cannot be made, for a test");
                }
                return new TextPush(Integer.toString(ids.incrementAndGet()), key);
            });

    @AfterEach
    void close() {
        gate.countDown();
        dispatcher.close();
    }

    @Test
    void changeIsDispatchedToAllWatchersOfItsKey() {
        TestWatcher first = new TestWatcher();
        TestWatcher second = new TestWatcher();
        TestWatcher other = new TestWatcher();
        subscriptions.watch("a", first);
        subscriptions.watch("a", second);
        subscriptions.watch("b", other);
        dispatcher.start();

        dispatcher.changed("a");

        await().until(() -> !first.heard.isEmpty() && !second.heard.isEmpty());
        assertThat(first.heard).containsExactly("a/0");
        assertThat(second.heard).containsExactly("a/0");
        assertThat(created).containsExactly("a");
        assertThat(other.heard).isEmpty();
    }

    @Test
    void changeOfAnUnwatchedKeyCostsNothing() {
        TestWatcher watcher = new TestWatcher();
        subscriptions.watch("a", watcher);
        dispatcher.start();

        dispatcher.changed("unwatched");
        dispatcher.changed("a");

        await().until(() -> !watcher.heard.isEmpty());
        assertThat(created).containsExactly("a");
    }

    @Test
    void changesOfAKeyBeforeItsTurnAreBroughtOnceAndKeysKeepTheirOrder() {
        TestWatcher watcher = new TestWatcher();
        for (String key : List.of("first", "a", "b", "c")) {
            crowd(key, MANY);
            subscriptions.watch(key, watcher);
        }
        gate = new CountDownLatch(1);
        dispatcher.start();
        dispatcher.changed("first");
        await().until(() -> created.size() == 1);
        for (int i = 0; i < 1_000; i++) {
            dispatcher.changed("a");
            dispatcher.changed("b");
            dispatcher.changed("c");
        }

        gate.countDown();

        await().until(() -> watcher.heard.size() >= 4);
        assertThat(watcher.heard).containsExactly("first/0", "a/0", "b/0", "c/0");
        dispatcher.changed("a");
        await().until(() -> watcher.heard.size() == 5);
    }

    @Test
    void eachLoopGetsItsShareInSlices() {
        CountingLoop one = new CountingLoop();
        CountingLoop two = new CountingLoop();
        List<TestWatcher> watchers = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            TestWatcher watcher = new TestWatcher(i % 3 == 0 ? one : two);
            watchers.add(watcher);
            subscriptions.watch("a", watcher);
        }
        dispatcher.start();

        dispatcher.changed("a");

        await().until(() -> one.tasks.size() == 2 && two.tasks.size() == 3);
        assertThat(watchers).allMatch(watcher -> watcher.heard.isEmpty());
        one.tasks.forEach(Runnable::run);
        two.tasks.forEach(Runnable::run);
        assertThat(watchers).allMatch(watcher -> watcher.heard.equals(List.of("a/0")));
        assertThat(created).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void throwingWatcherDoesNotBlockTheOthers(int others) {
        crowd("a", others);
        crowd("broken", others);
        List<TestWatcher> watchers = new ArrayList<>();
        IntStream.range(0, 20).forEach(i -> {
            TestWatcher watcher = i % 5 == 1 ? new ThrowingWatcher() : new TestWatcher();
            watchers.add(watcher);
            subscriptions.watch("a", watcher);
        });
        dispatcher.start();

        dispatcher.changed("a");

        await().until(() -> watchers.stream().allMatch(watcher -> watcher.heard.size() == 1));
        await().untilAsserted(() -> assertThat(watchers)
                .allMatch(watcher -> !(watcher instanceof ThrowingWatcher thrower) || thrower.missed.size() == 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void endedLoopDoesNotBlockOtherWatchers(int others) {
        crowd("a", others);
        crowd("broken", others);
        TestWatcher gone = new TestWatcher((Executor) task -> {
            throw new RejectedExecutionException("the loop has ended");
        });
        TestWatcher there = new TestWatcher();
        subscriptions.watch("a", gone);
        subscriptions.watch("a", there);
        dispatcher.start();

        dispatcher.changed("a");

        await().until(() -> there.heard.size() == 1);
        assertThat(gone.heard).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void aPushThatCannotBeMadeDoesNotStopTheNextOne(int others) {
        crowd("a", others);
        crowd("broken", others);
        TestWatcher watcher = new TestWatcher();
        subscriptions.watch("broken", watcher);
        subscriptions.watch("a", watcher);
        dispatcher.start();

        dispatcher.changed("broken");
        dispatcher.changed("a");

        await().until(() -> watcher.heard.equals(List.of("a/0")));
    }

    @Test
    void changeIsNotDispatchedToAWatcherRemovedBeforeItsTurn() {
        TestWatcher leaver = new TestWatcher();
        TestWatcher watcher = new TestWatcher();
        subscriptions.watch("first", watcher);
        crowd("first", MANY);
        crowd("a", MANY);
        WatchedKey<String> watched = subscriptions.watch("a", leaver);
        gate = new CountDownLatch(1);
        dispatcher.start();
        dispatcher.changed("first");
        await().until(() -> created.size() == 1);
        dispatcher.changed("a");
        subscriptions.unwatch(watched, leaver);

        gate.countDown();
        dispatcher.changed("first");

        await().until(() -> watcher.heard.size() == 2);
        assertThat(created).containsExactly("first", "a", "first");
        assertThat(leaver.heard).isEmpty();
    }

    @Test
    void closingEndsItsThread() {
        dispatcher.start();
        await().until(() -> isRunning("test-push"));

        dispatcher.close();
        dispatcher.close();

        await().until(() -> !isRunning("test-push"));
    }

    private void crowd(String key, int watchers) {
        for (int i = 0; i < watchers; i++) {
            subscriptions.watch(key, new TestWatcher());
        }
    }

    private static boolean isRunning(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals(name));
    }

    private void awaitGate() {
        try {
            assertThat(gate.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Fails in all the ways there are, one after the other. */
    private static final class ThrowingWatcher extends TestWatcher {

        private static final AtomicInteger THROWN = new AtomicInteger();

        private final List<String> missed = new CopyOnWriteArrayList<>();

        @Override
        public void changed(WatchedKey<?> watched, Push push) {
            super.changed(watched, push);
            if (THROWN.getAndIncrement() % 2 == 0) {
                throw new OutOfMemoryError("direct memory, for a test");
            }
            throw new IllegalStateException("a watcher that fails, for a test");
        }

        @Override
        public void missed(String why) {
            missed.add(why);
            throw new IllegalStateException("one that cannot be given up either, for a test");
        }
    }

    private static final class CountingLoop implements Executor {

        private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }
    }
}
