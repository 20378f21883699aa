package io.cairn.server.timer;

import static io.cairn.testing.Patience.PATIENCE;
import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.util.Timeout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WheelTimerTest {

    private final WheelTimer timer = new WheelTimer("wheel-timer-test", new Standstill());
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // shortly before the numbers turn negative
    private final WheelTimer settable =
            new WheelTimer("wheel-timer-test-settable", nanos::get, new Standstill(nanos::get));

    @AfterEach
    void stop() {
        timer.stop();
        settable.stop();
    }

    /** Lets time pass for the settable timer, and has its thread look at once. */
    private void pass(long millis) {
        nanos.addAndGet(MILLISECONDS.toNanos(millis));
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("wheel-timer-test-settable"))
                .forEach(LockSupport::unpark);
    }

    @Test
    void aTaskRunsAfterItsDelayAndNotBefore() throws Exception {
        for (long millis : new long[] {0, 1, 60, 130}) {
            long begun = System.nanoTime();
            CompletableFuture<Long> ran = new CompletableFuture<>();

            Timeout timeout = timer.newTimeout(fired -> ran.complete(System.nanoTime()), millis, MILLISECONDS);

            assertThat(ran.get(PATIENCE.toSeconds(), SECONDS) - begun)
                    .isGreaterThanOrEqualTo(MILLISECONDS.toNanos(millis));
            assertThat(timeout.isExpired()).isTrue();
            assertThat(timeout.cancel()).isFalse();
            assertThat(timeout.isCancelled()).isFalse();
        }
    }

    @Test
    void aCancelledTaskDoesNotRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch later = new CountDownLatch(1);
        Timeout timeout = settable.newTimeout(fired -> runs.incrementAndGet(), 1_000, MILLISECONDS);

        assertThat(timeout.cancel()).isTrue();

        assertThat(timeout.cancel()).isFalse();
        assertThat(timeout.isCancelled()).isTrue();
        settable.newTimeout(fired -> later.countDown(), 1_300, MILLISECONDS);
        pass(1_400);
        assertThat(later.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        assertThat(runs).hasValue(0);
        assertThat(timeout.isExpired()).isFalse();
    }

    @Test
    void aTaskMayCancelAnotherThatIsDueAtTheSameMoment() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch later = new CountDownLatch(1);
        List<Timeout> both = new ArrayList<>();
        synchronized (both) {
            for (int i = 0; i < 2; i++) {
                both.add(settable.newTimeout(
                        fired -> {
                            runs.incrementAndGet();
                            synchronized (both) {
                                both.forEach(Timeout::cancel);
                            }
                        },
                        100,
                        MILLISECONDS));
            }
        }
        settable.newTimeout(fired -> later.countDown(), 300, MILLISECONDS);
        pass(150);
        await().until(() -> runs.get() > 0);
        pass(250);

        assertThat(later.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void aFailingOrInterruptingTaskDoesNotEndTheTimer() throws Exception {
        CountDownLatch later = new CountDownLatch(1);
        timer.newTimeout(
                fired -> {
                    throw new IllegalStateException("as intended by the test");
                },
                1,
                MILLISECONDS);
        timer.newTimeout(
                fired -> {
                    throw new AssertionError("as intended by the test");
                },
                1,
                MILLISECONDS);
        timer.newTimeout(fired -> Thread.currentThread().interrupt(), 1, MILLISECONDS);
        timer.newTimeout(fired -> later.countDown(), 150, MILLISECONDS);

        assertThat(later.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
    }

    @Test
    void allRunOnceHoweverManyThreadsBeginAndCancel() throws Exception {
        int each = 20_000;
        AtomicInteger kept = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    AtomicInteger ran = new AtomicInteger();
                    int millis = ThreadLocalRandom.current().nextInt(200);
                    Timeout timeout = timer.newTimeout(
                            fired -> {
                                runs.incrementAndGet();
                                if (ran.incrementAndGet() > 1 || fired.isCancelled()) {
                                    wrong.incrementAndGet();
                                }
                            },
                            millis,
                            MILLISECONDS);
                    if (i % 2 == 1 || !timeout.cancel()) {
                        kept.incrementAndGet();
                    }
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        CountDownLatch later = new CountDownLatch(1);
        timer.newTimeout(fired -> later.countDown(), 400, MILLISECONDS);

        assertThat(later.await(PATIENCE.toSeconds(), SECONDS)).isTrue();
        assertThat(runs.get()).isEqualTo(kept.get());
        assertThat(wrong).hasValue(0);
    }

    @Test
    void sleepsWhileNothingIsDue() throws Exception {
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        timer.newTimeout(fired -> worker.complete(Thread.currentThread()), 0, MILLISECONDS);
        long id = worker.get(PATIENCE.toSeconds(), SECONDS).getId();
        CountDownLatch later = new CountDownLatch(1);
        for (int i = 0; i < 1_000; i++) {
            timer.newTimeout(fired -> {}, 3_600 + i, SECONDS);
        }
        timer.newTimeout(fired -> later.countDown(), 1_000, MILLISECONDS);
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getThreadInfo(id).getWaitedCount();
        long begun = System.nanoTime();

        assertThat(later.await(PATIENCE.toSeconds(), SECONDS)).isTrue();

        long seconds = (System.nanoTime() - begun) / SECONDS.toNanos(1);
        assertThat(threads.getThreadInfo(id).getWaitedCount() - before).isLessThanOrEqualTo(seconds + 4);
    }

    @Test
    void submitsDueTasksOfALoopTogether() throws Exception {
        int tasks = 2 * WheelTimer.LONGEST_HAND_OVER + 1;
        HandDriven one = new HandDriven();
        HandDriven other = new HandDriven();
        List<Integer> ran = new ArrayList<>();
        try (Held held = new Held()) {
            for (int i = 0; i < tasks; i++) {
                int number = i;
                timer.newTimeout(new LoopTask(one, fired -> ran.add(number)), 0, MILLISECONDS);
            }
            timer.newTimeout(new LoopTask(other, fired -> ran.add(-1)), 0, MILLISECONDS);
            timer.newTimeout(new LoopTask(other, fired -> ran.add(-2)), 0, MILLISECONDS);
        }

        assertThat(one.take(3)).isTrue();
        assertThat(other.take(1)).isTrue();
        assertThat(ran).isEmpty();
        one.run();
        assertThat(ran).hasSize(tasks).doesNotHaveDuplicates().allMatch(number -> number >= 0);
        other.run();
        assertThat(ran.subList(tasks, ran.size())).containsExactlyInAnyOrder(-1, -2);
    }

    @Test
    void failedTaskAndEndedLoopDoNotDelayOtherTasks() throws Exception {
        HandDriven loop = new HandDriven();
        AtomicInteger runs = new AtomicInteger();
        Executor ended = work -> {
            throw new RejectedExecutionException("ended");
        };
        Executor broken = work -> {
            throw new IllegalStateException("broken");
        };
        try (Held held = new Held()) {
            timer.newTimeout(new LoopTask(ended, fired -> runs.incrementAndGet()), 0, MILLISECONDS);
            timer.newTimeout(new LoopTask(broken, fired -> runs.incrementAndGet()), 0, MILLISECONDS);
            timer.newTimeout(new LoopTask(loop, fired -> runs.addAndGet(10)), 0, MILLISECONDS);
            timer.newTimeout(
                    new LoopTask(loop, fired -> {
                        throw new IllegalStateException("fails");
                    }),
                    0,
                    MILLISECONDS);
            timer.newTimeout(new LoopTask(loop, fired -> runs.addAndGet(100)), 0, MILLISECONDS);
        }

        assertThat(loop.take(1)).isTrue();
        loop.run();
        assertThat(runs).hasValue(110);
        timer.newTimeout(new LoopTask(loop, fired -> runs.addAndGet(1_000)), 0, MILLISECONDS);
        assertThat(loop.take(1)).as("it goes on").isTrue();
    }

    @Test
    void aTaskOfALoopIsGivenItsTimeOutAndDoesNotRunOnceCancelled() throws Exception {
        HandDriven loop = new HandDriven();
        List<Timeout> fired = new ArrayList<>();
        Timeout stays;
        try (Held held = new Held()) {
            Timeout goes = timer.newTimeout(new LoopTask(loop, fired::add), 0, MILLISECONDS);
            stays = timer.newTimeout(new LoopTask(loop, fired::add), 0, MILLISECONDS);
            assertThat(goes.cancel()).isTrue();
        }

        assertThat(loop.take(1)).isTrue();
        assertThat(stays.cancel()).as("it was handed over").isFalse();
        loop.run();
        assertThat(fired).containsExactly(stays);
    }

    @Test
    void anotherTimerHandsOverEachTaskOfALoop() {
        HandDriven loop = new HandDriven();
        List<Timeout> fired = new ArrayList<>();
        Timeout timeout = timer.newTimeout(later -> {}, 1, DAYS);

        new LoopTask(loop, fired::add).run(timeout);
        new LoopTask(
                        work -> {
                            throw new RejectedExecutionException("ended");
                        },
                        fired::add)
                .run(timeout);

        assertThat(fired).isEmpty();
        loop.run();
        assertThat(fired).containsExactly(timeout);
    }

    @Test
    void stopReturnsTasksThatWereNotDue() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        timer.newTimeout(fired -> ran.countDown(), 1, MILLISECONDS);
        Timeout far = timer.newTimeout(fired -> {}, 1_000, DAYS);
        Timeout endless = timer.newTimeout(fired -> {}, Long.MAX_VALUE, DAYS);
        Timeout cancelled = timer.newTimeout(fired -> {}, 1, DAYS);
        cancelled.cancel();
        assertThat(ran.await(PATIENCE.toSeconds(), SECONDS)).isTrue();

        assertThat(timer.stop()).containsExactlyInAnyOrder(far, endless);

        assertThatThrownBy(() -> timer.newTimeout(fired -> {}, 1, DAYS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("wheel-timer-test was stopped");
        assertThat(timer.stop()).isEmpty();
    }

    @Test
    void aTaskCannotStopIt() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        timer.newTimeout(
                fired -> {
                    try {
                        timer.stop();
                        failure.complete(new AssertionError("was stopped"));
                    } catch (IllegalStateException e) {
                        failure.complete(e);
                    }
                },
                1,
                MILLISECONDS);

        assertThat(failure.get(PATIENCE.toSeconds(), SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("wheel-timer-test cannot be stopped by a task of its own");
    }

    /** While it is open, the timer's thread waits; what becomes due meanwhile is due at the same moment. */
    private final class Held implements AutoCloseable {

        private final CountDownLatch goesOn = new CountDownLatch(1);

        Held() throws InterruptedException {
            CountDownLatch waits = new CountDownLatch(1);
            timer.newTimeout(
                    fired -> {
                        waits.countDown();
                        goesOn.await();
                    },
                    0,
                    MILLISECONDS);
            waits.await();
        }

        @Override
        public void close() {
            long begun = System.nanoTime();
            await().until(() -> System.nanoTime() - begun > MILLISECONDS.toNanos(2 * WheelTimer.TICK_MILLIS));
            goesOn.countDown();
        }
    }

    /** Runs what it was handed when a test says so. */
    private static final class HandDriven implements Executor {

        private final ConcurrentLinkedQueue<Runnable> handed = new ConcurrentLinkedQueue<>();
        private final Semaphore arrivals = new Semaphore(0);

        @Override
        public void execute(Runnable work) {
            handed.add(work);
            arrivals.release();
        }

        /** Waits for so many pieces of work. */
        boolean take(int pieces) throws InterruptedException {
            return arrivals.tryAcquire(pieces, PATIENCE.toSeconds(), SECONDS);
        }

        void run() {
            handed.forEach(Runnable::run);
            handed.clear();
        }
    }
}
