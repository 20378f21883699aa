package io.cairn.measure;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.ApplicationContext;

/** The server's own counters. */
final class Gauges {

    private final MeterRegistry meters;

    Gauges(ApplicationContext context) {
        meters = context.getBean(MeterRegistry.class);
    }

    /** The number of pairs of a connection and a watched configuration. */
    double listens() {
        return meters.get(MeterNames.LISTENS).gauge().value();
    }
}
