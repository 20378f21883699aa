package io.cairn.server.naming.registry;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.RegisteredInstance;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceTally;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads of the registry: services, lists, publishers and counts. */
public final class RegistryView {

    private final Registry registry;
    private final Switches switches;

    public RegistryView(Registry registry, Switches switches) {
        this.registry = registry;
        this.switches = switches;
    }

    /** The ephemeral instance's node; null for this one or an absent instance. */
    public @Nullable NodeId originOf(ServiceKey service, InstanceKey instance) {
        ServiceEntry entry = registry.find(service);
        Publication latest = null;
        if (entry != null) {
            for (Publication each : entry.publications()) {
                if ((latest == null || each.publishedAt() >= latest.publishedAt()) && each.names(instance)) {
                    latest = each;
                }
            }
        }
        return latest == null ? null : latest.publisher().origin();
    }

    /** As far as this node knows. */
    public boolean isStored(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry != null && entry.storedSettings() != null;
    }

    /** Null without stored settings. Reads no instances. */
    public @Nullable ServiceSettings storedSettings(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? null : entry.storedSettings();
    }

    /** Of a connection. */
    public long mostInstancesOfOneClient() {
        return registry.publishers().stream()
                .filter(publisher -> publisher.kind() == Publisher.Kind.CONNECTION)
                .mapToInt(Publisher::instances)
                .max()
                .orElse(0);
    }

    /** Empty without a service. */
    public ServiceSnapshot snapshot(ServiceKey service) {
        // Reads the time first: the first list must be later than the empty one.
        long now = registry.nowMillis();
        ServiceEntry entry = registry.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.snapshot(registry.nowMillis(), registry.labels());
    }

    /**
     * The present state for repeated queries. Its time is younger than clients' cache time: the SDK for Go drops an answer not
     * later than its list, and queries again a second later. In a group it is the present time, because the client's list may be
     * another node's.
     */
    public ServiceSnapshot listed(ServiceKey service) {
        long now = registry.nowMillis();
        ServiceEntry entry = registry.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.recentSnapshot(
                        registry.nowMillis(),
                        registry.group().isShared() ? 0 : switches.cacheMillis() / 2,
                        registry.labels());
    }

    /** Or null. */
    public @Nullable ServiceSnapshot find(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? null : entry.snapshot(registry.nowMillis(), registry.labels());
    }

    /**
     * Consumers' view without their labels ({@link ServiceView#seenFrom}); without hosts for an unknown service.
     *
     * @param clusters comma-separated names; null or empty for all
     */
    public ServiceView view(ServiceKey service, @Nullable String clusters, boolean healthyOnly) {
        return listed(service).view(clusters == null ? "" : clusters, healthyOnly, switches.cacheMillis());
    }

    /** For a client that unsubscribes. */
    public ServiceView nothingOf(ServiceKey service, @Nullable String clusters) {
        return ServiceSnapshot.absent(service, registry.nowMillis())
                .view(clusters == null ? "" : clusters, false, switches.cacheMillis());
    }

    public boolean hasInstances(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry != null && entry.instanceCount() > 0;
    }

    /** Cheaper than a {@link #snapshot} for many services. */
    public ServiceTally tally(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? ServiceTally.NOTHING : entry.tally();
    }

    /** In order; a live view. */
    public Set<String> serviceNames(Namespace namespace, String group) {
        return Collections.unmodifiableSet(registry.services().names(namespace, group));
    }

    /** As {@link #serviceNames(Namespace, String)}, visible ones. */
    public Collection<String> serviceNames(Namespace namespace, String group, ReadScope visible) {
        Set<String> names = serviceNames(namespace, group);
        return visible.isAll()
                ? names
                : names.stream()
                        .filter(name -> visible.has(new ServiceKey(namespace, group, name)))
                        .toList();
    }

    /** Also of former services. */
    public Set<Namespace> namespaces() {
        return Collections.unmodifiableSet(registry.services().namespaces());
    }

    /** As consumers get them, without a cached view. */
    public List<Instance> instances(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? List.of() : entry.instances();
    }

    /** By group and name; reads no instances. */
    public void forEachServiceKey(Namespace namespace, Consumer<ServiceKey> consumer) {
        registry.services().forEach(namespace, entry -> consumer.accept(entry.key()));
    }

    /** With instances, or with an open connection that had some. */
    public Collection<Publisher> publishers() {
        return registry.publishers().stream()
                .filter(publisher -> publisher.kind() != Publisher.Kind.RECOVERED)
                .toList();
    }

    public Map<ServiceKey, List<Instance>> publishedBy(Publisher publisher) {
        Map<ServiceKey, List<Instance>> published = new LinkedHashMap<>();
        synchronized (publisher) {
            for (ServiceKey service : publisher.services()) {
                Publication publication = publisher.publication(service);
                if (publication != null) {
                    published.put(service, shown(publication));
                }
            }
        }
        return published;
    }

    public Map<Publisher, List<Instance>> publishersOf(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        Map<Publisher, List<Instance>> published = new LinkedHashMap<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.publisher().isOwn() || publication.isOwned()) {
                    published.put(publication.publisher(), shown(publication));
                }
            }
        }
        return published;
    }

    private static List<Instance> shown(Publication publication) {
        List<Instance> instances = new ArrayList<>();
        for (RegisteredInstance registered : publication.registered()) {
            instances.add(registered.shown());
        }
        return instances;
    }

    /** The addresses registered by connections, with the time of each connection's last registration. */
    public Map<InstanceAddress, Long> connectedSince(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        Map<InstanceAddress, Long> addresses = new HashMap<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.publisher().kind() == Publisher.Kind.CONNECTION) {
                    long millis = publication.publisher().lastUpdatedMillis();
                    for (RegisteredInstance registered : publication.registered()) {
                        addresses.merge(
                                InstanceAddress.of(registered.published().key()), millis, Math::max);
                    }
                }
            }
        }
        return addresses;
    }

    /** The addresses of ephemeral instances, without remembered ones. */
    private Set<InstanceAddress> registered(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        Set<InstanceAddress> addresses = new HashSet<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.isOwned()) {
                    for (RegisteredInstance registered : publication.registered()) {
                        addresses.add(InstanceAddress.of(registered.published().key()));
                    }
                }
            }
        }
        return addresses;
    }

    /** Begin and cause of each instance's health, without checks' results. */
    public Function<InstanceKey, InstanceHealth> health(
            ServiceSnapshot snapshot, Function<InstanceKey, InstanceHealth.@Nullable LastCheck> lastChecks) {
        Map<InstanceKey, RegisteredInstance> all = snapshot.byKey();
        return key -> {
            RegisteredInstance registered = all.get(key);
            InstanceHealth.LastCheck check = lastChecks.apply(key);
            if (registered == null) {
                return new InstanceHealth(0, 0, check, null, 0);
            }
            return new InstanceHealth(
                    registered.healthSinceMillis(),
                    registered.published().ephemeral() ? lastBeatMillis(snapshot.service(), key) : 0,
                    check,
                    registered.published().healthy() ? null : InstanceHealth.reason(registered.unhealthyCause(), check),
                    registered.drainEndMillis());
        };
    }

    /** Instances from before the restart that did not return in time and are not registered. */
    public InstanceLosses.Missing notBack() {
        return registry.losses().notBack(this::registered);
    }

    /** When an instance without a connection last beat, or was registered, in epoch milliseconds; 0 if there is no such instance. */
    public long lastBeatMillis(ServiceKey service, InstanceKey instance) {
        Publisher publisher = registry.publisher(Registry.httpId(instance));
        if (publisher == null) {
            return 0;
        }
        synchronized (publisher) {
            Publication publication = publisher.publication(service);
            Lease lease = publication == null ? null : publication.lease();
            return lease == null
                    ? 0
                    : registry.nowMillis() - TimeUnit.NANOSECONDS.toMillis(registry.nanoTime() - lease.lastBeatNanos());
        }
    }

    public InstanceLosses losses() {
        return registry.losses();
    }

    public Map<String, String> labelsOf(String address) {
        return registry.labels().get().of(address);
    }

    /** The characters that all keys and values of an instance's metadata may have together. */
    public int maxMetadata() {
        return registry.settings().maxMetadata();
    }

    public @Nullable Publisher publisher(String id) {
        return registry.publisher(id);
    }

    public int serviceCount() {
        return registry.services().size();
    }

    public long instanceCount() {
        return registry.services().instances();
    }
}
