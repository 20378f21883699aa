package io.cairn.server.naming.stored;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WritePaceTest {

    /** Times of {@link System#nanoTime} may be negative, and overflow. */
    private long now = Long.MAX_VALUE - 1;

    private final WritePace pace = new WritePace(now);

    @Test
    void afterABurstOfChangesRestsAreLongUntilSomeTimeHasPassed() {
        for (int i = 0; i < WritePace.BURST; i++) {
            assertThat(pauseMillis(1)).isEqualTo(WritePace.SHORT_MILLIS);
        }
        assertThat(pauseMillis(1)).isEqualTo(WritePace.LONG_MILLIS);

        now += MILLISECONDS.toNanos(WritePace.EARNED_MILLIS);

        assertThat(pauseMillis(1)).isEqualTo(WritePace.SHORT_MILLIS);
        assertThat(pauseMillis(1)).isEqualTo(WritePace.LONG_MILLIS);
    }

    @Test
    void longPauseEarnsNoMoreThanOneBurst() {
        now += MILLISECONDS.toNanos(1_000 * WritePace.EARNED_MILLIS);

        for (int i = 0; i < WritePace.BURST; i++) {
            assertThat(pauseMillis(1)).isEqualTo(WritePace.SHORT_MILLIS);
        }
        assertThat(pauseMillis(1)).isEqualTo(WritePace.LONG_MILLIS);
    }

    @Test
    void partsOfTheTimeAddUp() {
        for (int i = 0; i < WritePace.BURST; i++) {
            pauseMillis(1);
        }

        now += MILLISECONDS.toNanos(WritePace.EARNED_MILLIS * 2 / 3);
        assertThat(pauseMillis(1)).isEqualTo(WritePace.LONG_MILLIS);
        now += MILLISECONDS.toNanos(WritePace.EARNED_MILLIS * 2 / 3);
        assertThat(pauseMillis(1)).isEqualTo(WritePace.SHORT_MILLIS);
    }

    @Test
    void aWriteThatTakesItsTimeIsNotRepeatedSoon() {
        assertThat(pauseMillis(WritePace.SHORT_MILLIS + 1)).isEqualTo(WritePace.LONG_MILLIS);
        assertThat(pauseMillis(WritePace.SHORT_MILLIS)).isEqualTo(WritePace.SHORT_MILLIS);
    }

    private long pauseMillis(long tookMillis) {
        return pace.pauseMillis(now, MILLISECONDS.toNanos(tookMillis));
    }
}
