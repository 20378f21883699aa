package io.cairn.server.metrics.nacos;

import io.cairn.server.metrics.MeterNames;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meter names of dashboards and alerts for Nacos. Features register their values, which are read at each scrape.
 *
 * <p>Source of the names: {@code /nacos/actuator/prometheus} of Nacos 2.5 and 3.0.
 */
public final class NacosMeters {

    private static final String MONITOR = "nacos.monitor";
    private static final String TIMER = "nacos.timer";
    private static final String EXCEPTIONS = "nacos.exception";
    private static final String SUBSCRIBERS = "nacos.naming.subscriber";
    private static final String PUBLISHERS = "nacos.naming.publisher";
    private static final String LISTENERS = "nacos.config.subscriber";
    private static final String HTTP = "http.server.requests";
    private static final String GRPC = "grpc.server.requests";
    private static final String EXECUTOR = "grpc.server.executor";

    private static final String SHOWN = "What dashboards for Nacos show";

    private final MeterRegistry meters;

    public NacosMeters(MeterRegistry meters) {
        this.meters = meters;
    }

    /** A value of Nacos's module {@code config}, {@code naming} or {@code core}. */
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

    /** @param version {@code v1} over HTTP, {@code v2} over gRPC */
    public void listeners(String version, Supplier<Number> value) {
        byVersion(LISTENERS, version, value);
    }

    /** A value of the gRPC threads. */
    public void grpcThreads(String name, Supplier<Number> value) {
        Gauge.builder(EXECUTOR, value)
                .tags("module", "core", "type", "grpcSdkServer", "name", name)
                .description(SHOWN)
                .register(meters);
    }

    /**
     * Adds Nacos's names for requests over HTTP and gRPC. Each reads the timer of the same requests at a scrape, so requests cost
     * nothing more.
     */
    public void requests() {
        meters.config().onMeterAdded(this::showRequests);
        meters.getMeters().forEach(this::showRequests);
    }

    private void showRequests(Meter meter) {
        if (!(meter instanceof Timer timer)) {
            return;
        }
        Meter.Id id = timer.getId();
        if (id.getName().equals(MeterNames.HTTP_REQUESTS)) {
            String route = String.valueOf(id.getTag("route"));
            int space = route.indexOf(' ');
            showRequests(
                    HTTP,
                    Tags.of(
                            "method",
                            route.substring(0, Math.max(0, space)),
                            "uri",
                            route.substring(space + 1),
                            "status",
                            String.valueOf(id.getTag("status"))),
                    timer);
        } else if (id.getName().equals(MeterNames.GRPC_REQUESTS)) {
            showRequests(
                    GRPC,
                    Tags.of(
                            "module",
                            "core",
                            "requestClass",
                            String.valueOf(id.getTag("type")),
                            "outcome",
                            String.valueOf(id.getTag("outcome"))),
                    timer);
        }
    }

    private void showRequests(String name, Tags tags, Timer timer) {
        FunctionTimer.builder(
                        name,
                        timer,
                        Timer::count,
                        measured -> measured.totalTime(TimeUnit.NANOSECONDS),
                        TimeUnit.NANOSECONDS)
                .tags(tags)
                .description(SHOWN)
                .register(meters);
    }

    private void byVersion(String meter, String version, Supplier<Number> value) {
        Gauge.builder(meter, value)
                .tags("version", version)
                .description(SHOWN + ": v1 over HTTP, v2 over gRPC")
                .register(meters);
    }

    /** Latencies of the module {@code config}. */
    public void configTimer(String name, Requests requests) {
        FunctionTimer.builder(TIMER, meters, requests::count, requests::totalNanos, TimeUnit.NANOSECONDS)
                .tags("module", "config", "name", name)
                .description(SHOWN)
                .register(meters);
    }

    public void failedWrites() {
        FunctionCounter.builder(
                        EXCEPTIONS,
                        meters,
                        all -> count(all.find(MeterNames.STORE_FAILED).counter()))
                .tags("module", "config", "name", "db")
                .description("Changes that failed in the database")
                .register(meters);
    }

    public long acknowledgedPushes(String kind) {
        Timer latency = meters.find(MeterNames.PUSH_LATENCY).tag("kind", kind).timer();
        return latency == null ? 0 : latency.count();
    }

    public double failedPushes(String kind) {
        return count(meters.find(MeterNames.PUSH_FAILED).tag("kind", kind).counter());
    }

    private static double count(@Nullable Counter counter) {
        return counter == null ? 0 : counter.count();
    }

    public long healthChecks(String type) {
        long sum = 0;
        for (Timer timer :
                meters.find(MeterNames.HEALTH_CHECKS).tag("type", type).timers()) {
            sum += timer.count();
        }
        return sum;
    }

    public long count(Requests requests) {
        return requests.count(meters);
    }

    /**
     * Requests for one purpose.
     *
     * @param message gRPC type
     * @param routes methods and paths of all versions
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
