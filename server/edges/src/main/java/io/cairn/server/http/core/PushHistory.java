package io.cairn.server.http.core;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.push.PushLatencies;
import java.time.Duration;

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

    /** As JSON. */
    public byte[] json() {
        return new JsonOutput(16 * 1024)
                .number("periodSeconds", period.toSeconds())
                .objects("config", configs.samples(), PushHistory::write)
                .objects("service", services.samples(), PushHistory::write)
                .toBytes();
    }

    private static void write(PushLatencies.Sample sample, JsonOutput out) {
        out.number("at", sample.endMillis())
                .number("count", sample.count())
                .number("meanMicros", sample.meanMicros())
                .number("p99Micros", sample.p99Micros())
                .number("maxMicros", sample.maxMicros());
    }
}
