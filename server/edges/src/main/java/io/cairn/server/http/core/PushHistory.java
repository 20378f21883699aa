package io.cairn.server.http.core;

import io.cairn.server.push.PushLatencies;
import java.time.Duration;
import java.util.List;

/** How long changes took to arrive lately, for people to look at. Thread-safe. */
public final class PushHistory {

    /** How long one period is, in production. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    private static final int KEPT = 120;

    private final Duration period;
    private final PushLatencies configs = new PushLatencies(KEPT);
    private final PushLatencies services = new PushLatencies(KEPT);

    /** @param period how long one period is */
    public PushHistory(Duration period) {
        this.period = period;
    }

    /** Those of configurations. */
    public PushLatencies configs() {
        return configs;
    }

    /** Those of services. */
    public PushLatencies services() {
        return services;
    }

    /** How long one period is. */
    public Duration period() {
        return period;
    }

    /** To be called at the end of every {@link #period()}. */
    public void endPeriod(long nowMillis) {
        configs.endPeriod(nowMillis);
        services.endPeriod(nowMillis);
    }

    /** The periods of both, the oldest first. */
    public record PushLatency(long periodSeconds, List<Sample> config, List<Sample> service) {}

    /**
     * One period.
     *
     * @param at its end, in epoch milliseconds
     */
    public record Sample(long at, long count, long meanMicros, long p99Micros, long maxMicros) {

        static Sample of(PushLatencies.Sample sample) {
            return new Sample(
                    sample.endMillis(), sample.count(), sample.meanMicros(), sample.p99Micros(), sample.maxMicros());
        }
    }

    /** All periods that are kept. */
    public PushLatency latency() {
        return new PushLatency(period.toSeconds(), samples(configs), samples(services));
    }

    private static List<Sample> samples(PushLatencies latencies) {
        return latencies.samples().stream().map(Sample::of).toList();
    }
}
