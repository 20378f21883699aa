package io.cairn.server.subscription.fuzzy;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.server.auth.ReadScope;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FuzzyWatchesTest {

    private static final String SPELLED = "public>>*>>n*";
    private static final FuzzyPattern PATTERN = new FuzzyPattern(Namespace.DEFAULT, "*", "n*");

    private final TestNames names = new TestNames();
    private final TestWatcher one = new TestWatcher();
    private final TestWatcher other = new TestWatcher();
    private FuzzyWatches<String> watches = watches(20, 500);

    private FuzzyWatches<String> watches(int patterns, int matches) {
        return new FuzzyWatches<>(names, new TestMessages(), new FuzzyLimits(patterns, matches));
    }

    @AfterEach
    void stop() {
        one.close();
        other.close();
    }

    private void add(String... added) {
        for (String name : added) {
            names.add(name);
            watches.changed(name);
        }
    }

    private void remove(String... removed) {
        for (String name : removed) {
            names.remove(name);
            watches.changed(name);
        }
    }

    private FuzzyOutcome watch(TestWatcher watcher, boolean initial, String... received) {
        return watches.watch(SPELLED, PATTERN, ReadScope.ALL, watcher.connection(), List.of(received), initial);
    }

    @Test
    void newWatcherGetsAllNamesInBatchesAndThenTheEnd() {
        add("n1", "n2", "n3", "n4", "n5", "x1");

        assertThat(watch(one, true)).isEqualTo(FuzzyOutcome.WATCHING);

        assertThat(one.next()).isEqualTo("init 1/3 +n1 +n2");
        assertThat(one.isIdle()).as("one batch at a time").isTrue();
        one.acknowledge();
        assertThat(one.next()).isEqualTo("init 2/3 +n3 +n4");
        one.acknowledge();
        assertThat(one.next()).isEqualTo("init 3/3 +n5");
        one.acknowledge();
        assertThat(one.next()).isEqualTo("finished");
        one.acknowledge();
        assertThat(one.isIdle()).isTrue();
    }

    @Test
    void newWatcherWithoutMatchesGetsTheEndAtOnce() {
        add("x1");

        watch(one, true);

        assertThat(one.next()).isEqualTo("finished");
    }

    @Test
    void watcherWithNamesGetsTheDifferences() {
        add("n1", "n2");

        watch(one, false, "n2", "n9", "n8");

        assertThat(one.next()).isEqualTo("diff 1/2 -n9 -n8");
        one.acknowledge();
        assertThat(one.next()).isEqualTo("diff 2/2 +n1");
        one.acknowledge();
        assertThat(one.isIdle()).as("no end is sent after differences").isTrue();
    }

    @Test
    void watcherWithAllNamesGetsNothing() {
        add("n1", "n2");

        watch(one, false, "n2", "n1");

        assertThat(one.isIdle()).isTrue();
    }

    @Test
    void allWatchersGetAddedAndRemovedNames() {
        watch(one, false);
        watch(other, false);

        add("n1", "x1");
        remove("n1", "x1");
        add("n2");

        for (TestWatcher watcher : List.of(one, other)) {
            assertThat(watcher.next()).isEqualTo("+n1");
            assertThat(watcher.next()).isEqualTo("-n1");
            assertThat(watcher.next()).isEqualTo("+n2");
            assertThat(watcher.isIdle()).isTrue();
        }
    }

    @Test
    void sendsNothingWithoutAChange() {
        add("n1");
        watch(one, false, "n1");

        add("n1");
        watches.changed("n2");

        assertThat(one.isIdle()).isTrue();
    }

    @Test
    void changesOfAnUnacknowledgedBatchAreSentAfterIt() {
        add("n1", "n2", "n3");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/2 +n1 +n2");

        remove("n1", "n3");
        add("n4");

        assertThat(one.next()).as("not in this batch").isEqualTo("-n3");
        one.acknowledge();
        assertThat(one.next()).as("not in this batch").isEqualTo("+n4");
        one.acknowledge();
        assertThat(one.isIdle()).isTrue();
        one.acknowledge("init 1/2 +n1 +n2");
        assertThat(one.next()).isEqualTo("-n1");
        one.acknowledge();
        assertThat(one.next()).as("the second batch has become empty").isEqualTo("finished");
    }

    @Test
    void onlyTheLastChangeDuringABatchIsSent() {
        add("n1");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/1 +n1");

        remove("n1");
        add("n1");
        remove("n1");
        one.acknowledge();

        assertThat(one.next()).isEqualTo("-n1");
        one.acknowledge();
        assertThat(one.next()).isEqualTo("finished");
        one.acknowledge();
        assertThat(one.isIdle()).isTrue();
    }

    @Test
    void batchContainsTheStateWhenItIsSent() {
        add("n1", "n2", "n3");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/2 +n1 +n2");
        remove("n3");
        assertThat(one.next()).isEqualTo("-n3");
        add("n3");
        assertThat(one.next()).isEqualTo("+n3");
        one.acknowledge("init 1/2 +n1 +n2");

        assertThat(one.next()).isEqualTo("init 2/2 +n3");
    }

    @Test
    void newComparisonReplacesTheUnfinishedOne() {
        add("n1", "n2", "n3");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/2 +n1 +n2");
        remove("n1");

        watch(one, true);

        assertThat(one.next()).as("the deferred change").isEqualTo("-n1");
        assertThat(one.next()).isEqualTo("init 1/1 +n2 +n3");
        one.acknowledge("init 1/2 +n1 +n2");
        assertThat(one.isIdle()).as("the older batch has no effect").isTrue();
        one.acknowledge("init 1/1 +n2 +n3");
        assertThat(one.next()).isEqualTo("finished");
        one.acknowledge();
        add("n5");
        assertThat(one.next()).isEqualTo("+n5");
        assertThat(one.isIdle()).as("there is one watch").isTrue();
    }

    @Test
    void batchIsNotRetriedAfterNewerMessagesAboutItsNames() {
        add("n1", "n2");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/1 +n1 +n2");
        remove("n1");

        // The acknowledgement is lost; the client has got the names by other messages, and watches again with nothing
        // missing.
        watch(one, false, "n2");

        assertThat(one.next()).isEqualTo("-n1");
        one.acknowledge();
        assertThat(one.isIdle()).isTrue();
        assertThat(one.unanswered()).as("messages that may still be retried").isZero();
    }

    @Test
    void sendsNothingAfterACancellation() {
        add("n1", "n2", "n3");
        watch(one, true);
        assertThat(one.next()).isEqualTo("init 1/2 +n1 +n2");

        watches.cancel(SPELLED, one.connection());
        one.acknowledge();
        add("n4");

        assertThat(one.isIdle()).isTrue();
        assertThat(watches.pairs()).isZero();
        watches.cancel(SPELLED, one.connection());
    }

    @Test
    void removesWatchesOfAClosedConnection() {
        watch(one, false);
        watches.watch(
                "public>>*>>*",
                new FuzzyPattern(Namespace.DEFAULT, "*", "*"),
                ReadScope.ALL,
                one.connection(),
                List.of(),
                false);
        watch(other, false);

        watches.closed(one.connection());

        assertThat(watches.pairs()).isOne();
    }

    @Test
    void refusesPatternsAboveTheLimitUntilOthersAreCancelled() {
        watches = watches(1, 500);
        assertThat(watch(one, false)).isEqualTo(FuzzyOutcome.WATCHING);
        assertThat(watch(other, false)).as("the same pattern").isEqualTo(FuzzyOutcome.WATCHING);
        FuzzyPattern all = new FuzzyPattern(Namespace.DEFAULT, "*", "*");

        assertThat(watches.watch("all", all, ReadScope.ALL, one.connection(), List.of(), false))
                .isEqualTo(FuzzyOutcome.TOO_MANY_PATTERNS);
        watches.cancel(SPELLED, one.connection());
        assertThat(watches.watch("all", all, ReadScope.ALL, one.connection(), List.of(), false))
                .isEqualTo(FuzzyOutcome.TOO_MANY_PATTERNS);
        watches.cancel(SPELLED, other.connection());
        assertThat(watches.watch("all", all, ReadScope.ALL, one.connection(), List.of(), false))
                .isEqualTo(FuzzyOutcome.WATCHING);
    }

    @Test
    void matchesAboveTheLimitAreSentWhenOthersAreRemoved() {
        watches = watches(20, 2);
        add("n1", "n2", "n3", "n4", "n5", "n6");
        assertThat(watch(one, true)).isEqualTo(FuzzyOutcome.TOO_MANY_MATCHES);
        one.takeAll();
        assertThat(one.known()).containsExactly("n1", "n2");

        add("n7");
        assertThat(one.isIdle()).isTrue();
        Set<String> present = new TreeSet<>(Set.of("n1", "n2", "n3", "n4", "n5", "n6", "n7"));
        for (String gone : List.of("n1", "n5", "n2", "n4", "n3")) {
            remove(gone);
            present.remove(gone);
            one.takeAll();
            assertThat(one.known()).hasSize(2).isSubsetOf(present);
        }
        assertThat(one.known()).containsExactlyInAnyOrder("n6", "n7");
        remove("n6");
        one.takeAll();
        assertThat(one.known()).containsExactly("n7");
        assertThat(watch(other, true)).isEqualTo(FuzzyOutcome.WATCHING);
    }

    @Test
    void keepsKnownNamesAboveTheLimitWhileTheyExist() {
        watches = watches(20, 2);
        add("n1", "n2", "n3", "n4", "n5", "n6");

        watch(one, false, "n1", "n2", "n3", "n6");
        assertThat(one.isIdle()).isTrue();

        remove("n6");
        assertThat(one.next()).isEqualTo("-n6");
        remove("n3");
        assertThat(one.next()).isEqualTo("-n3");
    }

    @Test
    void allWatchersEndWithTheCurrentNamesAfterConcurrentChanges() throws Exception {
        watches = watches(20, 10_000);
        int threads = 4;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<TestWatcher> watchers = List.of(one, other, new TestWatcher(), new TestWatcher());
        watchers.forEach(TestWatcher::runByItself);
        List<Future<?>> done = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            TestWatcher own = watchers.get(t);
            done.add(pool.submit(() -> {
                for (int i = 0; i < 2_000; i++) {
                    String name = "n" + random.nextInt(40);
                    if (random.nextBoolean()) {
                        add(name);
                    } else {
                        remove(name);
                    }
                    if (i % 50 == 0) {
                        watches.cancel(SPELLED, own.connection());
                    }
                    if (i % 50 == 0 || i % 70 == 0) {
                        // Messages that were pending at the cancellation are handled by now.
                        own.settle();
                        watches.watch(
                                SPELLED, PATTERN, ReadScope.ALL, own.connection(), own.known(), random.nextBoolean());
                    }
                }
            }));
        }
        for (Future<?> each : done) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        pool.shutdown();

        for (TestWatcher watcher : watchers) {
            await().untilAsserted(() -> assertThat(watcher.known()).isEqualTo(names.present()));
        }
        watchers.forEach(TestWatcher::close);
    }
}
