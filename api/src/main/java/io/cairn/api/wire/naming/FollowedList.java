package io.cairn.api.wire.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The list of a service, from whole lists and deltas of one connection. Not thread-safe.
 */
public final class FollowedList {

    private List<Instance> instances = List.of();
    private long revision;

    /** Returns 0 without a revision. */
    public long revision() {
        return revision;
    }

    /** @param ofRevision 0 without a revision; then no delta can be applied */
    public void take(List<Instance> whole, long ofRevision) {
        instances = List.copyOf(whole);
        revision = ofRevision;
    }

    public List<Instance> instances() {
        return instances;
    }

    /**
     * Applies a delta. Added instances keep the order of the deltas.
     *
     * @return the present list, also for an old delta; empty when the delta starts at a later revision
     */
    public Optional<List<Instance>> take(ServiceDelta delta) {
        if (revision == 0 || delta.since() > revision) {
            return Optional.empty();
        }
        if (delta.revision() > revision) {
            instances = changed(delta);
            revision = delta.revision();
        }
        return Optional.of(instances);
    }

    private List<Instance> changed(ServiceDelta delta) {
        Map<InstanceKey, Instance> changed = new HashMap<>();
        Set<InstanceKey> added = new LinkedHashSet<>();
        for (Instance instance : delta.changed()) {
            changed.put(instance.key(), instance);
            added.add(instance.key());
        }
        Set<InstanceKey> removed = Set.copyOf(delta.removed());
        List<Instance> all = new ArrayList<>(instances.size() + changed.size());
        for (Instance instance : instances) {
            Instance now = changed.get(instance.key());
            if (now != null) {
                all.add(now);
                added.remove(instance.key());
            } else if (!removed.contains(instance.key())) {
                all.add(instance);
            }
        }
        for (InstanceKey key : added) {
            Instance instance = changed.get(key);
            if (instance != null) {
                all.add(instance);
            }
        }
        return List.copyOf(all);
    }
}
