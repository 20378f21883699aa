package io.cairn.server.storage.writer;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.storage.database.Circuit;
import io.cairn.server.timer.Standstill;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WriteWatchTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Time in which the process did not run. */
    private final AtomicLong stopped = new AtomicLong();

    private final Standstill standstill = new Standstill(() -> System.nanoTime() + stopped.get());

    private WriteWatch watch(long callerWaitsNanos) {
        var limits = new StoreWriter.Limits(
                10, 1_000, 10, 1_000, Duration.ofSeconds(10), Duration.ofNanos(callerWaitsNanos));
        return new WriteWatch(limits, new Circuit("The database"), new WriteQueue(limits), standstill);
    }

    private static PendingWrite<?> pending() {
        return new PendingWrite<>(new StoreCommand<String>() {
            @Override
            public String execute(WriteTransaction transaction) {
                throw new AssertionError("not to be executed");
            }

            @Override
            public void committed(String result) {}

            @Override
            public void announce(String result) {}

            @Override
            public int weightBytes() {
                return 1;
            }
        });
    }

    private void standStill() {
        standstill.running(SECOND);
        stopped.addAndGet(20 * SECOND);
    }

    @Test
    void writesWithoutAStandstillAreNotLate() {
        List<PendingWrite<?>> group = List.of(pending(), pending());
        standstill.running(SECOND);

        assertThat(watch(0).refuseLate(group)).isSameAs(group);
    }

    @Test
    void refusesAWriteThatWasQueuedBeforeAStandstill() {
        PendingWrite<?> before = pending();
        standStill();

        assertThat(watch(0).refuseLate(List.of(before))).isEmpty();

        assertThat(before.future())
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .havingCause()
                .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.code())
                        .isEqualTo(ErrorCode.UNAVAILABLE))
                .withMessageContainingAll("was not stored", "did not run");
    }

    @Test
    void takesAWriteThatWasQueuedAfterTheStandstill() {
        standStill();
        stopped.set(0);
        standstill.running(SECOND);
        PendingWrite<?> after = pending();

        assertThat(watch(0).refuseLate(List.of(after))).containsExactly(after);
    }

    @Test
    void takesAWriteWhoseCallerStillWaits() {
        PendingWrite<?> young = pending();
        standStill();

        assertThat(watch(3 * SECOND).refuseLate(List.of(young))).containsExactly(young);
    }

    @Test
    void leavesOutAWriteThatWasAnsweredAlready() {
        PendingWrite<?> answered = pending();
        PendingWrite<?> waiting = pending();
        answered.fail(new CairnException(ErrorCode.UNAVAILABLE, "The database has not confirmed"));

        assertThat(watch(0).refuseLate(List.of(answered, waiting))).containsExactly(waiting);
    }
}
