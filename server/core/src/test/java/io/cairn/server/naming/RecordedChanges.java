package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.OwnChanges;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Keeps the changes that the registry records for other nodes, a line for each. */
final class RecordedChanges implements OwnChanges {

    private final Map<InstanceKey, Long> deregistered = new HashMap<>();
    private List<String> lines = new ArrayList<>();

    /** The changes that were recorded since this was called last. */
    synchronized List<String> take() {
        List<String> taken = lines;
        lines = new ArrayList<>();
        return taken;
    }

    private synchronized void add(String line) {
        lines.add(line);
    }

    @Override
    public void published(String publisherId, ServiceKey service) {
        add("published " + publisherId);
    }

    @Override
    public void withdrawn(String publisherId, ServiceKey service) {
        add("withdrawn " + publisherId);
    }

    @Override
    public void moved(String publisherId, ServiceKey service, String to) {
        add("moved " + publisherId + " to " + to);
    }

    @Override
    public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {
        add("checked " + instance + ": " + healthy);
    }

    @Override
    public void unchecked(ServiceKey service, InstanceKey instance) {
        add("unchecked " + instance);
    }

    @Override
    public void forgotten(ServiceKey service, InstanceKey instance) {
        add("forgotten " + instance);
    }

    /** Another node has taken a deregistration. */
    synchronized void deregister(Instance instance, long changedAt) {
        deregistered.put(instance.key(), changedAt);
    }

    @Override
    public synchronized long deregisteredAt(ServiceKey service, InstanceKey instance) {
        return deregistered.getOrDefault(instance, 0L);
    }
}
