package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.view.RegisteredInstance;
import io.netty.util.Timer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Finds overrides of instances absent for long. */
public final class OverrideExpiry {

    private static final long LOOK_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long expiryNanos;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final Listener expired;
    /** The begin of absence, for services with such overrides only. */
    private final Map<ServiceKey, Map<InstanceKey, Long>> absent = new ConcurrentHashMap<>();
    /** Changed services to check. */
    private final Set<ServiceEntry> awaited = ConcurrentHashMap.newKeySet();

    @FunctionalInterface
    public interface Listener {

        /**
         * @param overrides as known here
         * @param settings of a leftover service; else null
         */
        void expired(
                ServiceKey service, Map<InstanceKey, InstanceOverride> overrides, @Nullable ServiceSettings settings);

        /** Whether this node removes them for all. */
        default boolean isMine() {
            return true;
        }
    }

    public OverrideExpiry(long expiryNanos, Timer timer, LongSupplier nanoTime, Listener expired) {
        this.expiryNanos = expiryNanos;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.expired = expired;
    }

    /** Several changes cause one check. */
    public void changed(ServiceEntry entry) {
        if (!entry.hasOverrides()) {
            if (!absent.isEmpty()) {
                absent.remove(entry.key());
            }
        } else if (awaited.add(entry)) {
            timer.newTimeout(
                    fired -> {
                        awaited.remove(entry);
                        if (!entry.isRetired()) {
                            check(entry);
                        }
                    },
                    Math.min(expiryNanos, LOOK_AFTER_NANOS),
                    TimeUnit.NANOSECONDS);
        }
    }

    private void check(ServiceEntry entry) {
        Map<InstanceKey, InstanceOverride> overrides = entry.overrides();
        // An instance added and removed since the last check counts as present.
        Set<InstanceKey> returned = entry.takeReturned();
        Set<InstanceKey> present = new HashSet<>();
        for (Publication publication : entry.publications()) {
            for (RegisteredInstance registered : publication.registered()) {
                Instance instance = registered.published();
                present.add(instance.key());
            }
        }
        long now = nanoTime.getAsLong();
        Map<InstanceKey, InstanceOverride> over = new HashMap<>();
        absent.compute(entry.key(), (service, before) -> {
            Map<InstanceKey, Long> since = new HashMap<>();
            for (Map.Entry<InstanceKey, InstanceOverride> each : overrides.entrySet()) {
                InstanceKey key = each.getKey();
                if (present.contains(key)) {
                    continue;
                }
                long from = before == null || returned.contains(key) ? now : before.getOrDefault(key, now);
                if (now - from >= expiryNanos) {
                    over.put(key, each.getValue());
                    // Tried again later, should the removal fail.
                    from = now;
                }
                since.put(key, from);
            }
            if (before == null && !since.isEmpty()) {
                checkAgain(entry);
            }
            return since.isEmpty() ? null : since;
        });
        if (!over.isEmpty()) {
            expired.expired(entry.key(), over, null);
        }
    }

    /** To be called before another entry replaces it. */
    public void forget(ServiceEntry retired) {
        absent.remove(retired.key());
    }

    private void checkAgain(ServiceEntry entry) {
        timer.newTimeout(
                fired -> {
                    if (entry.isRetired()) {
                        return;
                    }
                    check(entry);
                    if (absent.containsKey(entry.key())) {
                        checkAgain(entry);
                    }
                },
                expiryNanos,
                TimeUnit.NANOSECONDS);
    }
}
