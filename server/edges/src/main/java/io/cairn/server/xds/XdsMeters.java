package io.cairn.server.xds;

import io.cairn.server.metrics.MeterNames;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.RefusalReason;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;

/** The meters of the mesh edge. */
final class XdsMeters {

    private final Map<XdsType, OfType> types = new EnumMap<>(XdsType.class);
    private final AtomicInteger sotw = new AtomicInteger();
    private final AtomicInteger delta = new AtomicInteger();
    private final Counter bytes;
    private final Timer convergence;
    private final Map<RefusalReason, Counter> refusedStreams = new EnumMap<>(RefusalReason.class);

    private record OfType(Counter messages, Counter refusals, AtomicInteger refusing) {}

    /** @param waiting the present number of streams with an overdue answer */
    XdsMeters(MeterRegistry registry, ToIntFunction<XdsType> waiting) {
        bytes = registry.counter(MeterNames.XDS_BYTES);
        convergence = Timer.builder(MeterNames.XDS_CONVERGENCE)
                .description("From the publication of a revision to the acknowledgement of a client")
                .register(registry);
        registry.gauge(MeterNames.XDS_STREAMS, Tags.of("protocol", "sotw"), sotw);
        registry.gauge(MeterNames.XDS_STREAMS, Tags.of("protocol", "delta"), delta);
        for (RefusalReason reason : RefusalReason.values()) {
            refusedStreams.put(reason, registry.counter(MeterNames.XDS_REFUSED_STREAMS, "reason", reason.tag()));
        }
        for (XdsType type : XdsType.values()) {
            AtomicInteger refusing = new AtomicInteger();
            types.put(
                    type,
                    new OfType(
                            registry.counter(MeterNames.XDS_MESSAGES, "type", type.shortName()),
                            registry.counter(MeterNames.XDS_NACKS, "type", type.shortName()),
                            refusing));
            registry.gauge(MeterNames.XDS_REFUSING, Tags.of("type", type.shortName()), refusing);
            Gauge.builder(MeterNames.XDS_WAITING, type, waiting::applyAsInt)
                    .tags(Tags.of("type", type.shortName()))
                    .register(registry);
        }
    }

    private OfType of(XdsType type) {
        OfType meters = types.get(type);
        if (meters == null) {
            throw new IllegalStateException("no meters for " + type);
        }
        return meters;
    }

    void opened(boolean isDelta) {
        (isDelta ? delta : sotw).incrementAndGet();
    }

    void closed(boolean isDelta) {
        (isDelta ? delta : sotw).decrementAndGet();
    }

    void sent(XdsType type, int length) {
        of(type).messages.increment();
        bytes.increment(length);
    }

    void acknowledged(long sincePublicationNanos) {
        convergence.record(sincePublicationNanos, TimeUnit.NANOSECONDS);
    }

    /** @param before whether the client refused the last response, too */
    void refused(XdsType type, boolean before) {
        of(type).refusals.increment();
        if (!before) {
            of(type).refusing.incrementAndGet();
        }
    }

    void refusalGone(XdsType type) {
        of(type).refusing.decrementAndGet();
    }

    void refused(RefusalReason reason) {
        Objects.requireNonNull(refusedStreams.get(reason)).increment();
    }

    int streams() {
        return sotw.get() + delta.get();
    }
}
