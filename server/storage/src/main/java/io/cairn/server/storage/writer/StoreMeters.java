package io.cairn.server.storage.writer;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** The meters of the writer. */
public final class StoreMeters {

    private final Timer commits;
    private final Counter writes;
    private final Counter refused;
    private final Counter failed;

    public StoreMeters(MeterRegistry registry) {
        commits = registry.timer(MeterNames.STORE_COMMITS);
        writes = registry.counter(MeterNames.STORE_WRITES);
        refused = registry.counter(MeterNames.STORE_REFUSED);
        failed = registry.counter(MeterNames.STORE_FAILED);
    }

    void committed(int commands, long nanos) {
        commits.record(nanos, TimeUnit.NANOSECONDS);
        writes.increment(commands);
    }

    void refused() {
        refused.increment();
    }

    void failed() {
        failed.increment();
    }
}
