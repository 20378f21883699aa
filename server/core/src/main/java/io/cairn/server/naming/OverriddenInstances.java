package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The overrides of a service, which it lays on what is published. Used with the lock of the service held. */
final class OverriddenInstances {

    private final ServiceEntry service;
    /** Most services have none. */
    private Map<InstanceKey, InstanceOverride> overrides = Map.of();
    /** Instances with an override that were published since the last check of the overrides. */
    private Set<InstanceKey> returned = Set.of();

    OverriddenInstances(ServiceEntry service) {
        this.service = service;
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

    /** The instances with an override that were published since this was called last. */
    Set<InstanceKey> takeReturned() {
        Set<InstanceKey> taken = returned;
        returned = Set.of();
        return taken;
    }

    /** Replaces the override of an instance, without laying it on; false when it is the same. */
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

    /** Lays the overrides on the instances of these publications. */
    void layOn(Collection<Publication> publications) {
        for (Publication publication : publications) {
            decode(publication);
            RegisteredInstance[] hosted = publication.hosted().clone();
            for (int i = 0; i < hosted.length; i++) {
                hosted[i] = hosted[i].with(overrides.get(hosted[i].published().key()));
            }
            publication.replace(service, hosted);
        }
    }

    /** Decodes the publication if it is encoded. */
    void decode(Publication publication) {
        if (publication.isEncoded()) {
            publication.replace(service, decoded(publication));
        }
    }

    /** The instances of an encoded publication, which stays encoded. */
    RegisteredInstance[] decoded(Publication publication) {
        return registered(publication.decode(), publication.publishedAt(), null, 0);
    }

    /**
     * The instances as they are shown.
     *
     * @param before the publisher's former publication; null if there was none
     */
    RegisteredInstance[] registered(
            List<Instance> published, long publishedAt, @Nullable Publication before, long nowMillis) {
        RegisteredInstance[] hosted = new RegisteredInstance[published.size()];
        for (int i = 0; i < hosted.length; i++) {
            Instance instance = published.get(i);
            InstanceOverride override = overrides.get(instance.key());
            if (override != null) {
                if (returned.isEmpty()) {
                    returned = new HashSet<>();
                }
                returned.add(instance.key());
            }
            hosted[i] = registered(instance, override, publishedAt, i, before, nowMillis);
        }
        return hosted;
    }

    /**
     * A registration that does not change the health keeps its start and cause, if the instance has the same place in
     * the publication.
     */
    private static RegisteredInstance registered(
            Instance instance,
            @Nullable InstanceOverride override,
            long publishedAt,
            int place,
            @Nullable Publication before,
            long nowMillis) {
        if (before != null && place < before.size()) {
            RegisteredInstance was = before.hosted()[place];
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
