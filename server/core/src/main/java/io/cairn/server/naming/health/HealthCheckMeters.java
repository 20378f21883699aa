package io.cairn.server.naming.health;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

final class HealthCheckMeters {

    private final Map<HealthCheck.Type, Map<ProbeResult.Outcome, Timer>> checks = new EnumMap<>(HealthCheck.Type.class);

    HealthCheckMeters(MeterRegistry registry, Supplier<Number> watched) {
        for (HealthCheck.Type type : HealthCheck.Type.values()) {
            if (type == HealthCheck.Type.NONE) {
                continue;
            }
            Map<ProbeResult.Outcome, Timer> outcomes = new EnumMap<>(ProbeResult.Outcome.class);
            for (ProbeResult.Outcome outcome : ProbeResult.Outcome.values()) {
                outcomes.put(
                        outcome,
                        Timer.builder(MeterNames.HEALTH_CHECKS)
                                .tag("type", type.name().toLowerCase(Locale.ROOT))
                                .tag("outcome", outcome.tag())
                                .register(registry));
            }
            checks.put(type, outcomes);
        }
        Gauge.builder(MeterNames.HEALTH_CHECKED, watched).register(registry);
    }

    void checked(HealthCheck.Type type, ProbeResult.Outcome outcome, long nanos) {
        Map<ProbeResult.Outcome, Timer> outcomes = checks.get(type);
        Timer timer = outcomes == null ? null : outcomes.get(outcome);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }
}
