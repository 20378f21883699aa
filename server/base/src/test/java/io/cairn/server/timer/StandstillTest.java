package io.cairn.server.timer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StandstillTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST = Standstill.OF_REQUESTS.toNanos();

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - SECOND); // the numbers soon turn negative
    private final Standstill standstill = new Standstill(nanos::get);

    private long pass(long passed) {
        return nanos.addAndGet(passed);
    }

    @Test
    void findsNothingBeforeTheFirstCall() {
        pass(100 * SECOND);

        assertThat(standstill.isRecent()).isFalse();
        assertThat(standstill.endedAfter(nanos.get() - 200 * SECOND)).isFalse();
    }

    @Test
    void aThreadThatIsInTimeOrLittleLateShowsNoStandstill() {
        long start = nanos.get();
        standstill.running(SECOND);
        pass(SECOND + LONGEST);
        assertThat(standstill.isRecent()).isFalse();

        assertThat(standstill.running(SECOND)).isZero();

        assertThat(standstill.isRecent()).isFalse();
        assertThat(standstill.endedAfter(start)).isFalse();
    }

    @Test
    void isNoticedBeforeTheExpectedThreadRunsAgain() {
        long start = nanos.get();
        standstill.running(SECOND);
        pass(SECOND + LONGEST + 1);

        assertThat(standstill.isRecent()).isTrue();
        assertThat(standstill.endedAfter(start)).isTrue();
    }

    @Test
    void isRecentForAWhileAfterItsEnd() {
        standstill.running(SECOND);
        long end = pass(20 * SECOND);
        assertThat(standstill.running(SECOND)).isEqualTo(19 * SECOND);

        pass(Standstill.RECENT_NANOS - 1);
        standstill.running(SECOND);
        assertThat(standstill.isRecent()).isTrue();
        pass(1);
        assertThat(standstill.isRecent()).isFalse();
        assertThat(standstill.endedAfter(end - 1)).isTrue();
        assertThat(standstill.endedAfter(end)).isFalse();
    }

    @Test
    void aThreadThatRestsIsNotLate() {
        standstill.running(SECOND);
        standstill.idle();
        pass(100 * SECOND);

        assertThat(standstill.isRecent()).isFalse();
        standstill.running(SECOND);
        assertThat(standstill.isRecent()).isFalse();
    }

    @Test
    void aStandstillBeforeARestIsNoticed() {
        standstill.running(SECOND);
        pass(10 * SECOND);
        standstill.idle();

        assertThat(standstill.isRecent()).isTrue();
    }
}
