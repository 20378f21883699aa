package io.cairn.server.push;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SubscriptionsTest {

    private final Subscriptions<String> subscriptions = new Subscriptions<>();

    @Test
    void allWhoWatchAKeyShareOneList() {
        TestWatcher first = new TestWatcher();
        TestWatcher second = new TestWatcher();

        WatchedKey<String> watched = subscriptions.watch("a", first);

        assertThat(subscriptions.watch("a", second)).isSameAs(watched).isSameAs(subscriptions.find("a"));
        assertThat(watched.key()).isEqualTo("a");
        assertThat(watched.snapshot()).containsExactlyInAnyOrder(first, second);
        assertThat(subscriptions.watch("b", first).ordinal()).isNotEqualTo(watched.ordinal());
        assertThat(subscriptions.keys()).isEqualTo(2);
        assertThat(subscriptions.pairs()).isEqualTo(3);
    }

    @Test
    void aKeyIsForgottenWithItsLastWatcher() {
        TestWatcher first = new TestWatcher();
        TestWatcher second = new TestWatcher();
        WatchedKey<String> watched = subscriptions.watch("a", first);
        subscriptions.watch("a", second);

        subscriptions.unwatch(watched, first);
        assertThat(watched.snapshot()).containsExactly(second);
        second.closed = true;
        subscriptions.closed(watched);

        assertThat(subscriptions.find("a")).isNull();
        assertThat(subscriptions.keys()).isZero();
        assertThat(subscriptions.pairs()).isZero();
    }

    @Test
    void removedKeyStartsAgainWithItsNextWatcher() {
        TestWatcher watcher = new TestWatcher();
        WatchedKey<String> before = subscriptions.watch("a", watcher);
        subscriptions.unwatch(before, watcher);

        WatchedKey<String> after = subscriptions.watch("a", watcher);

        assertThat(after).isNotSameAs(before).isSameAs(subscriptions.find("a"));
        assertThat(after.ordinal()).isNotEqualTo(before.ordinal());
        assertThat(before.add(watcher)).as("the old list takes nobody").isFalse();
    }

    @Test
    void manyWatchersRemovedAtOnceCostFewPassesOverTheList() {
        AtomicLong asked = new AtomicLong();
        List<TestWatcher> watchers = watchers(20_000, asked);
        WatchedKey<String> watched = watchAll(watchers);

        for (TestWatcher watcher : watchers) {
            watcher.closed = true;
            subscriptions.closed(watched);
        }

        assertThat(subscriptions.keys()).isZero();
        assertThat(subscriptions.pairs()).isZero();
        assertThat(asked).as("questions whether a watcher is closed").hasValueLessThanOrEqualTo(4 * 20_000);
    }

    @Test
    void lateClosedReportsDoNotCostAPassEach() {
        AtomicLong asked = new AtomicLong();
        List<TestWatcher> watchers = watchers(4_000, asked);
        WatchedKey<String> watched = watchAll(watchers);

        // Half of them close on two event loops; the first loop's words come before the second's.
        watchers.subList(0, 2_000).forEach(watcher -> watcher.closed = true);
        for (int i = 0; i < 2_000; i++) {
            subscriptions.closed(watched);
        }
        assertThat(watched.snapshot()).hasSize(2_000);
        assertThat(watched.watchers()).isEqualTo(2_000);
        asked.set(0);

        for (TestWatcher watcher : watchers.subList(2_000, 2_400)) {
            watcher.closed = true;
            subscriptions.closed(watched);
        }

        assertThat(asked).hasValueLessThanOrEqualTo(4 * 400);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void listHasAllWatchersAndFewClosedOnes(long seed) {
        Random random = new Random(seed);
        AtomicLong asked = new AtomicLong();
        Set<TestWatcher> watching = new HashSet<>();
        List<TestWatcher> silentlyClosed = new ArrayList<>();
        TestWatcher anchor = new TestWatcher(asked);
        WatchedKey<String> watched = subscriptions.watch("a", anchor);
        watching.add(anchor);
        int reports = 0;
        for (int step = 0; step < 5_000; step++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    TestWatcher watcher = new TestWatcher(asked);
                    watching.add(watcher);
                    subscriptions.watch("a", watcher);
                }
                case 2 ->
                    any(watching, anchor, random).ifPresent(watcher -> {
                        watching.remove(watcher);
                        subscriptions.unwatch(watched, watcher);
                    });
                case 3 ->
                    any(watching, anchor, random).ifPresent(watcher -> {
                        watching.remove(watcher);
                        watcher.closed = true;
                        silentlyClosed.add(watcher);
                    });
                default -> {
                    if (!silentlyClosed.isEmpty()) {
                        silentlyClosed.remove(random.nextInt(silentlyClosed.size()));
                        subscriptions.closed(watched);
                        reports++;
                    }
                }
            }
            assertThat(subscriptions.pairs()).isEqualTo(watching.size() + silentlyClosed.size());
        }
        Watcher[] snapshot = watched.snapshot();
        assertThat(snapshot).containsAll(watching);
        assertThat(asked).hasValueLessThanOrEqualTo(4L * reports);

        silentlyClosed.forEach(closed -> subscriptions.closed(watched));
        for (TestWatcher watcher : watching) {
            subscriptions.unwatch(watched, watcher);
        }
        assertThat(subscriptions.pairs()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void watchersOfALoopStayAdjacent(long seed) {
        Random random = new Random(seed);
        List<Executor> loops = List.of(task -> {}, Runnable::run, task -> fail("not to be called"));
        List<TestWatcher> watching = new ArrayList<>();
        TestWatcher last = new TestWatcher(loops.get(0));
        WatchedKey<String> watched = subscriptions.watch("a", last);
        watching.add(last);
        for (int step = 0; step < 2_000; step++) {
            int choice = random.nextInt(5);
            if (choice < 2) {
                TestWatcher watcher = new TestWatcher(loops.get(random.nextInt(loops.size())));
                subscriptions.watch("a", watcher);
                watching.add(watcher);
            } else if (watching.size() > 1 && choice == 2) {
                subscriptions.unwatch(watched, watching.remove(1 + random.nextInt(watching.size() - 1)));
            } else if (watching.size() > 1 && choice == 3) {
                watching.remove(1 + random.nextInt(watching.size() - 1)).closed = true;
                subscriptions.closed(watched);
            } else {
                assertThat(shared(watched)).containsAll(watching);
            }
        }
        assertThat(shared(watched)).containsAll(watching);
    }

    /** All watchers of the shares. Checks that each share has one loop, and each loop one share. */
    private static Set<Watcher> shared(WatchedKey<String> watched) {
        WatchedKey.Shares shares = watched.shares();
        Set<Executor> seen = new HashSet<>();
        int from = 0;
        for (int end : shares.ends()) {
            Executor loop = shares.watchers()[from].loop();
            assertThat(seen.add(loop)).as("a loop of its own").isTrue();
            assertThat(Arrays.copyOfRange(shares.watchers(), from, end))
                    .isNotEmpty()
                    .allMatch(watcher -> watcher.loop() == loop);
            from = end;
        }
        assertThat(from).isEqualTo(shares.watchers().length);
        assertThat(shares.watchers()).doesNotHaveDuplicates().containsExactlyInAnyOrder(watched.snapshot());
        return Set.of(shares.watchers());
    }

    @Test
    void loopOfAWatcherIsNotReadAgainWithEachChange() {
        AtomicInteger asked = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            subscriptions.watch("a", new TestWatcher() {
                @Override
                public Executor loop() {
                    asked.incrementAndGet();
                    return super.loop();
                }
            });
        }
        WatchedKey<String> watched = Objects.requireNonNull(subscriptions.find("a"));
        watched.shares();
        assertThat(asked).hasValue(100);

        WatchedKey.Shares again = watched.shares();

        assertThat(asked).hasValue(100);
        assertThat(again.watchers()).hasSize(100);
        assertThat(again.ends()).containsExactly(100);
    }

    private static Optional<TestWatcher> any(Set<TestWatcher> from, TestWatcher but, Random random) {
        List<TestWatcher> others = new ArrayList<>(from);
        others.remove(but);
        return others.isEmpty() ? Optional.empty() : Optional.of(others.get(random.nextInt(others.size())));
    }

    @Test
    void noWatcherIsLostWhileOthersLeaveTheSameKey() throws Exception {
        int threads = 4;
        int rounds = 20_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Random random = new Random(thread);
                tasks.add(() -> {
                    comeAndGo(random, rounds);
                    return null;
                });
            }
            for (Future<Void> task : pool.invokeAll(tasks, PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                task.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertThat(subscriptions.pairs()).isZero();
        assertThat(subscriptions.keys()).isZero();
    }

    /** Uses two keys for all threads, so that lists are retired and created all the time. */
    private void comeAndGo(Random random, int rounds) {
        for (int round = 0; round < rounds; round++) {
            TestWatcher watcher = new TestWatcher();
            Map<String, WatchedKey<String>> watches = new HashMap<>();
            for (String key : List.of("a", "b")) {
                if (random.nextInt(3) > 0) {
                    watches.put(key, subscriptions.watch(key, watcher));
                }
            }
            watches.forEach((key, watched) -> {
                assertThat(subscriptions.find(key)).isSameAs(watched);
                assertThat(watched.snapshot()).contains(watcher);
            });
            if (random.nextBoolean()) {
                watches.values().forEach(watched -> subscriptions.unwatch(watched, watcher));
            } else {
                watcher.closed = true;
                List<WatchedKey<String>> left = new ArrayList<>(watches.values());
                Collections.shuffle(left, random);
                left.forEach(subscriptions::closed);
            }
        }
    }

    private static List<TestWatcher> watchers(int count, AtomicLong asked) {
        List<TestWatcher> watchers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            watchers.add(new TestWatcher(asked));
        }
        return watchers;
    }

    private WatchedKey<String> watchAll(List<TestWatcher> watchers) {
        WatchedKey<String> watched = null;
        for (TestWatcher watcher : watchers) {
            watched = subscriptions.watch("a", watcher);
        }
        return watched;
    }
}
