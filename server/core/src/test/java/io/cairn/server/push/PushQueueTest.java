package io.cairn.server.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.cairn.api.wire.Payload;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.testing.HandDrivenLoop;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PushQueueTest {

    private static final Duration ACK_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(2);
    private static final Duration PLACE = Duration.ofNanos(PushQueue.PLACE_NANOS);
    private static final int MAX_RETRIES = 4;
    private static final int MAX_IN_FLIGHT = 3;
    private static final PushSettings SETTINGS =
            new PushSettings(ACK_TIMEOUT, RETRY_DELAY, Duration.ofHours(1), MAX_RETRIES);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Receiver receiver = new Receiver(loop);
    private final PushBudget budget = new PushBudget(1_000_000);
    private final AckCoalescer answers =
            new AckCoalescer(new AckCoalescerTest.Io(), (blocker, nanos) -> fail("a queue does not rest"));
    private final PushQueue queue = new PushQueue(receiver, MAX_IN_FLIGHT, budget, loop, loop::nanoTime, answers);
    private final PushKind kind = new PushKind(SETTINGS, new PushMeters(meters, "test"));
    private final Subscriptions<String> home = new Subscriptions<>();
    private int ordinals;
    private int ids;

    PushQueueTest() {
        receiver.queue = queue;
    }

    @Test
    void aPushIsSentAtOnceInTheVariantOfItsReceiver() {
        queue.add(key("a"), push("a1"), 1);

        assertThat(receiver.sent).containsExactly("a1/1");
        assertThat(queue.size()).isOne();
    }

    @Test
    void anAcknowledgedPushIsForgottenAndItsTimeOutServesThoseThatFollow() throws Exception {
        queue.add(key("a"), push("a1"), 0);

        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true)).isTrue();

        assertThat(queue.size()).isZero();
        assertThat(loop.waits()).containsExactly(ACK_TIMEOUT);
        assertThat(counted(MeterNames.PUSH_SENT)).isOne();
        assertThat(meters.timer(MeterNames.PUSH_LATENCY, "kind", "test").count())
                .isOne();

        loop.pass(ACK_TIMEOUT.minusMillis(1));
        queue.add(key("a"), push("a2"), 0);
        assertThat(loop.waits()).containsExactly(Duration.ofMillis(1));
        loop.pass(Duration.ofMillis(1));
        assertThat(receiver.idle).isZero();
        assertThat(loop.waits()).containsExactly(ACK_TIMEOUT.minusMillis(1));

        queue.answered("2", TextPush.REPLY_TYPE, true);
        loop.pass(ACK_TIMEOUT);
        assertThat(receiver.idle).isOne();
        assertThat(receiver.sent).containsExactly("a1/0", "a2/0");
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void itHoldsWhatWaitsOrIsUnansweredUntilItIsAnswered() {
        WatchedKey<String> unanswered = key("a");
        WatchedKey<String> waiting = key("b");
        queue.add(unanswered, push("a1"), 0);
        assertThat(queue.holds(waiting)).isFalse();
        receiver.ready = false;
        queue.add(waiting, push("b1"), 0);

        assertThat(queue.holds(unanswered)).isTrue();
        assertThat(queue.holds(waiting)).isTrue();
        queue.answered("1", TextPush.REPLY_TYPE, true);

        assertThat(queue.holds(unanswered)).isFalse();
        assertThat(queue.holds(waiting)).isTrue();
    }

    @Test
    void callsBackOnceTheLastPushOfAKeyIsAcknowledged() throws Exception {
        WatchedKey<String> watched = key("a");
        List<String> settled = new ArrayList<>();
        queue.whenSettled(watched, () -> settled.add("without a push"));
        assertThat(settled).containsExactly("without a push");

        queue.add(watched, push("a1"), 0);
        queue.add(key("b"), push("b1"), 0);
        queue.whenSettled(watched, () -> settled.add("first"));
        queue.whenSettled(watched, () -> settled.add("second"));
        queue.answered("2", TextPush.REPLY_TYPE, true);
        assertThat(settled).as("another key's acknowledgement").hasSize(1);
        queue.add(watched, push("a2"), 0);
        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true))
                .as("a replaced push")
                .isFalse();
        assertThat(settled).hasSize(1);
        queue.answered("3", TextPush.REPLY_TYPE, false);
        assertThat(settled).as("a refusal").hasSize(1);

        loop.pass(RETRY_DELAY);
        queue.answered("3", TextPush.REPLY_TYPE, true);

        assertThat(settled).containsExactly("without a push", "first", "second");
    }

    @Test
    void callsBackForAPendingPushAndAtTheEndOfTheQueue() {
        WatchedKey<String> forgotten = key("a");
        WatchedKey<String> left = key("b");
        List<String> settled = new ArrayList<>();
        receiver.ready = false;
        queue.add(forgotten, push("a1"), 0);
        queue.add(left, push("b1"), 0);
        queue.whenSettled(forgotten, () -> settled.add("forgotten"));
        queue.whenSettled(left, () -> settled.add("closed"));
        assertThat(settled).isEmpty();

        queue.forget(forgotten);
        assertThat(settled).containsExactly("forgotten");

        queue.clear();
        assertThat(settled).containsExactly("forgotten", "closed");
    }

    @Test
    void acknowledgementOfAnUnknownPushReturnsFalse() {
        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true)).isFalse();
        assertThat(queue.answered(null, TextPush.REPLY_TYPE, true)).isFalse();

        queue.add(key("a"), push("a1"), 0);

        assertThat(queue.answered("77", TextPush.REPLY_TYPE, true)).isFalse();
        assertThat(queue.answered(null, "OtherResponse", true)).isFalse();
        assertThat(queue.size()).isOne();
    }

    @Test
    void anAnswerWithoutAnIdIsThatOfTheOldestPushOfItsType() {
        queue.add(key("other"), new TextPush(kind, "other", "o1", "OtherResponse"), 0);
        queue.add(key("a"), new TextPush("first", "a1"), 0);
        queue.add(key("b"), new TextPush("second", "b1"), 0);

        assertThat(queue.answered(null, TextPush.REPLY_TYPE, true)).isTrue();

        assertThat(queue.answered("first", TextPush.REPLY_TYPE, true)).isFalse();
        assertThat(queue.answered("second", TextPush.REPLY_TYPE, true)).isTrue();
        assertThat(queue.answered("other", "OtherResponse", true)).isTrue();
    }

    @Test
    void anAnswerOfAnyTypeCountsWhenItNamesTheId() {
        queue.add(key("a"), push("a1"), 0);

        assertThat(queue.answered("1", "SomethingElseResponse", true)).isTrue();
        assertThat(queue.size()).isZero();
    }

    @Test
    void moreThanTheLimitWaitUntilOneIsAcknowledged() {
        for (String name : List.of("a", "b", "c", "d", "e")) {
            queue.add(key(name), push(name), 0);
        }
        assertThat(receiver.sent).containsExactly("a/0", "b/0", "c/0");

        queue.answered("2", TextPush.REPLY_TYPE, true);

        assertThat(receiver.sent).containsExactly("a/0", "b/0", "c/0", "d/0");
        assertThat(queue.size()).isEqualTo(4);
    }

    @Test
    void pendingKeyIsSentOnceWithItsNewestStateAndVariant() {
        receiver.ready = false;
        WatchedKey<String> a = key("a");
        WatchedKey<String> b = key("b");
        queue.add(a, push("a1"), 0);
        queue.add(b, push("b1"), 0);
        queue.add(a, push("a2"), 0);
        queue.add(a, push("a3"), 1);
        assertThat(queue.size()).isEqualTo(2);

        receiver.ready = true;
        queue.drain();

        assertThat(receiver.sent).containsExactlyInAnyOrder("a3/1", "b1/0");
    }

    @Test
    void newerPushOfAKeyReplacesTheUnacknowledgedOne() throws Exception {
        WatchedKey<String> a = key("a");
        queue.add(a, push("a1"), 0);
        queue.add(a, push("a2"), 0);

        assertThat(receiver.sent).containsExactly("a1/0", "a2/0");
        assertThat(queue.size()).isOne();
        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true)).isFalse();

        loop.pass(ACK_TIMEOUT.plus(RETRY_DELAY));
        assertThat(receiver.sent).containsExactly("a1/0", "a2/0", "a2/0");
    }

    @Test
    void receiverThatReadsNothingCostsOneEntryForEachKey() {
        receiver.ready = false;
        List<WatchedKey<String>> keys = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            keys.add(key("k" + i));
        }
        for (int change = 0; change < 50_000; change++) {
            queue.add(keys.get(change % 200), push("v" + change), 0);
        }

        assertThat(queue.size()).isEqualTo(200);
        assertThat(receiver.sent).isEmpty();
    }

    @Test
    void receiverThatReadsNothingForLongIsDropped() throws Exception {
        queue.add(key("sent"), push("sent"), 0);
        queue.answered("1", TextPush.REPLY_TYPE, true);
        receiver.ready = false;
        queue.add(key("a"), push("a1"), 0);
        loop.pass(Duration.ofSeconds(200));
        queue.add(key("b"), push("b1"), 0);

        loop.pass(Duration.ofSeconds(100).minusMillis(1));
        assertThat(receiver.dropped).isEmpty();
        loop.pass(Duration.ofMillis(1));

        assertThat(receiver.dropped).singleElement().asString().contains("300 s");
        assertThat(queue.size()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void receiverThatReadsNowAndThenIsNotDropped() throws Exception {
        for (int i = 0; i < 10; i++) {
            receiver.ready = false;
            queue.add(key("a"), push("a" + i), 0);
            loop.pass(Duration.ofSeconds(299));
            receiver.ready = true;
            queue.drain();
            assertThat(receiver.sent).last().isEqualTo("a" + i + "/0");
            queue.answered(Integer.toString(ids), TextPush.REPLY_TYPE, true);
        }
        loop.pass(Duration.ofHours(1));

        assertThat(receiver.dropped).isEmpty();
    }

    @Test
    void keysThatAreNeverAcknowledgedDoNotHoldUpTheOthers() throws Exception {
        for (String name : List.of("never-1", "never-2", "never-3", "a", "b")) {
            queue.add(key(name), push(name), 0);
        }
        loop.pass(PLACE.minusMillis(1));
        assertThat(receiver.sent).hasSize(MAX_IN_FLIGHT);

        loop.pass(Duration.ofMillis(1));

        assertThat(receiver.sent).endsWith("never-3/0", "a/0", "b/0");
        assertThat(queue.answered("4", TextPush.REPLY_TYPE, true)).isTrue();
        assertThat(queue.answered("5", TextPush.REPLY_TYPE, true)).isTrue();
        queue.add(key("c"), push("c"), 0);
        assertThat(receiver.sent).endsWith("c/0");
    }

    @Test
    void slowPushesAreRetriedAndAcknowledgedLikeOthers() throws Exception {
        for (String name : List.of("a", "b", "c", "d")) {
            queue.add(key(name), push(name), 0);
        }
        loop.pass(PLACE);
        assertThat(answers.awaited()).as("the fourth alone takes a place").isOne();

        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true)).isTrue();
        assertThat(queue.answered("4", TextPush.REPLY_TYPE, true)).isTrue();
        assertThat(answers.awaited()).isZero();
        loop.pass(ACK_TIMEOUT.minus(PLACE).plus(RETRY_DELAY));

        assertThat(receiver.sent).containsExactly("a/0", "b/0", "c/0", "d/0", "b/0", "c/0");
        assertThat(answers.awaited()).as("repeated, they take places again").isEqualTo(2);
    }

    @Test
    void pushKeepsItsPlaceWhileNoneIsPending() throws Exception {
        for (String name : List.of("a", "b", "c", "d")) {
            queue.add(key(name), push(name), 0);
        }
        queue.answered("1", TextPush.REPLY_TYPE, true);

        loop.pass(PLACE.plus(PLACE));

        assertThat(answers.awaited()).isEqualTo(3);
    }

    @Test
    void pendingPushIsKeptWhileTheOthersAreYoung() throws Exception {
        queue.add(key("a"), push("a"), 0);
        queue.add(key("b"), push("b"), 0);
        queue.add(key("c"), push("c"), 0);
        queue.add(key("d"), push("d"), 0);
        loop.pass(PLACE.minusMillis(1));
        for (String id : List.of("1", "2", "3")) {
            queue.answered(id, TextPush.REPLY_TYPE, true);
        }
        queue.add(key("e"), push("e"), 0);
        queue.add(key("f"), push("f"), 0);
        queue.add(key("g"), push("g"), 0);

        loop.pass(Duration.ofMillis(1));
        assertThat(receiver.sent).as("d, e and f are young").endsWith("f/0");
        loop.pass(PLACE);

        assertThat(receiver.sent).endsWith("g/0");
    }

    @Test
    void drainingStopsWhereTheTransportTakesNoMore() {
        receiver.ready = false;
        queue.add(key("a"), push("a"), 0);
        queue.add(key("b"), push("b"), 0);
        receiver.ready = true;
        receiver.takes = 1;

        queue.drain();

        assertThat(receiver.sent).containsExactly("a/0");
        receiver.ready = true;
        receiver.takes = 10;
        queue.drain();
        assertThat(receiver.sent).containsExactly("a/0", "b/0");
    }

    @Test
    void unacknowledgedPushIsRetriedAtGrowingDelays() throws Exception {
        queue.add(key("a"), push("a1"), 0);

        for (int repetition = 1; repetition <= MAX_RETRIES; repetition++) {
            loop.pass(ACK_TIMEOUT.plus(RETRY_DELAY.multipliedBy(repetition)).minusNanos(1));
            assertThat(receiver.sent)
                    .as("a moment before repetition %d", repetition)
                    .hasSize(repetition);
            loop.pass(Duration.ofNanos(1));
            assertThat(receiver.sent).as("repetition %d", repetition).hasSize(repetition + 1);
        }
        assertThat(receiver.sent).containsOnly("a1/0");
        assertThat(counted(MeterNames.PUSH_SENT)).isEqualTo(MAX_RETRIES + 1);
    }

    @Test
    void aReceiverThatNeverAcknowledgesIsDroppedAfterTheLastRepetition() throws Exception {
        queue.add(key("a"), push("a1"), 0);

        loop.pass(Duration.ofHours(1));

        assertThat(receiver.sent).hasSize(MAX_RETRIES + 1);
        assertThat(receiver.dropped).singleElement().asString().contains("4 repetitions");
        assertThat(loop.waits()).isEmpty();
        assertThat(queue.size()).isZero();
        assertThat(counted(MeterNames.PUSH_DROPPED)).isOne();
        assertThat(counted(MeterNames.PUSH_FAILED)).isEqualTo(MAX_RETRIES + 1);
    }

    @Test
    void aReceiverThatAlwaysAnswersWithAFailureIsDroppedToo() throws Exception {
        queue.add(key("a"), push("a1"), 0);

        for (int answers = 0; answers < 100 && receiver.dropped.isEmpty(); answers++) {
            queue.answered("1", "ErrorResponse", false);
            loop.pass(RETRY_DELAY.multipliedBy(answers + 1));
        }

        assertThat(receiver.dropped).hasSize(1);
        assertThat(receiver.sent).hasSize(MAX_RETRIES + 1);
        assertThat(counted(MeterNames.PUSH_FAILED)).isEqualTo(MAX_RETRIES + 1);
    }

    @Test
    void retriesAFailureAfterTheDelayAndNotOnlyAfterTheAckTimeout() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        queue.answered("1", "ErrorResponse", false);

        loop.pass(RETRY_DELAY);

        assertThat(receiver.sent).containsExactly("a1/0", "a1/0");
    }

    @Test
    void repeatedFailureOfAPushCountsOnce() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        queue.answered("1", "ErrorResponse", false);
        loop.pass(RETRY_DELAY.minusMillis(1));
        queue.answered("1", "ErrorResponse", false);

        loop.pass(Duration.ofMillis(1));

        assertThat(receiver.sent).hasSize(2);
        assertThat(counted(MeterNames.PUSH_FAILED)).isOne();
    }

    @Test
    void pushTimesOutWhileAnotherAwaitsItsRetry() throws Exception {
        queue.add(key("stubborn"), push("stubborn"), 0);
        // Until its fourth repetition is eight seconds away.
        loop.pass(ACK_TIMEOUT
                .multipliedBy(4)
                .plus(RETRY_DELAY.multipliedBy(1 + 2 + 3))
                .plusMillis(1));
        receiver.sent.clear();

        queue.add(key("a"), push("a1"), 0);
        loop.pass(ACK_TIMEOUT.plus(RETRY_DELAY));

        assertThat(receiver.sent).containsExactly("a1/0", "a1/0");
    }

    @Test
    void aLateAcknowledgementStillCounts() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        loop.pass(ACK_TIMEOUT.plusMillis(1));

        assertThat(queue.answered("1", TextPush.REPLY_TYPE, true)).isTrue();
        loop.pass(Duration.ofHours(1));

        assertThat(receiver.sent).hasSize(1);
        assertThat(receiver.dropped).isEmpty();
    }

    @Test
    void aRepetitionWaitsForTheTransportWithoutBeingCounted() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        receiver.ready = false;

        loop.pass(Duration.ofSeconds(200));
        assertThat(receiver.sent).hasSize(1);
        assertThat(receiver.dropped).isEmpty();

        receiver.ready = true;
        loop.pass(RETRY_DELAY);
        assertThat(receiver.sent).hasSize(2);
    }

    @Test
    void clearDropsAllPushesAndCancelsTheTimeout() throws Exception {
        for (String name : List.of("a", "b", "c", "d")) {
            queue.add(key(name), push(name), 0);
        }
        assertThat(loop.waits()).containsExactly(PLACE);

        queue.clear();

        assertThat(queue.size()).isZero();
        assertThat(loop.waits()).isEmpty();
        receiver.sent.clear();
        loop.pass(Duration.ofHours(1));
        assertThat(receiver.sent).isEmpty();
    }

    @Test
    void timeOutThatFiredBeforeTheAcknowledgementLeavesNoEntry() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        loop.goOffWithoutTheLoop();
        queue.answered("1", TextPush.REPLY_TYPE, true);
        queue.add(key("b"), push("b1"), 0);

        loop.run();

        assertThat(loop.waits()).as("that of the second push alone").containsExactly(ACK_TIMEOUT);
    }

    @Test
    void aClosedReceiverIsLeftAlone() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        receiver.closed = true;

        loop.pass(Duration.ofHours(1));

        assertThat(receiver.sent).hasSize(1);
        assertThat(receiver.dropped).isEmpty();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void timeOutAfterTheEndOfTheLoopIsIgnored() throws Exception {
        receiver.loop = task -> {
            throw new RejectedExecutionException("the loop has ended");
        };
        queue.add(key("a"), push("a1"), 0);

        loop.goOffWithoutTheLoop();

        assertThat(receiver.sent).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void newestStateOfEveryKeyIsAcknowledgedAfterRandomSteps(long seed) throws Exception {
        Random random = new Random(seed);
        PushSettings patient = new PushSettings(ACK_TIMEOUT, Duration.ofMillis(100), Duration.ofHours(1), 1_000);
        PushKind patientKind = new PushKind(patient, new PushMeters(meters, "test"));
        PushQueue patientQueue =
                new PushQueue(receiver, MAX_IN_FLIGHT, new PushBudget(1_000_000), loop, loop::nanoTime, answers);
        receiver.queue = patientQueue;
        List<WatchedKey<String>> keys = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            keys.add(key("k" + i));
        }
        Map<String, String> newest = new LinkedHashMap<>();
        for (int step = 0; step < 500; step++) {
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    WatchedKey<String> key = keys.get(random.nextInt(keys.size()));
                    String id = Integer.toString(++ids);
                    newest.put(key.key(), id);
                    patientQueue.add(key, new TextPush(patientKind, id, key.key() + '=' + id, TextPush.REPLY_TYPE), 0);
                }
                case 2 -> receiver.answerOne(random);
                case 3 -> receiver.unanswered.poll(); // lost
                case 4 -> {
                    receiver.ready = random.nextBoolean();
                    if (receiver.ready) {
                        patientQueue.drain();
                    }
                }
                default -> loop.pass(Duration.ofMillis(random.nextInt(4_000)));
            }
            // Of each key, one at most waits and one at most is unanswered.
            assertThat(patientQueue.size()).isLessThanOrEqualTo(2 * keys.size());
            assertThat(answers.awaited()).isBetween(0, patientQueue.size());
        }

        receiver.ready = true;
        patientQueue.drain();
        for (int round = 0; round < 1_000 && patientQueue.size() > 0; round++) {
            loop.pass(Duration.ofSeconds(10));
            receiver.answerAll();
        }

        assertThat(patientQueue.size()).isZero();
        assertThat(answers.awaited()).isZero();
        loop.pass(Duration.ofHours(1));
        assertThat(loop.waits()).isEmpty();
        assertThat(receiver.acknowledged).containsAllEntriesOf(newest);
    }

    @Test
    void theSameStateUnderAnotherKeyTakesThePlaceOfTheFirst() throws Exception {
        TextPush push = new TextPush(kind, "7", "x".repeat(PushBudget.SMALL_BYTES + 1), TextPush.REPLY_TYPE);
        queue.add(key("a"), push, 0);

        // Its receiver left and came back before it answered.
        queue.add(key("b"), push, 0);

        assertThat(queue.size()).isOne();
        assertThat(answers.awaited()).isOne();
        assertThat(queue.answered("7", TextPush.REPLY_TYPE, true)).isTrue();
        assertThat(answers.awaited()).isZero();
        assertThat(budget.tryReserve(1_000_000)).as("all was given back").isTrue();
        queue.add(key("c"), push("c1"), 0);
        queue.add(key("d"), push("d1"), 0);
        queue.add(key("e"), push("e1"), 0);
        assertThat(receiver.sent).as("each place is free").hasSize(2 + MAX_IN_FLIGHT);
    }

    @Test
    void theLoopAwaitsWhatIsSentUntilItIsAnsweredOrForgottenOrHasFailed() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        queue.add(key("b"), push("b1"), 0);
        queue.add(key("c"), push("c1"), 0);
        queue.add(key("d"), push("d1"), 0);
        assertThat(answers.awaited()).as("the fourth waits").isEqualTo(3);

        queue.answered("1", TextPush.REPLY_TYPE, true);
        assertThat(answers.awaited())
                .as("the fourth took the place of the first")
                .isEqualTo(3);
        queue.answered("2", TextPush.REPLY_TYPE, false);
        assertThat(answers.awaited()).as("the second waits to be repeated").isEqualTo(2);
        queue.answered("2", TextPush.REPLY_TYPE, false);
        assertThat(answers.awaited()).as("what fails twice counts once").isEqualTo(2);

        queue.clear();
        assertThat(answers.awaited()).isZero();
    }

    @Test
    void doesNotRetryToReceiverThatDisconnectedSinceTheLastRetry() throws Exception {
        queue.add(key("a"), push("a1"), 0);
        queue.add(key("b"), push("b1"), 0);
        queue.add(key("c"), push("c1"), 0);
        loop.pass(ACK_TIMEOUT);
        receiver.breaksAfter = 1;

        loop.pass(RETRY_DELAY);

        assertThat(receiver.sent).containsExactly("a1/0", "b1/0", "c1/0", "a1/0");
        assertThat(queue.size()).isZero();
        assertThat(answers.awaited()).isZero();
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void acknowledgementsOfAReceiverThatClosesDuringSendingAreNotAwaited() {
        receiver.ready = false;
        queue.add(key("a"), push("a1"), 0);
        queue.add(key("b"), push("b1"), 0);
        receiver.ready = true;
        receiver.breaksAfter = 1;

        queue.drain();

        assertThat(receiver.sent).containsExactly("a1/0");
        assertThat(loop.waits()).isEmpty();
        assertThat(answers.awaited()).isZero();
    }

    @Test
    void budgetOfLargePushesIsReturnedOnceWhenARetryFails() throws Exception {
        String large = "x".repeat(PushBudget.SMALL_BYTES + 1);
        for (String name : List.of("a", "b", "c")) {
            queue.add(key(name), push(name + large), 0);
        }
        loop.pass(ACK_TIMEOUT);
        receiver.failsAfter = 1;
        assertThatThrownBy(() -> loop.pass(RETRY_DELAY)).hasMessage("no memory for it");
        loop.pass(ACK_TIMEOUT.plus(RETRY_DELAY));

        for (String id : List.of("1", "2", "3")) {
            assertThat(queue.answered(id, TextPush.REPLY_TYPE, true)).isTrue();
        }

        assertThat(budget.reservedBytes()).isZero();
        assertThat(answers.awaited()).isZero();
    }

    @Test
    void aLoopThatReadsAnswersToManyPushesRests() {
        List<Long> rests = new ArrayList<>();
        AckCoalescerTest.Io io = new AckCoalescerTest.Io();
        AckCoalescer gathered = new AckCoalescer(io, (blocker, nanos) -> rests.add(nanos));
        receiver.queue = new PushQueue(receiver, 100, budget, loop, loop::nanoTime, gathered);
        for (int i = 0; i < 2 * AckCoalescer.MANY; i++) {
            String id = Integer.toString(++ids);
            receiver.queue.add(key("k" + i), new TextPush(kind, id, "k" + i + '=' + id, TextPush.REPLY_TYPE), 0);
        }
        io.onRun = () -> receiver.answer(true);

        gathered.run(new AckCoalescerTest.Loop());
        assertThat(rests).isEmpty();
        gathered.run(new AckCoalescerTest.Loop());
        assertThat(rests).hasSize(1);
        assertThat(gathered.awaited()).isEqualTo(2 * AckCoalescer.MANY - 2);
    }

    @Test
    void repeatedRefusalOfAPushIsOneAcknowledgement() {
        List<Long> rests = new ArrayList<>();
        AckCoalescerTest.Io io = new AckCoalescerTest.Io();
        AckCoalescer gathered = new AckCoalescer(io, (blocker, nanos) -> rests.add(nanos));
        PushQueue denied = new PushQueue(receiver, 100, budget, loop, loop::nanoTime, gathered);
        for (int i = 0; i < 2 * AckCoalescer.MANY; i++) {
            denied.add(key("k" + i), push("k" + i), 0);
        }
        io.onRun = () -> denied.answered("1", TextPush.REPLY_TYPE, false);

        for (int i = 0; i < 10; i++) {
            gathered.run(new AckCoalescerTest.Loop());
        }

        assertThat(rests).hasSize(1);
    }

    private double counted(String meter) {
        return meters.counter(meter, "kind", "test").count();
    }

    @Test
    void budgetOfALargePushIsReturnedWhenItsReceiverIsDroppedDuringARetry() throws Exception {
        PushKind lastTry = new PushKind(
                new PushSettings(ACK_TIMEOUT.plus(RETRY_DELAY), RETRY_DELAY, Duration.ofHours(1), 0),
                new PushMeters(meters, "test"));
        String large = "x".repeat(PushBudget.SMALL_BYTES + 1);
        queue.add(key("large"), push(large), 0);
        queue.add(key("last"), new TextPush(lastTry, "last", "last", TextPush.REPLY_TYPE), 0);
        assertThat(budget.reservedBytes()).isGreaterThan(PushBudget.SMALL_BYTES);

        loop.pass(ACK_TIMEOUT);
        assertThat(budget.reservedBytes()).as("while it waits to be repeated").isZero();
        loop.pass(RETRY_DELAY);

        assertThat(receiver.dropped).hasSize(1);
        assertThat(budget.reservedBytes()).isZero();
    }

    @Test
    void turnPassesThousandsOfClosedWaitersToAnOpenOne() {
        String large = "x".repeat(PushBudget.SMALL_BYTES + 1);
        PushBudget narrow = new PushBudget(large.length() + 1);
        PushQueue first = new PushQueue(receiver, MAX_IN_FLIGHT, narrow, loop, loop::nanoTime, null);
        first.add(key("taken"), push(large), 0);
        for (int i = 0; i < 50_000; i++) {
            Receiver gone = new Receiver(task -> {
                throw new RejectedExecutionException("the loop has ended");
            });
            new PushQueue(gone, MAX_IN_FLIGHT, narrow, loop, loop::nanoTime, null).add("key", push(large), 0);
            assertThat(gone.sent).isEmpty();
        }
        Receiver living = new Receiver(loop);
        new PushQueue(living, MAX_IN_FLIGHT, narrow, loop, loop::nanoTime, null).add("key", push(large), 0);

        first.clear();
        loop.run();

        assertThat(living.sent).hasSize(1);
        assertThat(narrow.reservedBytes()).isEqualTo(large.length());
    }

    @Test
    void forgottenPushIsNeitherSentNorRetriedAndMakesRoomForOthers() throws Exception {
        String large = "x".repeat(PushBudget.SMALL_BYTES + 1);
        for (int i = 0; i < MAX_IN_FLIGHT; i++) {
            queue.add("key" + i, push(i == 0 ? large : "sent" + i), 0);
        }
        queue.add("waits", push("waits"), 0);
        queue.add("next", push("next"), 0);

        queue.forget("waits");
        queue.forget("key0");

        assertThat(receiver.sent).hasSize(MAX_IN_FLIGHT + 1).last().asString().startsWith("next");
        assertThat(budget.reservedBytes()).isZero();
        loop.pass(ACK_TIMEOUT.plus(RETRY_DELAY));
        assertThat(receiver.sent).filteredOn(text -> text.startsWith("x")).hasSize(1);
        assertThat(receiver.sent).noneMatch(text -> text.startsWith("waits"));
    }

    private WatchedKey<String> key(String name) {
        return new WatchedKey<>(name, ordinals++, home);
    }

    private TextPush push(String text) {
        return new TextPush(kind, Integer.toString(++ids), text, TextPush.REPLY_TYPE);
    }

    private static final class Receiver implements PushQueue.Receiver {

        private final List<String> sent = new ArrayList<>();
        private final ArrayDeque<String> unanswered = new ArrayDeque<>();
        private final Map<String, String> acknowledged = new LinkedHashMap<>();
        private final List<String> dropped = new ArrayList<>();
        private Executor loop;
        private PushQueue queue;
        private boolean ready = true;
        private boolean closed;
        private int takes = Integer.MAX_VALUE;
        private int breaksAfter = Integer.MAX_VALUE;
        private int failsAfter = Integer.MAX_VALUE;
        private int idle;

        Receiver(Executor loop) {
            this.loop = loop;
        }

        @Override
        public Executor loop() {
            return loop;
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void idle() {
            idle++;
        }

        @Override
        public void send(Payload payload) {
            sent.add(payload.bodyText());
            unanswered.add(payload.bodyText());
            if (--takes == 0) {
                ready = false;
            }
            if (--breaksAfter == 0) {
                closed = true;
                ready = false;
                queue.clear();
            }
            if (--failsAfter == 0) {
                throw new IllegalStateException("no memory for it");
            }
        }

        @Override
        public void drop(String reason) {
            dropped.add(reason);
            closed = true;
            queue.clear();
        }

        /** Answers the oldest: well, with a failure, or not in order. */
        void answerOne(Random random) {
            if (random.nextInt(3) == 0 && unanswered.size() > 1) {
                unanswered.add(unanswered.poll());
            }
            answer(random.nextInt(4) > 0);
        }

        void answerAll() {
            while (!unanswered.isEmpty()) {
                answer(true);
            }
        }

        private void answer(boolean success) {
            String text = unanswered.poll();
            if (text == null) {
                return;
            }
            String key = text.substring(0, text.indexOf('='));
            String id = text.substring(text.indexOf('=') + 1, text.indexOf('/'));
            if (queue.answered(id, TextPush.REPLY_TYPE, success) && success) {
                acknowledged.put(key, id);
            }
        }
    }
}
