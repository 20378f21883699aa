package io.cairn.server.timer;

import static java.util.concurrent.TimeUnit.DAYS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.Timeout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WheelTimerTest {

    private final WheelTimer timer = new WheelTimer("wheel-timer-test");

    @AfterEach
    void stop() {
        timer.stop();
    }

    @Test
    void aTaskRunsAfterItsDelayAndNotBefore() throws Exception {
        for (long millis : new long[] {0, 1, 60, 130}) {
            long begun = System.nanoTime();
            CompletableFuture<Long> ran = new CompletableFuture<>();

            Timeout timeout = timer.newTimeout(fired -> ran.complete(System.nanoTime()), millis, MILLISECONDS);

            assertThat(ran.get(20, SECONDS) - begun).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(millis));
            assertThat(timeout.isExpired()).isTrue();
            assertThat(timeout.cancel()).isFalse();
            assertThat(timeout.isCancelled()).isFalse();
        }
    }

    @Test
    void aCancelledTaskDoesNotRun() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        CountDownLatch later = new CountDownLatch(1);
        Timeout timeout = timer.newTimeout(fired -> runs.incrementAndGet(), 1_000, MILLISECONDS);

        assertThat(timeout.cancel()).isTrue();

        assertThat(timeout.cancel()).isFalse();
        assertThat(timeout.isCancelled()).isTrue();
        timer.newTimeout(fired -> later.countDown(), 1_300, MILLISECONDS);
        assertThat(later.await(20, SECONDS)).isTrue();
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
                both.add(timer.newTimeout(
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
        timer.newTimeout(fired -> later.countDown(), 300, MILLISECONDS);

        assertThat(later.await(20, SECONDS)).isTrue();
        assertThat(runs).hasValue(1);
    }

    @Test
    void whatFailsOrInterruptsDoesNotEndTheTimer() throws Exception {
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

        assertThat(later.await(20, SECONDS)).isTrue();
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

        assertThat(later.await(20, SECONDS)).isTrue();
        assertThat(runs.get()).isEqualTo(kept.get());
        assertThat(wrong).hasValue(0);
    }

    @Test
    void sleepsWhileNothingIsDue() throws Exception {
        CompletableFuture<Thread> worker = new CompletableFuture<>();
        timer.newTimeout(fired -> worker.complete(Thread.currentThread()), 0, MILLISECONDS);
        long id = worker.get(20, SECONDS).getId();
        CountDownLatch later = new CountDownLatch(1);
        for (int i = 0; i < 1_000; i++) {
            timer.newTimeout(fired -> {}, 3_600 + i, SECONDS);
        }
        timer.newTimeout(fired -> later.countDown(), 2_000, MILLISECONDS);
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getThreadInfo(id).getWaitedCount();
        long begun = System.nanoTime();

        assertThat(later.await(20, SECONDS)).isTrue();

        long seconds = (System.nanoTime() - begun) / SECONDS.toNanos(1);
        assertThat(threads.getThreadInfo(id).getWaitedCount() - before).isLessThanOrEqualTo(seconds + 4);
    }

    @Test
    void stoppingTellsWhatWasNotDue() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        timer.newTimeout(fired -> ran.countDown(), 1, MILLISECONDS);
        Timeout far = timer.newTimeout(fired -> {}, 1_000, DAYS);
        Timeout endless = timer.newTimeout(fired -> {}, Long.MAX_VALUE, DAYS);
        Timeout cancelled = timer.newTimeout(fired -> {}, 1, DAYS);
        cancelled.cancel();
        assertThat(ran.await(20, SECONDS)).isTrue();

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

        assertThat(failure.get(20, SECONDS))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("wheel-timer-test cannot be stopped by a task of its own");
    }
}
