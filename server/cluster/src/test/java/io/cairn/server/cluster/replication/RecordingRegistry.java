package io.cairn.server.cluster.replication;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Writes down what the copies ask of the registry, and has publications that a test sets. */
final class RecordingRegistry implements MirroredRegistry, OwnPublications {

    private final List<String> calls = new ArrayList<>();
    private final Map<String, MirroredPublication> shown = new HashMap<>();
    final Map<String, OwnPublication> own = new ConcurrentHashMap<>();
    private volatile long returned;

    synchronized List<String> takeCalls() {
        List<String> taken = new ArrayList<>(calls);
        calls.clear();
        return taken;
    }

    /** A client registers an instance that is held. */
    void clientReturns() {
        returned++;
    }

    private synchronized void call(String what, MirroredPublication publication) {
        calls.add(what + " " + publication.publisher().id());
    }

    synchronized @Nullable MirroredPublication shown(String publisherId) {
        return shown.get(publisherId);
    }

    @Override
    public synchronized void set(NodeId origin, MirroredPublication publication) {
        call("set", publication);
        shown.put(publication.publisher().id(), publication);
    }

    @Override
    public synchronized void remove(NodeId origin, MirroredPublication publication) {
        call("remove", publication);
        shown.remove(publication.publisher().id());
    }

    @Override
    public void hold(NodeId origin, MirroredPublication publication) {
        call("hold", publication);
    }

    @Override
    public void release(NodeId origin, MirroredPublication publication) {
        call("release", publication);
    }

    @Override
    public void lose(NodeId origin, MirroredPublication publication) {
        call("lose", publication);
    }

    @Override
    public long returned() {
        return returned;
    }

    @Override
    public boolean isHeld(NodeId origin, MirroredPublication publication) {
        return true;
    }

    @Override
    public synchronized void forget(ServiceKey service, InstanceKey instance, long changedAt) {
        calls.add("forget " + instance.ip());
    }

    @Override
    public synchronized void check(ServiceKey service, InstanceKey instance, boolean healthy) {
        calls.add("check " + instance.ip() + ' ' + healthy);
    }

    @Override
    public @Nullable OwnPublication publication(String publisherId, ServiceKey service) {
        return own.get(publisherId);
    }

    /** Sets the publication and records it in the log. */
    void publishes(OwnLog log, String publisherId, ServiceKey service, Instance instance) {
        own.put(publisherId, Objects.requireNonNull(ownPublication(publisherId, instance)));
        log.published(publisherId, service);
    }

    static OwnPublication ownPublication(String publisherId, Instance instance) {
        return new OwnPublication(Samples.publisher(publisherId), 1L << 20, List.of(instance));
    }
}
