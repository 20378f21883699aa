package io.cairn.server.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StandstillWatchTest {

    private static final Duration LONGEST = Duration.ofSeconds(4);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - SECOND); // the numbers soon turn negative
    private final Standstill.Watch watch = new Standstill.Watch(LONGEST, nanos::get);

    private void pass(long passed) {
        nanos.addAndGet(passed);
    }

    @Test
    void theTimeBeforeTheFirstRunIsNoStandstill() {
        pass(100 * SECOND);

        assertThat(watch.present()).isZero();
        assertThat(watch.end()).isZero();
        assertThat(watch.run()).isZero();
    }

    @Test
    void aLongerTimeBetweenTwoRunsIsReportedOnce() {
        watch.run();
        pass(LONGEST.toNanos());
        assertThat(watch.run()).isZero();

        pass(LONGEST.toNanos() + 1);
        assertThat(watch.run()).isEqualTo(LONGEST.toNanos() + 1);
        assertThat(watch.run()).isZero();
    }

    @Test
    void isPresentForAllUntilTheNextRun() {
        watch.run();
        pass(LONGEST.toNanos());
        assertThat(watch.present()).isZero();
        pass(SECOND);
        assertThat(watch.present()).isEqualTo(5 * SECOND);
        assertThat(watch.present()).isEqualTo(5 * SECOND);

        watch.run();
        assertThat(watch.present()).isZero();
    }

    @Test
    void isPresentWhileTheRunReportsIt() {
        List<Long> seen = new ArrayList<>();
        watch.run();
        pass(5 * SECOND);

        watch.run(standstill -> {
            seen.add(standstill);
            seen.add(watch.present());
        });

        assertThat(seen).containsExactly(5 * SECOND, 5 * SECOND);
        assertThat(watch.present()).isZero();
    }

    @Test
    void oneCallerEndsAStandstill() {
        watch.run();
        pass(5 * SECOND);

        assertThat(watch.end()).isEqualTo(5 * SECOND);
        assertThat(watch.end()).isZero();
        assertThat(watch.run()).isZero();
    }

    @Test
    void countsOfAStandstillTheLimitAsRunTime() {
        pass(SECOND);
        watch.run();
        pass(2 * SECOND);
        watch.run();
        assertThat(watch.ranNanos()).isEqualTo(3 * SECOND);

        pass(60 * SECOND);
        watch.run();
        assertThat(watch.ranNanos()).isEqualTo(7 * SECOND);
    }
}
