package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.limit.Limit;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlowReaderTimeoutTest {

    private static final int MEGABYTE = 1024 * 1024;

    private final Limit limit = new Limit("answer-seconds", "a setting", 240);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicInteger reports = new AtomicInteger();
    private long now;
    private final SlowReaderTimeout timeout =
            new SlowReaderTimeout(limit, 30, channel.eventLoop(), reports::incrementAndGet, () -> now);

    SlowReaderTimeoutTest() {
        channel.freezeTime();
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void at(long second) {
        now = TimeUnit.SECONDS.toNanos(second);
    }

    private boolean isTooSlow(long second) {
        at(second);
        return timeout.isTooSlow();
    }

    @Test
    void aSlowSteadyReaderIsNeverClosed() {
        timeout.begin(0);
        // 5 KB a second, in the steps of a socket that takes two megabytes at once and then nothing for minutes.
        for (long second = 0; second < 3 * 24 * 3600; second += 400) {
            timeout.given(2 * MEGABYTE);
            assertThat(isTooSlow(second + 399)).isFalse();
        }
        assertThat(limit.timesExceeded()).isZero();
    }

    @Test
    void closesAndCountsATooSlowReader() {
        timeout.begin(64 * 1024);
        assertThat(isTooSlow(30)).isFalse();
        assertThat(isTooSlow(45)).isFalse();
        assertThat(isTooSlow(46)).isTrue();
        assertThat(limit.timesExceeded()).isEqualTo(1);

        timeout.begin(0);
        assertThat(isTooSlow(75)).isFalse();
        assertThat(isTooSlow(77)).isTrue();
    }

    @Test
    void aStalledDiskDoesNotCountAgainstTheReader() {
        timeout.begin(64 * 1024);
        at(20);
        timeout.pause();
        assertThat(isTooSlow(3_600)).isFalse();
        timeout.resume();
        assertThat(isTooSlow(3_620)).isFalse();
        assertThat(isTooSlow(3_630)).isTrue();
        timeout.end();
        assertThat(isTooSlow(9_999)).isFalse();
    }

    @Test
    void reportsATooSlowReaderOnceFromTheRegularCheck() {
        timeout.begin(64 * 1024);
        runChecks(30);
        assertThat(reports).hasValue(0);
        runChecks(60);
        assertThat(reports).hasValue(1);
        assertThat(timeout.isRunning()).isFalse();
        runChecks(90);
        assertThat(reports).as("no task is left").hasValue(1);
    }

    /** All checks that are due at that second. */
    private void runChecks(long second) {
        channel.advanceTimeBy(TimeUnit.SECONDS.toNanos(second) - now, TimeUnit.NANOSECONDS);
        at(second);
        channel.runScheduledPendingTasks();
    }
}
