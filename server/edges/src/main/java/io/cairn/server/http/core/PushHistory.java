package io.cairn.server.http.core;

import io.cairn.server.push.PushLatencies;
import java.time.Duration;
import java.util.List;

public final class PushHistory {

    /** The length of a period in production. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    static final int KEPT = 120;

    private final Duration period;
    private final PushLatencies configs = new PushLatencies(KEPT);
    private final PushLatencies services = new PushLatencies(KEPT);

    public PushHistory(Duration period) {
        this.period = period;
    }

    public PushLatencies configs() {
        return configs;
    }

    public PushLatencies services() {
        return services;
    }

    public Duration period() {
        return period;
    }

    /** To be called at the end of every {@link #period()}. */
    public void endPeriod(long nowMillis) {
        configs.endPeriod(nowMillis);
        services.endPeriod(nowMillis);
    }

    PushLatency latency() {
        return new PushLatency(period.toSeconds(), samples(configs), samples(services));
    }

    private static List<PushLatency.Sample> samples(PushLatencies latencies) {
        return latencies.samples().stream().map(PushLatency.Sample::of).toList();
    }
}
