package io.cairn.server.http.core;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.push.PushLatencies;
import java.time.Duration;

/** How long changes took to arrive lately, for people to look at. Thread-safe. */
public final class PushHistory {

    /** How long one period is. */
    public static final Duration PERIOD = Duration.ofSeconds(5);

    private static final int KEPT = 120;

    private final PushLatencies configs = new PushLatencies(KEPT);
    private final PushLatencies services = new PushLatencies(KEPT);

    /** Those of configurations. */
    public PushLatencies configs() {
        return configs;
    }

    /** Those of services. */
    public PushLatencies services() {
        return services;
    }

    /** To be called every {@link #PERIOD}. */
    public void endPeriod(long nowMillis) {
        configs.endPeriod(nowMillis);
        services.endPeriod(nowMillis);
    }

    /** As JSON. */
    public byte[] json() {
        return new JsonOutput(16 * 1024)
                .number("periodSeconds", PERIOD.toSeconds())
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
