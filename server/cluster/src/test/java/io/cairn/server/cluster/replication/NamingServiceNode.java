package io.cairn.server.cluster.replication;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.group.ClientHandover;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.registry.OwnPublications;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.FakeTimeout;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The registry of the server in a node of the model. */
final class NamingServiceNode implements NodeRegistry {

    private final Surroundings node;
    private final RegistryParts naming;
    private final ClientHandover handover;
    private final Map<ServiceKey, Set<InstanceKey>> listed = new HashMap<>();

    NamingServiceNode(Surroundings node) {
        this.node = node;
        this.naming = RegistryParts.of(
                new NamingSettings(Duration.ofMinutes(1), Duration.ofDays(1), ReplicationModel.WINDOW, true),
                new Switches(),
                new NodeTimer(node),
                node.clock(),
                node::nanoTime);
        this.handover = naming.handover();
        naming.registry().follow((service, presence) -> compare(service));
        naming.mirrored().onClient(client -> node.after(0, () -> reassign(client)));
    }

    private void compare(ServiceKey service) {
        Set<InstanceKey> now = new HashSet<>();
        for (Instance instance : naming.reads().snapshot(service).instances()) {
            now.add(instance.key());
            node.seen(instance);
        }
        Set<InstanceKey> before = listed.put(service, now);
        if (before != null) {
            before.stream().filter(instance -> !now.contains(instance)).forEach(node::unlisted);
        }
    }

    private void reassign(String client) {
        if (!node.isOwn(client)) {
            handover.handOver(client);
        } else if (node.isReady()) {
            handover.adopt(client);
        }
    }

    @Override
    public MirroredRegistry mirrored() {
        return naming.mirrored();
    }

    @Override
    public OwnPublications publications() {
        return naming.registrations();
    }

    @Override
    public void recordIn(OwnChanges log) {
        naming.registry().joinGroup(node.id().address(), node.clock()::stamp, log);
    }

    @Override
    public void connected(String connection, Publisher.Client client, ServiceKey service, Instance instance) {
        naming.registrations().register(naming.registry().connection(connection, client), service, List.of(instance));
    }

    @Override
    public void disconnected(String connection, boolean moves) {
        naming.recovery().connectionClosed(connection, moves);
    }

    @Override
    public void deregister(String connection, ServiceKey service, InstanceKey instance) {
        Publisher publisher = naming.reads().publisher(connection);
        if (publisher != null) {
            naming.registrations().deregister(publisher, service);
        }
        naming.recovery().forgetRecovered(service, instance);
    }

    @Override
    public void registerHttp(ServiceKey service, Instance instance) {
        naming.leases().register(service, instance);
    }

    @Override
    public boolean beat(ServiceKey service, InstanceKey instance) {
        if (naming.leases().beat(service, instance, null).known()) {
            return true;
        }
        if (handover.publishedBy(service, instance) == null) {
            return false;
        }
        reassign(ClientHandover.clientId(instance));
        return true;
    }

    @Override
    public boolean publishesHttp(ServiceKey service, InstanceKey instance) {
        return handover.isPublishedHere(service, instance);
    }

    @Override
    public void deregisterHttp(ServiceKey service, InstanceKey instance) {
        naming.recovery().deregisterOverHttp(service, instance, LossCause.DEREGISTERED);
    }

    @Override
    public void runs() {
        // The registry is told after the replication.
    }

    @Override
    public void everySecond(boolean isInStep, boolean isCutOff) {
        naming.renewal().everySecond(isInStep, isCutOff);
        if (node.isReady()) {
            handover.adopt(node::isOwn);
            handover.handOver(node::isOwn);
        }
    }

    @Override
    public boolean lists(ServiceKey service, InstanceKey instance) {
        return naming.reads().instances(service).stream()
                .anyMatch(each -> each.key().equals(instance));
    }

    @Override
    public Map<InstanceKey, Instance> list() {
        Map<InstanceKey, Instance> all = new HashMap<>();
        listed.keySet()
                .forEach(service ->
                        naming.reads().instances(service).forEach(instance -> all.put(instance.key(), instance)));
        return all;
    }

    @Override
    public boolean holdsAnything() {
        return naming.mirrored().heldInstances() > 0;
    }

    /** Time-outs on the time of the model. */
    private record NodeTimer(Surroundings node) implements Timer {

        @Override
        public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
            FakeTimeout timeout = new FakeTimeout(this, task);
            node.after(unit.toNanos(delay), () -> run(timeout));
            return timeout;
        }

        @Override
        public Set<Timeout> stop() {
            return Set.of();
        }
    }

    private static void run(FakeTimeout timeout) {
        if (timeout.isCancelled()) {
            return;
        }
        try {
            timeout.expire();
        } catch (Exception e) {
            throw new AssertionError("a time-out has failed", e);
        }
    }
}
