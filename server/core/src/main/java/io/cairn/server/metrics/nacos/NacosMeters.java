package io.cairn.server.metrics.nacos;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The names under which dashboards and alerts made for Nacos ask for meters. Features register what they have to count; the values are
 * read at each scrape.
 *
 * <p>Source of the names: what {@code /nacos/actuator/prometheus} of Nacos 2.5 and 3.0 shows.
 */
public final class NacosMeters {

    private static final String MONITOR = "nacos.monitor";
    private static final String TIMER = "nacos.timer";
    private static final String EXCEPTIONS = "nacos.exception";
    private static final String SUBSCRIBERS = "nacos.naming.subscriber";
    private static final String PUBLISHERS = "nacos.naming.publisher";

    private static final String SHOWN = "What dashboards for Nacos show";

    private final MeterRegistry meters;

    public NacosMeters(MeterRegistry meters) {
        this.meters = meters;
    }

    /** Shows a figure of a module of Nacos: {@code config}, {@code naming} or {@code core}. */
    public void monitor(String module, String name, Supplier<Number> value) {
        Gauge.builder(MONITOR, value)
                .tags("module", module, "name", name)
                .description(SHOWN)
                .register(meters);
    }

    /** @param version {@code v1} over HTTP, {@code v2} over gRPC */
    public void subscribers(String version, Supplier<Number> value) {
        byVersion(SUBSCRIBERS, version, value);
    }

    /** @param version {@code v1} over HTTP, {@code v2} over gRPC */
    public void publishers(String version, Supplier<Number> value) {
        byVersion(PUBLISHERS, version, value);
    }

    private void byVersion(String meter, String version, Supplier<Number> value) {
        Gauge.builder(meter, value)
                .tags("version", version)
                .description(SHOWN + ": v1 over HTTP, v2 over gRPC")
                .register(meters);
    }

    /** Shows how long requests of the module {@code config} take. */
    public void configTimer(String name, Requests requests) {
        FunctionTimer.builder(TIMER, meters, requests::count, requests::totalNanos, TimeUnit.NANOSECONDS)
                .tags("module", "config", "name", name)
                .description(SHOWN)
                .register(meters);
    }

    /** Shows the changes that failed in the database. */
    public void failedWrites() {
        FunctionCounter.builder(
                        EXCEPTIONS,
                        meters,
                        all -> count(all.find(MeterNames.STORE_FAILED).counter()))
                .tags("module", "config", "name", "db")
                .description("Changes that failed in the database")
                .register(meters);
    }

    /** The pushes of a kind that clients acknowledged. */
    public long acknowledgedPushes(String kind) {
        Timer latency = meters.find(MeterNames.PUSH_LATENCY).tag("kind", kind).timer();
        return latency == null ? 0 : latency.count();
    }

    /** The pushes of a kind that failed. */
    public double failedPushes(String kind) {
        return count(meters.find(MeterNames.PUSH_FAILED).tag("kind", kind).counter());
    }

    private static double count(@Nullable Counter counter) {
        return counter == null ? 0 : counter.count();
    }

    /** The health checks of a type that have run. */
    public long healthChecks(String type) {
        long sum = 0;
        for (Timer timer :
                meters.find(MeterNames.HEALTH_CHECKS).tag("type", type).timers()) {
            sum += timer.count();
        }
        return sum;
    }

    /** How many of these requests there were. */
    public long count(Requests requests) {
        return requests.count(meters);
    }

    /**
     * Requests for one purpose, over gRPC and over HTTP.
     *
     * @param message the type of the message
     * @param routes the methods and paths of all versions
     */
    public record Requests(String message, Set<String> routes) {

        private double sum(MeterRegistry meters, ToDoubleFunction<Timer> measured) {
            double sum = 0;
            for (Timer timer :
                    meters.find(MeterNames.GRPC_REQUESTS).tag("type", message).timers()) {
                sum += measured.applyAsDouble(timer);
            }
            for (Timer timer : meters.find(MeterNames.HTTP_REQUESTS)
                    .tag("route", routes::contains)
                    .timers()) {
                sum += measured.applyAsDouble(timer);
            }
            return sum;
        }

        private long count(MeterRegistry meters) {
            return (long) sum(meters, Timer::count);
        }

        private double totalNanos(MeterRegistry meters) {
            return sum(meters, timer -> timer.totalTime(TimeUnit.NANOSECONDS));
        }
    }
}
