package io.cairn.server.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heartbeats and registrations that authorization refuses, by user: the start and the instances. A refusal ends
 * when the instance sends a heartbeat or registers with success, or an hour after the last refusal. Only refusals take
 * the lock; an accepted heartbeat costs nothing here, because it is compared when the list is requested. Bounded.
 * Thread-safe.
 *
 * <p>Lock order: the lock of this class is taken before those of {@link Publisher} and {@link ServiceEntry}.
 */
public final class RefusedBeats {

    static final Duration KEPT = Duration.ofHours(1);
    static final int MAX_USERS = 100;
    static final int MAX_INSTANCES = 20_000;

    private static final Logger log = LoggerFactory.getLogger(RefusedBeats.class);

    private final NamingService naming;
    private final Clock clock;

    @GuardedBy("itself")
    private final Map<String, OfUser> users = new LinkedHashMap<>();

    /** The number of instances of all users. */
    @GuardedBy("users")
    private int instances;

    /**
     * The refusals of one user, as operators see them.
     *
     * @param user the name of the user or token; empty where no credentials were sent
     * @param reason of the last refusal
     * @param isLowerBound whether there are more instances than could be remembered
     */
    public record Refused(
            String user, String reason, long sinceMillis, int instances, int services, boolean isLowerBound) {}

    private record Affected(ServiceKey service, InstanceAddress address) {}

    /** The refusals of one user; used with the lock of {@link #users} held, the map that it lies in. */
    private static final class OfUser {

        final long sinceMillis;
        final Map<Affected, Long> lastMillis = new LinkedHashMap<>();
        String reason = "";
        boolean isFull;

        OfUser(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }
    }

    public RefusedBeats(NamingService naming, Clock clock) {
        this.naming = naming;
        this.clock = clock;
    }

    /**
     * Records that the heartbeat or the registration of an instance was refused.
     *
     * @param user the name in the credentials; null if there are none
     * @param isVerified whether a signature proves that name; an unproven name counts only for registered instances, so
     *     that a client cannot fill this memory with invented instances
     */
    public void refused(
            @Nullable String user, boolean isVerified, String reason, ServiceKey service, InstanceKey instance) {
        String name = user == null ? "" : user;
        Affected affected = new Affected(service, InstanceAddress.of(instance));
        boolean isRegistered = isVerified || naming.leases().lastBeatMillis(service, instance) > 0;
        boolean isFirst = false;
        synchronized (users) {
            OfUser known = users.get(name);
            if (!isRegistered && (known == null || !known.lastMillis.containsKey(affected))) {
                return;
            }
            if (known == null) {
                forgetEnded();
                if (users.size() >= MAX_USERS) {
                    return;
                }
                known = new OfUser(clock.millis());
                users.put(name, known);
                isFirst = true;
            }
            known.reason = reason;
            if (known.lastMillis.containsKey(affected) || instances < MAX_INSTANCES) {
                instances += known.lastMillis.put(affected, clock.millis()) == null ? 1 : 0;
            } else {
                known.isFull = true;
            }
        }
        if (isFirst) {
            log.warn(
                    "Heartbeats and registrations of {} are refused ({}), first for {}:{} of service {}@@{}; instances"
                            + " without heartbeats are removed after a while. Correct its password or its rights",
                    name.isEmpty() ? "clients without credentials" : "user " + name,
                    reason,
                    instance.ip(),
                    instance.port(),
                    service.group(),
                    service.name());
        }
    }

    /** The present refusals, the user with most instances first. */
    public List<Refused> now() {
        List<Refused> all = new ArrayList<>();
        synchronized (users) {
            forgetEnded();
            users.forEach((name, user) -> {
                Set<ServiceKey> services = new HashSet<>();
                user.lastMillis.keySet().forEach(affected -> services.add(affected.service()));
                all.add(new Refused(
                        name, user.reason, user.sinceMillis, user.lastMillis.size(), services.size(), user.isFull));
            });
        }
        all.sort((one, other) -> Integer.compare(other.instances(), one.instances()));
        return all;
    }

    /** How many instances are refused at the moment. */
    public int instances() {
        synchronized (users) {
            forgetEnded();
            return instances;
        }
    }

    @GuardedBy("users")
    private void forgetEnded() {
        long oldest = clock.millis() - KEPT.toMillis();
        Map<ServiceKey, Map<InstanceAddress, Long>> connected = new HashMap<>();
        for (Iterator<OfUser> all = users.values().iterator(); all.hasNext(); ) {
            OfUser user = all.next();
            int before = user.lastMillis.size();
            user.lastMillis.entrySet().removeIf(refusal -> {
                long last = refusal.getValue();
                Affected affected = refusal.getKey();
                return last < oldest
                        || naming.leases()
                                        .lastBeatMillis(
                                                affected.service(),
                                                affected.address().asKey())
                                > last
                        || connected
                                        .computeIfAbsent(affected.service(), naming.reads()::connectedSince)
                                        .getOrDefault(affected.address(), 0L)
                                > last;
            });
            instances -= before - user.lastMillis.size();
            if (user.lastMillis.isEmpty()) {
                all.remove();
            }
        }
    }
}
