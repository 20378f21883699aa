package io.cairn.server.wiring;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;

/** Gives each meter its description in {@link MeterNames}; Prometheus shows it as {@code HELP}. */
final class MeterDescriptions implements MeterFilter {

    @Override
    public Meter.Id map(Meter.Id id) {
        MeterNames.Described meter = MeterNames.described(id.getName());
        return meter == null
                ? id
                : new Meter.Id(id.getName(), Tags.of(id.getTags()), id.getBaseUnit(), meter.text(), id.getType());
    }
}
