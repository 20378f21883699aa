package io.cairn.server.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pauses of a key after its dispatch. */
class PushDispatcherCoolDownTest {

    /** Enough watchers that the dispatcher's thread handles their change. */
    private static final int MANY = 40;

    private static final long AN_HOUR = TimeUnit.HOURS.toNanos(1);

    private final Subscriptions<String> subscriptions = new Subscriptions<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final AtomicLong state = new AtomicLong();
    private final List<Integer> paced = new CopyOnWriteArrayList<>();
    private volatile long coolDownNanos;
    private final PushDispatcher<String> dispatcher =
            new PushDispatcher<>("test-push", subscriptions, this::create, (push, watchers) -> {
                paced.add(watchers);
                return coolDownNanos;
            });

    /** Like the factory of services: null if the watchers have the state already. */
    private Push create(WatchedKey<String> watched, long committedNanos) {
        long now = state.get();
        synchronized (watched) {
            if (Long.valueOf(now).equals(watched.lastShown())) {
                return null;
            }
            watched.shown(now);
        }
        return new TextPush(Integer.toString(ids.incrementAndGet()), watched.key() + now);
    }

    @AfterEach
    void close() {
        dispatcher.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void theFirstChangeIsBroughtAtOnceAndThoseOfTheRestTogether(int others) {
        coolDownNanos = TimeUnit.MILLISECONDS.toNanos(300);
        TestWatcher watcher = watch("a", others);
        dispatcher.start();

        long began = System.nanoTime();
        change("a");
        await().until(() -> watcher.heard.size() == 1);
        for (int i = 0; i < 100; i++) {
            change("a");
        }

        await().until(() -> watcher.heard.contains("a101/0"));
        // Where this thread is held up for longer than the cool-down, the changes come in more parts: one for each
        // cool-down.
        long coolDowns = (System.nanoTime() - began) / coolDownNanos;
        assertThat(watcher.heard.get(watcher.heard.size() - 1)).isEqualTo("a101/0");
        assertThat(watcher.heard.size()).isLessThanOrEqualTo((int) coolDowns + 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void pausedKeyDoesNotDelayOthers(int others) {
        TestWatcher cooling = watch("a", others);
        TestWatcher other = watch("b", others);
        coolDownNanos = AN_HOUR;
        dispatcher.start();
        change("a");
        await().until(() -> cooling.heard.size() == 1);
        awaitCoolDown(others);
        change("a");

        coolDownNanos = 0;
        for (int i = 1; i <= 5; i++) {
            int expected = i;
            change("b");
            await().until(() -> other.heard.size() == expected);
        }

        assertThat(cooling.heard).hasSize(1);
    }

    @Test
    void paceGetsTheNumberOfNotifiedWatchers() {
        watch("a", 9);
        watch("b", 99);
        dispatcher.start();

        change("a");
        change("b");

        await().untilAsserted(() -> assertThat(paced).containsExactlyInAnyOrder(10, 100));
    }

    @Test
    void changeBackToTheKnownStateIsNotPushed() {
        coolDownNanos = TimeUnit.MILLISECONDS.toNanos(50);
        TestWatcher watcher = watch("a", MANY);
        TestWatcher other = watch("b", MANY);
        dispatcher.start();
        change("a");
        await().until(() -> watcher.heard.size() == 1);

        state.incrementAndGet();
        dispatcher.changed("a");
        state.decrementAndGet();
        change("b");
        await().until(() -> other.heard.size() == 1);

        state.decrementAndGet();
        dispatcher.changed("a");
        change("a");
        await().until(() -> watcher.heard.get(watcher.heard.size() - 1).equals("a2/0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void noChangeIsLostWhereARestEnds(int others) {
        coolDownNanos = TimeUnit.MICROSECONDS.toNanos(1_500);
        TestWatcher watcher = watch("a", others);
        dispatcher.start();
        Random random = new Random(7);

        for (int round = 0; round < 300; round++) {
            change("a");
            // About as long as a cool-down, so that the change comes shortly before its end, at it, or after it.
            LockSupport.parkNanos(random.nextInt(3_000_000));
            change("a");
            String last = "a" + state.get() + "/0";
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> watcher.heard.contains(last));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, MANY})
    void ofTwoChangesAtTheSameTimeTheLaterStateIsTheLaterPush(int others) throws Exception {
        coolDownNanos = TimeUnit.MICROSECONDS.toNanos(10);
        TestWatcher watcher = watch("a", others);
        dispatcher.start();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(new Thread(() -> {
                for (int n = 0; n < 2_000; n++) {
                    change("a");
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        await().until(() -> watcher.heard.contains("a8000/0"));
        List<Long> heard = watcher.heard.stream()
                .map(text -> Long.parseLong(text.substring(1, text.indexOf('/'))))
                .toList();
        assertThat(heard).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void changeDispatchedToOneWatcherIsStillDispatchedToTheOthers() {
        coolDownNanos = TimeUnit.SECONDS.toNanos(2);
        TestWatcher other = watch("a", MANY);
        TestWatcher one = new TestWatcher();
        WatchedKey<String> watched = subscriptions.watch("a", one);
        dispatcher.start();
        change("a");
        await().until(() -> one.heard.size() == 1 && other.heard.size() == 1);
        awaitCoolDown(MANY);

        change("a");
        dispatcher.dispatchTo(watched, one);

        assertThat(one.heard).contains("a2/0");
        await().until(() -> other.heard.equals(List.of("a1/0", "a2/0")));
    }

    @Test
    void aRestInWhichNothingChangesEndsWithoutTheThread() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        coolDownNanos = TimeUnit.MILLISECONDS.toNanos(20);
        TestWatcher watcher = watch("a", MANY);
        dispatcher.start();
        change("a");
        await().until(() -> watcher.heard.size() == 1);
        long id = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("test-push") && !before.contains(thread))
                .findFirst()
                .orElseThrow()
                .getId();
        var threads = ManagementFactory.getThreadMXBean();
        long waited = threads.getThreadInfo(id).getWaitedCount();

        for (int i = 2; i < 12; i++) {
            int expected = i;
            long cooled = System.nanoTime() + 2 * coolDownNanos;
            await().until(() -> System.nanoTime() > cooled);
            change("a");
            await().until(() -> watcher.heard.size() == expected);
        }

        // One for each change, not three; some more where a thread was held up and a change came into a cool-down.
        assertThat(threads.getThreadInfo(id).getWaitedCount() - waited).isLessThanOrEqualTo(16);
    }

    @Test
    void closingLeavesKeysThatCoolDown() {
        coolDownNanos = AN_HOUR;
        TestWatcher watcher = watch("a", MANY);
        dispatcher.start();
        change("a");
        await().until(() -> watcher.heard.size() == 1);
        awaitCoolDown(MANY);
        change("a");

        dispatcher.close();

        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().equals("test-push")));
        assertThat(watcher.heard).hasSize(1);
    }

    /** The watchers hear of a change before its key cools down; that of another key is dispatched after both. */
    private void awaitCoolDown(int others) {
        TestWatcher later = watch("later", others);
        dispatcher.changed("later");
        await().until(() -> later.heard.size() == 1);
    }

    private void change(String key) {
        state.incrementAndGet();
        dispatcher.changed(key);
    }

    private TestWatcher watch(String key, int others) {
        for (int i = 0; i < others; i++) {
            subscriptions.watch(key, new TestWatcher());
        }
        TestWatcher watcher = new TestWatcher();
        subscriptions.watch(key, watcher);
        return watcher;
    }
}
