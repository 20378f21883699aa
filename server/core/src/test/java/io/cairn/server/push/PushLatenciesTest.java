package io.cairn.server.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PushLatenciesTest {

    private final PushLatencies latencies = new PushLatencies(3);

    @Test
    void endOfAPeriodSumsItUpAndStartsTheNext() {
        for (int millis = 1; millis <= 100; millis++) {
            latencies.record(TimeUnit.MILLISECONDS.toNanos(millis));
        }
        latencies.endPeriod(5_000);
        latencies.endPeriod(10_000);

        List<PushLatencies.Sample> samples = latencies.samples();
        assertThat(samples).hasSize(2);
        PushLatencies.Sample first = samples.get(0);
        assertThat(first.endMillis()).isEqualTo(5_000);
        assertThat(first.count()).isEqualTo(100);
        assertThat(first.meanMicros()).isEqualTo(50_500);
        assertThat(first.p99Micros()).as("99 ms, to a fifth").isBetween(99_000L, 100_000L);
        assertThat(first.maxMicros()).isEqualTo(100_000);
        assertThat(samples.get(1)).isEqualTo(new PushLatencies.Sample(10_000, 0, 0, 0, 0));
    }

    @Test
    void oneSlowOfAHundredDoesNotRaiseTheNinetyNinthPercentile() {
        latencies.record(TimeUnit.SECONDS.toNanos(10));
        for (int i = 0; i < 99; i++) {
            latencies.record(TimeUnit.MICROSECONDS.toNanos(800));
        }
        latencies.endPeriod(1);
        assertThat(latencies.samples().get(0).p99Micros()).isBetween(800L, 1_000L);
        assertThat(latencies.samples().get(0).maxMicros()).isEqualTo(10_000_000);
    }

    @Test
    void latenciesOutsideTheRangeAreCountedAtItsEnds() {
        latencies.record(-1);
        latencies.record(Long.MAX_VALUE);
        latencies.endPeriod(1);
        assertThat(latencies.samples().get(0).count()).isEqualTo(2);
        assertThat(latencies.samples().get(0).p99Micros()).isPositive();
    }

    @Test
    void theOldestIsForgotten() {
        for (int i = 1; i <= 5; i++) {
            latencies.endPeriod(i);
        }
        assertThat(latencies.samples())
                .extracting(PushLatencies.Sample::endMillis)
                .containsExactly(3L, 4L, 5L);
    }
}
