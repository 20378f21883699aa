package io.cairn.server.naming;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.netty.util.Timer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs instances that are no longer registered: counters by cause, log lines, and the last losses of each
 * service. Losses of one service and cause within {@link #GATHER_MILLIS} are one loss and one line. At most ten lines
 * are logged in a minute; a summary of the others follows at the end of the minute. Every collection is bounded.
 * Thread-safe; there is no lock for all services.
 */
public final class InstanceLosses {

    static final long GATHER_MILLIS = 1_000;
    static final long LOG_PERIOD_MILLIS = 60_000;
    static final int LINES_IN_A_PERIOD = 10;
    private static final int KEPT_OF_A_SERVICE = 10;
    private static final int SERVICES_KEPT = 10_000;
    private static final int GATHERED_AT_MOST = 20_000;
    /** Instances that did not come back after a restart and are remembered one by one. */
    private static final int NOT_BACK_KEPT = 20_000;

    private static final Logger log = LoggerFactory.getLogger(InstanceLosses.class);

    private final Timer timer;
    private final Clock clock;
    private final long logPeriodMillis;
    private final Map<LossCause, LongAdder> totals = new EnumMap<>(LossCause.class);
    private final ConcurrentHashMap<Gathering, Gathered> gathered = new ConcurrentHashMap<>();
    private final AtomicBoolean due = new AtomicBoolean();
    private final Cache<ServiceKey, List<Loss>> recent =
            Caffeine.newBuilder().maximumSize(SERVICES_KEPT).build();
    private final ConcurrentHashMap<ServiceKey, Set<InstanceAddress>> notBack = new ConcurrentHashMap<>();
    private final LongAdder notBackKept = new LongAdder();
    private final LongAdder notBackUnkept = new LongAdder();

    // Used by the timer's thread alone.
    private long periodEndsMillis;
    private int linesLogged;
    private final Map<LossCause, Integer> unlogged = new EnumMap<>(LossCause.class);
    private final Set<ServiceKey> unloggedServices = new HashSet<>();

    /**
     * Instances that a service lost at about the same time for one cause.
     *
     * @param atMillis when the last of them was lost, in epoch milliseconds
     * @param example one of them, {@code ip:port}
     */
    public record Loss(LossCause cause, long atMillis, int count, String example) {}

    /** How many instances of how many services. */
    public record Extent(long instances, int services) {}

    private record Gathering(ServiceKey service, LossCause cause) {}

    private record Gathered(int count, String example, long atMillis) {

        Gathered and(Gathered more) {
            return new Gathered(count + more.count, example, more.atMillis);
        }
    }

    InstanceLosses(Timer timer, Clock clock) {
        this(timer, clock, LOG_PERIOD_MILLIS);
    }

    /** @param logPeriodMillis the time after which the losses without a log line of their own are logged together */
    InstanceLosses(Timer timer, Clock clock, long logPeriodMillis) {
        this.timer = timer;
        this.clock = clock;
        this.logPeriodMillis = logPeriodMillis;
        for (LossCause cause : LossCause.values()) {
            totals.put(cause, new LongAdder());
        }
    }

    /** Notes that a service lost these instances. */
    void lost(ServiceKey service, LossCause cause, RegisteredInstance[] instances) {
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

    /** Records that a service lost that number of instances, one of which is the example. */
    void lost(ServiceKey service, LossCause cause, int count, InstanceKey example) {
        LongAdder total = totals.get(cause);
        if (total != null) {
            total.add(count);
        }
        Gathering key = new Gathering(service, cause);
        if (gathered.size() < GATHERED_AT_MOST || gathered.containsKey(key)) {
            gathered.merge(
                    key,
                    new Gathered(count, example.ip() + ':' + example.port(), clock.millis()),
                    (before, more) -> before.and(more));
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
        List<Map.Entry<Gathering, Gathered>> all = new ArrayList<>();
        for (Gathering key : gathered.keySet()) {
            Gathered loss = gathered.remove(key);
            if (loss != null) {
                all.add(Map.entry(key, loss));
            }
        }
        // The largest first: they are the ones that get a line.
        all.sort(Comparator.comparingInt(loss -> -loss.getValue().count()));
        for (Map.Entry<Gathering, Gathered> each : all) {
            Gathering key = each.getKey();
            Gathered loss = each.getValue();
            keep(key.service(), new Loss(key.cause(), loss.atMillis(), loss.count(), loss.example()));
            log(key, loss);
        }
    }

    private void keep(ServiceKey service, Loss loss) {
        recent.asMap().compute(service, (key, before) -> {
            List<Loss> all = new ArrayList<>();
            all.add(loss);
            if (before != null) {
                all.addAll(before.subList(0, Math.min(before.size(), KEPT_OF_A_SERVICE - 1)));
            }
            return List.copyOf(all);
        });
    }

    private void log(Gathering key, Gathered loss) {
        long now = clock.millis();
        if (now >= periodEndsMillis) {
            logSum();
            periodEndsMillis = now + logPeriodMillis;
            linesLogged = 0;
        }
        if (linesLogged < LINES_IN_A_PERIOD) {
            linesLogged++;
            String format = "Service {} of namespace {} lost {}: {} ({}{})";
            Object[] arguments = {
                key.service().group() + "@@" + key.service().name(),
                key.service().namespace().id(),
                instances(loss.count()),
                key.cause().text(),
                loss.example(),
                loss.count() > 1 ? " and others" : ""
            };
            if (key.cause().isUnexpected()) {
                log.warn(format, arguments);
            } else {
                log.info(format, arguments);
            }
            return;
        }
        if (unlogged.isEmpty()) {
            timer.newTimeout(fired -> logSum(), periodEndsMillis - now, TimeUnit.MILLISECONDS);
        }
        unlogged.merge(key.cause(), loss.count(), Integer::sum);
        unloggedServices.add(key.service());
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

    /** How many instances were lost for that cause since the start. */
    public long count(LossCause cause) {
        LongAdder total = totals.get(cause);
        return total == null ? 0 : total.sum();
    }

    /** The last losses of a service, newest first; also of one that does not exist any more. */
    public List<Loss> of(ServiceKey service) {
        List<Loss> known = recent.getIfPresent(service);
        return known == null ? List.of() : known;
    }

    /**
     * Instances that were known before the restart, did not come back in time, and are not registered now either.
     *
     * @param registered the addresses of a service that are registered
     */
    Extent notBack(Function<ServiceKey, Set<InstanceAddress>> registered) {
        long instances = notBackUnkept.sum();
        int services = 0;
        for (Map.Entry<ServiceKey, Set<InstanceAddress>> service : notBack.entrySet()) {
            Set<InstanceAddress> absent = service.getValue();
            if (!absent.isEmpty()) {
                for (InstanceAddress back : registered.apply(service.getKey())) {
                    if (absent.remove(back)) {
                        notBackKept.decrement();
                    }
                }
            }
            instances += absent.size();
            services += absent.isEmpty() ? 0 : 1;
        }
        return new Extent(instances, services);
    }
}
