package io.cairn.server.wiring;

import io.cairn.api.wire.MessageCatalog;
import io.cairn.server.config.ConfigView;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.http.core.PushHistory;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.Publisher;
import io.cairn.server.push.PushLatencies;
import io.cairn.server.subscription.ConfigListeners;
import io.cairn.server.subscription.ServiceSubscriptions;
import io.cairn.server.subscription.udp.UdpSubscribers;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The meters that dashboards and alerts made for Nacos ask for, under their names, as far as this server has something to count.
 * Their values are read at each scrape.
 *
 * <p>Source of the names: what {@code /nacos/actuator/prometheus} of Nacos 2.5 and 3.0 shows.
 */
final class NacosMeters {

    static final String MONITOR = "nacos.monitor";
    static final String TIMER = "nacos.timer";
    static final String EXCEPTIONS = "nacos.exception";
    static final String SUBSCRIBERS = "nacos.naming.subscriber";
    static final String PUBLISHERS = "nacos.naming.publisher";

    private static final double MICROS_PER_MILLI = 1_000;
    /** Shown by Nacos as the cost of pushes where there were none. */
    private static final double NO_PUSHES = -1;

    private static final Requests PUBLISHES = new Requests(
            MessageCatalog.CONFIG_PUBLISH_REQUEST,
            Set.of(
                    "POST /v1/cs/configs",
                    "POST /v2/cs/config",
                    "POST /v3/admin/cs/config",
                    "POST /v3/console/cs/config"));
    private static final Requests READS = new Requests(
            MessageCatalog.CONFIG_QUERY_REQUEST,
            Set.of(
                    "GET /v1/cs/configs",
                    "GET /v2/cs/config",
                    "GET /v3/client/cs/config",
                    "GET /v3/admin/cs/config",
                    "GET /v3/console/cs/config"));

    private final MeterRegistry meters;

    /** The requests that read or publish configurations, over gRPC and over HTTP. */
    private record Requests(String message, Set<String> routes) {

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

        long count(MeterRegistry meters) {
            return (long) sum(meters, Timer::count);
        }

        double totalNanos(MeterRegistry meters) {
            return sum(meters, timer -> timer.totalTime(TimeUnit.NANOSECONDS));
        }
    }

    NacosMeters(MeterRegistry meters) {
        this.meters = meters;
    }

    /** Shows what there is of configurations. */
    void configurations(ConfigView configs, ConfigListeners listeners) {
        monitor("config", "configCount", configs::size);
        monitor("config", "longPolling", listeners::parkedPolls);
        monitor("config", "publish", () -> PUBLISHES.count(meters));
        monitor("config", "getConfig", () -> READS.count(meters));
        timer("writeConfigRt", PUBLISHES);
        timer("readConfigRt", READS);
        FunctionCounter.builder(EXCEPTIONS, meters, NacosMeters::failedWrites)
                .tags("module", "config", "name", "db")
                .description("Changes that failed in the database")
                .register(meters);
    }

    private static double failedWrites(MeterRegistry meters) {
        Counter failed = meters.find(MeterNames.STORE_FAILED).counter();
        return failed == null ? 0 : failed.count();
    }

    /** Shows what there is of services. */
    void services(NamingService naming, ServiceSubscriptions subscriptions, UdpSubscribers udp, PushHistory history) {
        monitor("naming", "serviceCount", naming::serviceCount);
        monitor("naming", "ipCount", naming::instanceCount);
        monitor("naming", "subscriberCount", subscriptions::pairs);
        monitor("naming", "totalPush", () -> acknowledgedPushes(meters));
        monitor("naming", "failedPush", () -> failedPushes(meters));
        PushLatencies pushes = history.services();
        monitor("naming", "avgPushCost", () -> lately(pushes, PushLatencies.Sample::meanMicros));
        monitor("naming", "maxPushCost", () -> lately(pushes, PushLatencies.Sample::maxMicros));
        for (String type : List.of("http", "tcp", "mysql")) {
            monitor("naming", type + "HealthCheck", () -> healthChecks(meters, type));
        }
        byVersion(SUBSCRIBERS, "v1", udp::size);
        byVersion(SUBSCRIBERS, "v2", () -> Math.max(0, subscriptions.pairs() - udp.size()));
        byVersion(PUBLISHERS, "v1", () -> publications(naming, false));
        byVersion(PUBLISHERS, "v2", () -> publications(naming, true));
    }

    private static Number acknowledgedPushes(MeterRegistry meters) {
        Timer latency =
                meters.find(MeterNames.PUSH_LATENCY).tag("kind", "service").timer();
        return latency == null ? 0 : latency.count();
    }

    private static Number failedPushes(MeterRegistry meters) {
        Counter failed =
                meters.find(MeterNames.PUSH_FAILED).tag("kind", "service").counter();
        return failed == null ? 0 : failed.count();
    }

    /** In milliseconds, of the period that ended last. */
    private static Number lately(PushLatencies pushes, ToDoubleFunction<PushLatencies.Sample> micros) {
        List<PushLatencies.Sample> samples = pushes.samples();
        PushLatencies.Sample last = samples.isEmpty() ? null : samples.get(samples.size() - 1);
        return last == null || last.count() == 0 ? NO_PUSHES : micros.applyAsDouble(last) / MICROS_PER_MILLI;
    }

    private static Number healthChecks(MeterRegistry meters, String type) {
        long sum = 0;
        for (Timer timer :
                meters.find(MeterNames.HEALTH_CHECKS).tag("type", type).timers()) {
            sum += timer.count();
        }
        return sum;
    }

    /** Pairs of a client and a service that it publishes instances of. */
    private static Number publications(NamingService naming, boolean ofConnections) {
        long sum = 0;
        for (Publisher publisher : naming.publishers()) {
            if (publisher.kind() == Publisher.Kind.CONNECTION == ofConnections) {
                sum += publisher.services().size();
            }
        }
        return sum;
    }

    /** Shows what there is of clients. */
    void connections(ConnectionRegistry connections) {
        monitor("core", "longConnection", connections::size);
    }

    private void monitor(String module, String name, Supplier<Number> value) {
        Gauge.builder(MONITOR, value)
                .tags("module", module, "name", name)
                .description("What dashboards for Nacos show")
                .register(meters);
    }

    private void byVersion(String meter, String version, Supplier<Number> value) {
        Gauge.builder(meter, value)
                .tags("version", version)
                .description("What dashboards for Nacos show: v1 over HTTP, v2 over gRPC")
                .register(meters);
    }

    private void timer(String name, Requests requests) {
        FunctionTimer.builder(TIMER, meters, requests::count, requests::totalNanos, TimeUnit.NANOSECONDS)
                .tags("module", "config", "name", name)
                .description("What dashboards for Nacos show")
                .register(meters);
    }
}
