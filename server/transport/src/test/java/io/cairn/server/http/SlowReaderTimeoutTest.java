package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.limit.Limit;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SlowReaderTimeoutTest {

    private static final int MEGABYTE = 1024 * 1024;

    private final Limit limit = new Limit("answer-seconds", "a setting", 240);
    private final SlowReaderTimeout pace = new SlowReaderTimeout(limit, 30);

    private boolean isTooSlow(long second) {
        return pace.isTooSlow(TimeUnit.SECONDS.toNanos(second));
    }

    @Test
    void aSlowSteadyReaderIsNeverClosed() {
        pace.begin(0);
        // 5 KB a second, in the steps of a socket that takes two megabytes at once and then nothing for minutes.
        for (long second = 0; second < 3 * 24 * 3600; second += 400) {
            pace.given(2 * MEGABYTE);
            assertThat(isTooSlow(second + 399)).isFalse();
        }
        assertThat(limit.timesExceeded()).isZero();
    }

    @Test
    void closesAndCountsATooSlowReader() {
        pace.begin(0);
        pace.given(64 * 1024);
        assertThat(isTooSlow(30)).isFalse();
        assertThat(isTooSlow(45)).isFalse();
        assertThat(isTooSlow(46)).isTrue();
        assertThat(limit.timesExceeded()).isEqualTo(1);

        pace.begin(TimeUnit.SECONDS.toNanos(46));
        assertThat(isTooSlow(75)).isFalse();
        assertThat(isTooSlow(77)).isTrue();
    }

    @Test
    void aStalledDiskDoesNotCountAgainstTheReader() {
        pace.begin(0);
        pace.given(64 * 1024);
        pace.pause(TimeUnit.SECONDS.toNanos(20));
        assertThat(isTooSlow(3_600)).isFalse();
        pace.goOn(TimeUnit.SECONDS.toNanos(3_600));
        assertThat(isTooSlow(3_620)).isFalse();
        assertThat(isTooSlow(3_630)).isTrue();
        pace.end();
        assertThat(isTooSlow(9_999)).isFalse();
    }
}
