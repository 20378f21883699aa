package io.cairn.server.naming.lease;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.InstanceAddress;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.registry.ServiceEntry;
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
 * Heartbeats and registrations refused by authorization: begin and instances by user. Ends with a successful one, or an hour after
 * the last refusal. Only refusals take the lock; accepted heartbeats cost nothing, because they are compared at a read of the list.
 * Bounded.
 *
 * <p>Lock order: this lock precedes the locks of {@link Publisher} and {@link ServiceEntry}.
 */
public final class RefusedBeats {

    public static final Duration KEPT = Duration.ofHours(1);
    public static final int MAX_USERS = 100;
    public static final int MAX_INSTANCES = 20_000;

    private static final Logger log = LoggerFactory.getLogger(RefusedBeats.class);

    private final RegistryView reads;
    private final Clock clock;

    @GuardedBy("itself")
    private final Map<String, OfUser> users = new LinkedHashMap<>();

    /** Of all users. */
    @GuardedBy("users")
    private int instances;

    /**
     * @param user name of user or token; empty without credentials
     * @param reason of the last refusal
     * @param isLowerBound whether further instances were not remembered
     */
    public record Refused(
            String user, String reason, long sinceMillis, int instances, int services, boolean isLowerBound) {}

    private record Affected(ServiceKey service, InstanceAddress address) {}

    /** One user's refusals; guarded by the lock of {@link #users}. */
    private static final class OfUser {

        final long sinceMillis;
        final Map<Affected, Long> lastMillis = new LinkedHashMap<>();
        String reason = "";
        boolean isFull;

        OfUser(long sinceMillis) {
            this.sinceMillis = sinceMillis;
        }
    }

    public RefusedBeats(RegistryView reads, Clock clock) {
        this.reads = reads;
        this.clock = clock;
    }

    /**
     * @param user the name in the credentials, or null
     * @param isVerified whether a signature proves it; an unproven name counts only for registered instances, so that clients
     *     cannot fill this memory
     */
    public void refused(
            @Nullable String user, boolean isVerified, String reason, ServiceKey service, InstanceKey instance) {
        String name = user == null ? "" : user;
        Affected affected = new Affected(service, InstanceAddress.of(instance));
        boolean isRegistered = isVerified || reads.lastBeatMillis(service, instance) > 0;
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

    /** The user with most instances first. */
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
                        || reads.lastBeatMillis(
                                        affected.service(), affected.address().asKey())
                                > last
                        || connected
                                        .computeIfAbsent(affected.service(), reads::connectedSince)
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
