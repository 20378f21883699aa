package io.cairn.server.http.core;

import io.cairn.server.push.PushLatencies;
import java.time.Duration;
import java.util.List;

/** How long the pushes of this node took lately, for people to look at. Thread-safe. */
public final class PushHistory {

    /** How long one period is, in production. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    /** How many periods are kept. */
    static final int KEPT = 120;

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

    /** All periods that are kept, of the pushes of this node. */
    PushLatency latency() {
        return new PushLatency(period.toSeconds(), samples(configs), samples(services));
    }

    private static List<PushLatency.Sample> samples(PushLatencies latencies) {
        return latencies.samples().stream().map(PushLatency.Sample::of).toList();
    }
}
