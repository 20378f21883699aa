package io.cairn.server.wiring;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Gives latencies with percentiles a histogram. A few fixed boundaries instead of Micrometer's 70, because each is a series for
 * each tag; recording stays one call.
 */
final class LatencyBuckets implements MeterFilter {

    static final double[] BOUNDARIES = Stream.of(1, 5, 10, 25, 100, 250, 1_000, 5_000)
            .mapToDouble(millis -> Duration.ofMillis(millis).toNanos())
            .toArray();

    private static final Set<String> METERS = Set.of(
            MeterNames.GRPC_REQUESTS, MeterNames.HTTP_REQUESTS, MeterNames.PUSH_LATENCY, MeterNames.STORE_COMMITS);

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        return METERS.contains(id.getName())
                ? DistributionStatisticConfig.builder()
                        .serviceLevelObjectives(BOUNDARIES)
                        .build()
                        .merge(config)
                : config;
    }
}
