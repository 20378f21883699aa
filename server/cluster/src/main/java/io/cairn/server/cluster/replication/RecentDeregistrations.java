package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Recent deregistrations by clients, on any node. The copy of a departing node may still have such an instance, and would restore
 * it as an orphan. Its lock is a leaf.
 */
final class RecentDeregistrations {

    private static final int MOST = 100_000;
    private static final long AGE_NANOS = Duration.ofMinutes(10).toNanos();

    /** @param changedAt the time of the deregistration on the clock of the group */
    record Deregistration(InstanceKey instance, long changedAt) {}

    /** An instance without its cluster, which plays no part in a deregistration. */
    private record Address(ServiceKey service, String ip, int port) {}

    private record Due(Address address, long changedAt, long sinceNanos) {}

    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private final Map<ServiceKey, Map<Address, Deregistration>> byService = new HashMap<>();

    @GuardedBy("this")
    private final ArrayDeque<Due> due = new ArrayDeque<>();

    RecentDeregistrations(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    synchronized void add(ServiceKey service, InstanceKey instance, long changedAt) {
        long now = nanoTime.getAsLong();
        trim(now);
        Address address = new Address(service, instance.ip(), instance.port());
        byService
                .computeIfAbsent(service, absent -> new HashMap<>(2))
                .merge(
                        address,
                        new Deregistration(instance, changedAt),
                        (one, other) -> one.changedAt() > other.changedAt() ? one : other);
        due.add(new Due(address, changedAt, now));
    }

    synchronized List<Deregistration> of(ServiceKey service) {
        Map<Address, Deregistration> known = byService.get(service);
        return known == null ? List.of() : new ArrayList<>(known.values());
    }

    synchronized long changedAt(ServiceKey service, InstanceKey instance) {
        Map<Address, Deregistration> ofService = byService.get(service);
        Deregistration known =
                ofService == null ? null : ofService.get(new Address(service, instance.ip(), instance.port()));
        return known == null ? 0 : known.changedAt();
    }

    @GuardedBy("this")
    private void trim(long now) {
        for (Due oldest = due.peek();
                oldest != null && (due.size() >= MOST || now - oldest.sinceNanos() > AGE_NANOS);
                oldest = due.peek()) {
            due.remove();
            Address address = oldest.address();
            Map<Address, Deregistration> ofService = byService.get(address.service());
            Deregistration known = ofService == null ? null : ofService.get(address);
            if (ofService != null && known != null && known.changedAt() <= oldest.changedAt()) {
                ofService.remove(address);
                if (ofService.isEmpty()) {
                    byService.remove(address.service());
                }
            }
        }
    }
}
