package io.cairn.server.rpc;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

final class RequestMeters {

    private final Timer answered;
    private final Timer failed;

    RequestMeters(MeterRegistry registry, String type) {
        answered = timer(registry, type, "ok");
        failed = timer(registry, type, "failed");
    }

    private static Timer timer(MeterRegistry registry, String type, String outcome) {
        return registry.timer(MeterNames.GRPC_REQUESTS, "type", type, "outcome", outcome);
    }

    void record(long startNanos, boolean isFailed) {
        (isFailed ? failed : answered).record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
}
