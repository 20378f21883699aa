package io.cairn.server.naming.registry;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.view.RegisteredInstance;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs lost instances: by cause, by log line, and the last losses of each service. Losses of a service and cause within
 * {@link #GATHER_MILLIS} are one. Ten lines a minute at most, and {@link #NOT_BACK_LINES} more after a restart; a summary of others
 * ends the minute. Every collection is bounded. No global lock.
 */
public final class InstanceLosses {

    public static final long GATHER_MILLIS = 1_000;
    public static final long LOG_PERIOD_MILLIS = 60_000;
    static final int LINES_IN_A_PERIOD = 10;
    /** A line for each service; with more, the lines are the smaller problem. */
    static final int NOT_BACK_LINES = 1_000;

    private static final int KEPT_OF_A_SERVICE = 10;
    private static final int GATHERED_AT_MOST = 20_000;
    /** Remembered instances that did not return after a restart. */
    private static final int NOT_BACK_KEPT = 20_000;

    private static final Logger log = LoggerFactory.getLogger(InstanceLosses.class);

    private final Timer timer;
    private final Clock clock;
    private final long logPeriodMillis;
    private final Map<LossCause, LongAdder> totals = new EnumMap<>(LossCause.class);
    private final ConcurrentHashMap<Gathering, Gathered> gathered = new ConcurrentHashMap<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private final LatestOfServices<Loss> recent = new LatestOfServices<>(KEPT_OF_A_SERVICE);
    private final ConcurrentHashMap<ServiceKey, Set<InstanceAddress>> notBack = new ConcurrentHashMap<>();
    private final LongAdder notBackKept = new LongAdder();
    private final LongAdder notBackUnkept = new LongAdder();

    // For the timer's thread alone.
    private long periodEndsMillis;
    private int linesLogged;
    private int notBackLogged;
    private final Map<LossCause, Integer> unlogged = new EnumMap<>(LossCause.class);
    private final Set<ServiceKey> unloggedServices = new HashSet<>();

    /**
     * Instances lost at about one time for one cause.
     *
     * @param atMillis of the last one, in epoch milliseconds
     * @param example {@code ip:port}
     */
    public record Loss(LossCause cause, long atMillis, int count, String example) {}

    /**
     * @param instances in all, also of unknown services
     * @param byService number by service
     */
    public record Missing(long instances, Map<ServiceKey, Integer> byService) {

        public Missing {
            byService = Map.copyOf(byService);
        }
    }

    private record Gathering(ServiceKey service, LossCause cause) {

        // Written out for the reason given at ServiceKey.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Gathering gathering
                    && cause == gathering.cause
                    && service.equals(gathering.service);
        }

        @Override
        public int hashCode() {
            return service.hashCode() * 31 + cause.hashCode();
        }
    }

    /** Changed within {@link ConcurrentHashMap#compute} alone. */
    private static final class Gathered {
        final InstanceKey example;
        int count;
        long atMillis;

        Gathered(InstanceKey example) {
            this.example = example;
        }

        Loss loss(LossCause cause) {
            return new Loss(cause, atMillis, count, example.ip() + ':' + example.port());
        }
    }

    public InstanceLosses(Timer timer, Clock clock) {
        this(timer, clock, LOG_PERIOD_MILLIS);
    }

    /** @param logPeriodMillis after which losses without their own line are logged together */
    public InstanceLosses(Timer timer, Clock clock, long logPeriodMillis) {
        this.timer = timer;
        this.clock = clock;
        this.logPeriodMillis = logPeriodMillis;
        for (LossCause cause : LossCause.values()) {
            totals.put(cause, new LongAdder());
        }
    }

    public void lost(ServiceKey service, LossCause cause, RegisteredInstance[] instances) {
        if (instances.length == 0) {
            return;
        }
        if (cause == LossCause.NOT_BACK) {
            for (RegisteredInstance instance : instances) {
                rememberNotBack(service, instance.published().key());
            }
        }
        lost(service, cause, instances.length, instances[0].published().key());
    }

    /** @param example a lost instance */
    public void lost(ServiceKey service, LossCause cause, int count, InstanceKey example) {
        LongAdder total = totals.get(cause);
        if (total != null) {
            total.add(count);
        }
        Gathering key = new Gathering(service, cause);
        if (gathered.size() < GATHERED_AT_MOST || gathered.containsKey(key)) {
            gathered.compute(key, (same, before) -> {
                Gathered loss = before == null ? new Gathered(example) : before;
                loss.count += count;
                loss.atMillis = clock.millis();
                return loss;
            });
        }
        if (due.compareAndSet(false, true)) {
            timer.newTimeout(fired -> publish(), GATHER_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void rememberNotBack(ServiceKey service, InstanceKey instance) {
        if (notBackKept.sum() >= NOT_BACK_KEPT) {
            notBackUnkept.increment();
        } else if (notBack.computeIfAbsent(service, first -> ConcurrentHashMap.newKeySet())
                .add(InstanceAddress.of(instance))) {
            notBackKept.increment();
        }
    }

    private void publish() {
        due.set(false);
        List<Map.Entry<ServiceKey, Loss>> all = new ArrayList<>();
        for (Gathering key : gathered.keySet()) {
            Gathered loss = gathered.remove(key);
            if (loss != null) {
                all.add(Map.entry(key.service(), loss.loss(key.cause())));
            }
        }
        // The largest get a line of their own.
        all.sort(Comparator.comparingInt(loss -> -loss.getValue().count()));
        for (Map.Entry<ServiceKey, Loss> each : all) {
            recent.add(each.getKey(), each.getValue());
            log(each.getKey(), each.getValue());
        }
    }

    private void log(ServiceKey service, Loss loss) {
        long now = clock.millis();
        if (now >= periodEndsMillis) {
            logSum();
            periodEndsMillis = now + logPeriodMillis;
            linesLogged = 0;
            notBackLogged = 0;
        }
        if (hasLineLeft(loss.cause())) {
            String format = "Service {} of namespace {} lost {}: {} ({}{})";
            Object[] arguments = {
                service.group() + "@@" + service.name(),
                service.namespace().id(),
                instances(loss.count()),
                loss.cause().text(),
                loss.example(),
                loss.count() > 1 ? " and others" : ""
            };
            if (loss.cause().isUnexpected()) {
                log.warn(format, arguments);
            } else {
                log.info(format, arguments);
            }
            return;
        }
        if (unlogged.isEmpty()) {
            timer.newTimeout(fired -> logSum(), periodEndsMillis - now, TimeUnit.MILLISECONDS);
        }
        unlogged.merge(loss.cause(), loss.count(), Integer::sum);
        unloggedServices.add(service);
    }

    private boolean hasLineLeft(LossCause cause) {
        return cause == LossCause.NOT_BACK ? notBackLogged++ < NOT_BACK_LINES : linesLogged++ < LINES_IN_A_PERIOD;
    }

    private static String instances(int count) {
        return count == 1 ? "1 instance" : count + " instances";
    }

    private void logSum() {
        if (unlogged.isEmpty()) {
            return;
        }
        int count = unlogged.values().stream().mapToInt(Integer::intValue).sum();
        String causes = unlogged.entrySet().stream()
                .map(cause -> cause.getKey().text() + ": " + cause.getValue())
                .collect(Collectors.joining(", "));
        String format = "In the last minute {} other services lost {} more ({})";
        if (unlogged.keySet().stream().anyMatch(LossCause::isUnexpected)) {
            log.warn(format, unloggedServices.size(), instances(count), causes);
        } else {
            log.info(format, unloggedServices.size(), instances(count), causes);
        }
        unlogged.clear();
        unloggedServices.clear();
    }

    /** Since the start. */
    public long count(LossCause cause) {
        LongAdder total = totals.get(cause);
        return total == null ? 0 : total.sum();
    }

    /** Newest first; also of a removed service. */
    public List<Loss> of(ServiceKey service) {
        return recent.of(service);
    }

    /**
     * Instances from before the restart that did not return in time and are not registered.
     *
     * @param registered a service's registered addresses
     */
    public Missing notBack(Function<ServiceKey, Set<InstanceAddress>> registered) {
        long instances = notBackUnkept.sum();
        Map<ServiceKey, Integer> byService = new HashMap<>();
        for (Map.Entry<ServiceKey, Set<InstanceAddress>> service : notBack.entrySet()) {
            Set<InstanceAddress> absent = service.getValue();
            if (!absent.isEmpty()) {
                for (InstanceAddress back : registered.apply(service.getKey())) {
                    if (absent.remove(back)) {
                        notBackKept.decrement();
                    }
                }
            }
            int missing = absent.size();
            instances += missing;
            if (missing > 0) {
                byService.put(service.getKey(), missing);
            }
        }
        return new Missing(instances, byService);
    }
}
