package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.view.RegisteredInstance;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A service's overrides, applied to publications. Guarded by the lock of the service. */
final class OverriddenInstances {

    private final Object lock;
    /** Empty for most services. */
    private Map<InstanceKey, InstanceOverride> overrides = Map.of();
    /** Instances with an override, published since the last check. */
    private Set<InstanceKey> returned = Set.of();

    /** @param lock that of the service */
    OverriddenInstances(Object lock) {
        this.lock = lock;
    }

    boolean isEmpty() {
        return overrides.isEmpty();
    }

    InstanceOverride of(InstanceKey instance) {
        return overrides.getOrDefault(instance, InstanceOverride.NONE);
    }

    Map<InstanceKey, InstanceOverride> all() {
        return Map.copyOf(overrides);
    }

    /** Instances with an override, published since the last call. */
    Set<InstanceKey> takeReturned() {
        Set<InstanceKey> taken = returned;
        returned = Set.of();
        return taken;
    }

    /** Without applying it; false for an equal one. */
    boolean set(InstanceKey instance, InstanceOverride now) {
        if (now.equals(of(instance))) {
            return false;
        }
        if (now.isNone()) {
            overrides.remove(instance);
            return true;
        }
        if (overrides.isEmpty()) {
            overrides = new HashMap<>();
        }
        overrides.put(instance, now);
        return true;
    }

    void clear() {
        overrides = Map.of();
    }

    void layOn(Collection<Publication> publications) {
        for (Publication publication : publications) {
            decode(publication);
            RegisteredInstance[] registered = publication.registered().clone();
            for (int i = 0; i < registered.length; i++) {
                registered[i] = registered[i].with(
                        overrides.get(registered[i].published().key()));
            }
            publication.replace(lock, registered);
        }
    }

    void decode(Publication publication) {
        if (publication.isEncoded()) {
            publication.replace(lock, decoded(publication));
        }
    }

    /** Of an encoded publication, which stays encoded. */
    RegisteredInstance[] decoded(Publication publication) {
        return registered(publication.decode(), publication.publishedAt(), null, 0);
    }

    /** @param before the publisher's former publication, or null */
    RegisteredInstance[] registered(
            List<Instance> published, long publishedAt, @Nullable Publication before, long nowMillis) {
        RegisteredInstance[] registered = new RegisteredInstance[published.size()];
        for (int i = 0; i < registered.length; i++) {
            Instance instance = published.get(i);
            InstanceOverride override = overrides.get(instance.key());
            if (override != null) {
                if (returned.isEmpty()) {
                    returned = new HashSet<>();
                }
                returned.add(instance.key());
            }
            registered[i] = registered(instance, override, publishedAt, i, before, nowMillis);
        }
        return registered;
    }

    /** Keeps start and cause of an unchanged health at the same place. */
    private static RegisteredInstance registered(
            Instance instance,
            @Nullable InstanceOverride override,
            long publishedAt,
            int place,
            @Nullable Publication before,
            long nowMillis) {
        if (before != null && place < before.size()) {
            RegisteredInstance was = before.registered()[place];
            if (was.published().equals(instance)) {
                return was.registeredAgain(override, publishedAt);
            }
            if (was.published().healthy() == instance.healthy()
                    && was.published().key().equals(instance.key())) {
                return new RegisteredInstance(
                        instance, override, publishedAt, was.healthSinceMillis(), was.unhealthyCause());
            }
        }
        return new RegisteredInstance(instance, override, publishedAt, nowMillis, null);
    }
}
