package io.cairn.measure;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.ApplicationContext;

/** What the server counts itself. */
final class Gauges {

    private final MeterRegistry meters;

    Gauges(ApplicationContext context) {
        meters = context.getBean(MeterRegistry.class);
    }

    /** Pairs of a connection and a configuration that it listens to. */
    double listens() {
        return meters.get(MeterNames.LISTENS).gauge().value();
    }
}
