package io.cairn.server.push;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** The meters of one kind of pushes. */
public final class PushMeters {

    private final Timer latency;
    private final PushLatencies latencies;
    private final Counter sent;
    private final Counter failed;
    private final Counter dropped;

    public PushMeters(MeterRegistry registry, String kind) {
        this(registry, kind, new PushLatencies(1));
    }

    /** @param latencies receives recent latencies */
    public PushMeters(MeterRegistry registry, String kind, PushLatencies latencies) {
        this.latencies = latencies;
        latency = Timer.builder(MeterNames.PUSH_LATENCY).tag("kind", kind).register(registry);
        sent = registry.counter(MeterNames.PUSH_SENT, "kind", kind);
        failed = registry.counter(MeterNames.PUSH_FAILED, "kind", kind);
        dropped = registry.counter(MeterNames.PUSH_DROPPED, "kind", kind);
    }

    public void sent() {
        sent.increment();
    }

    public void acknowledged(long committedNanos) {
        long nanos = System.nanoTime() - committedNanos;
        latency.record(nanos, TimeUnit.NANOSECONDS);
        latencies.record(nanos);
    }

    public void failed() {
        failed.increment();
    }

    /** Retries included. */
    public long sentCount() {
        return (long) sent.count();
    }

    /** Pushes without a timely acknowledgement, and refused ones. */
    public long failedCount() {
        return (long) failed.count();
    }

    void dropped() {
        dropped.increment();
    }
}
