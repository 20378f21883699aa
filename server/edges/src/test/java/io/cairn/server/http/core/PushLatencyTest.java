package io.cairn.server.http.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.http.core.PushLatency.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class PushLatencyTest {

    private static PushLatency ofConfigs(Sample... samples) {
        return new PushLatency(5, List.of(samples), List.of());
    }

    @Test
    void aSingleNodeKeepsItsPeriods() {
        PushLatency one = ofConfigs(new Sample(5_003, 1, 10, 20, 20));

        assertThat(PushLatency.of(List.of(one), 120)).isSameAs(one);
    }

    @Test
    void periodsThatEndTogetherAreOne() {
        PushLatency first = ofConfigs(new Sample(5_003, 3, 100, 400, 500), new Sample(10_004, 0, 0, 0, 0));
        PushLatency second = ofConfigs(
                new Sample(4_900, 2, 50, 60, 60), new Sample(9_901, 1, 200, 300, 900), new Sample(14_902, 4, 7, 8, 9));

        assertThat(PushLatency.of(List.of(first, second), 120).config())
                .containsExactly(
                        new Sample(5_000, 2, 50, 60, 60),
                        new Sample(10_000, 4, 125, 400, 900),
                        new Sample(15_000, 4, 7, 8, 9));
    }

    @Test
    void theOldestPeriodsAreLeftOut() {
        PushLatency first = ofConfigs(new Sample(1_000, 1, 1, 1, 1), new Sample(6_000, 2, 2, 2, 2));
        PushLatency second = ofConfigs(new Sample(11_000, 3, 3, 3, 3));

        assertThat(PushLatency.of(List.of(first, second), 2).config())
                .extracting(Sample::count)
                .containsExactly(2L, 3L);
    }
}
