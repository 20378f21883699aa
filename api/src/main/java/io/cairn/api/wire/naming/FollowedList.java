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
 * The list of a service as one server has told it, from whole lists and from deltas. Revisions mean something to the server that has
 * made them, over one connection. Not thread-safe.
 */
public final class FollowedList {

    private List<Instance> instances = List.of();
    private long revision;

    /** The revision of the list; 0 when the server has told none. */
    public long revision() {
        return revision;
    }

    /**
     * Takes a whole list.
     *
     * @param ofRevision 0 when the server has told none; no delta can be applied to the list then
     */
    public void take(List<Instance> whole, long ofRevision) {
        instances = List.copyOf(whole);
        revision = ofRevision;
    }

    /** The list of the present revision. */
    public List<Instance> instances() {
        return instances;
    }

    /**
     * Takes a delta. Of instances that are added, the order is that of the deltas.
     *
     * @return the list of the present revision, also if the delta is an old one; empty when the delta needs a later list than this one
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
