package io.cairn.server.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.ReadScope;
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
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads of the registry: services and their lists, publishers and counts. Thread-safe; changes nothing. */
final class RegistryView {

    private final Registry registry;
    private final Switches switches;
    private final HttpLeases leases;

    RegistryView(Registry registry, Switches switches, HttpLeases leases) {
        this.registry = registry;
        this.switches = switches;
        this.leases = leases;
    }

    /** The node that owns the ephemeral instance; null for this one, and where there is no such instance. */
    @Nullable
    NodeId originOf(ServiceKey service, InstanceKey instance) {
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

    /** Whether a row of the service is stored, as far as this node knows. */
    boolean isStored(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry != null && entry.storedSettings() != null;
    }

    /** The stored settings of the service; null when it has none. Reads no instances. */
    @Nullable
    ServiceSettings storedSettings(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? null : entry.storedSettings();
    }

    /** Instances of the connection that has registered most. */
    long mostInstancesOfOneClient() {
        return registry.publishers().stream()
                .filter(publisher -> publisher.kind() == Publisher.Kind.CONNECTION)
                .mapToInt(Publisher::instances)
                .max()
                .orElse(0);
    }

    /** The service as it is now; empty when there is none. */
    ServiceSnapshot snapshot(ServiceKey service) {
        // The time first: where there is none yet, the first list of it must be later than the empty one.
        long now = registry.nowMillis();
        ServiceEntry entry = registry.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.snapshot(registry.nowMillis(), registry.labels());
    }

    /**
     * The current state of the service, for consumers that query it repeatedly. Its time is younger than the time for
     * which clients cache a list: the SDK for Go drops an answer that is not later than its list, and queries again a
     * second later instead of after the cache time. In a group it is the current time, because the client may have got
     * its list from another node.
     */
    ServiceSnapshot listed(ServiceKey service) {
        long now = registry.nowMillis();
        ServiceEntry entry = registry.find(service);
        return entry == null
                ? ServiceSnapshot.absent(service, now)
                : entry.recentSnapshot(
                        registry.nowMillis(),
                        registry.group().isShared() ? 0 : switches.cacheMillis() / 2,
                        registry.labels());
    }

    /** The service as it is now, or null when there is none. */
    @Nullable
    ServiceSnapshot find(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? null : entry.snapshot(registry.nowMillis(), registry.labels());
    }

    /**
     * The view that consumers get, without the choice by their labels ({@link ServiceView#seenFrom}); without hosts when there is no such service.
     *
     * @param clusters names separated by commas; null or empty for all
     */
    ServiceView view(ServiceKey service, @Nullable String clusters, boolean healthyOnly) {
        return listed(service).view(clusters == null ? "" : clusters, healthyOnly, switches.cacheMillis());
    }

    /** The view for a client that ends its subscription: without instances. */
    ServiceView nothingOf(ServiceKey service, @Nullable String clusters) {
        return ServiceSnapshot.absent(service, registry.nowMillis())
                .view(clusters == null ? "" : clusters, false, switches.cacheMillis());
    }

    /** Whether the service has instances at the moment. */
    boolean hasInstances(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry != null && entry.instanceCount() > 0;
    }

    /**
     * The number of instances of the service and their health; cheaper than a {@link #snapshot} when many services are
     * read.
     */
    ServiceTally tally(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? ServiceTally.NOTHING : entry.tally();
    }

    /** The names of the services of a group, in order; a view that changes with them. */
    Set<String> serviceNames(Namespace namespace, String group) {
        return Collections.unmodifiableSet(registry.services().names(namespace, group));
    }

    /** As {@link #serviceNames(Namespace, String)}, those that may be seen. */
    Collection<String> serviceNames(Namespace namespace, String group, ReadScope visible) {
        Set<String> names = serviceNames(namespace, group);
        return visible.isAll()
                ? names
                : names.stream()
                        .filter(name -> visible.has(new ServiceKey(namespace, group, name)))
                        .toList();
    }

    /** The namespaces that have or had registry.services(). */
    Set<Namespace> namespaces() {
        return Collections.unmodifiableSet(registry.services().namespaces());
    }

    /** The instances of a service as consumers get them, for a single read: no view is created and cached. */
    List<Instance> instances(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        return entry == null ? List.of() : entry.instances();
    }

    /** Every service of a namespace, ordered by group and name. */
    void forEachService(Namespace namespace, Consumer<ServiceSnapshot> consumer) {
        registry.services()
                .forEach(namespace, entry -> consumer.accept(entry.snapshot(registry.nowMillis(), registry.labels())));
    }

    /** The services of a namespace, ordered by group and name; does not read their instances. */
    void forEachServiceKey(Namespace namespace, Consumer<ServiceKey> consumer) {
        registry.services().forEach(namespace, entry -> consumer.accept(entry.key()));
    }

    /** All that publish instances at this node, or did so on a connection that is still open. */
    Collection<Publisher> publishers() {
        return registry.publishers().stream()
                .filter(publisher -> publisher.kind() != Publisher.Kind.RECOVERED)
                .toList();
    }

    /** The instances that the publisher has published, by service. */
    Map<ServiceKey, List<Instance>> publishedBy(Publisher publisher) {
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

    /** The publishers of the service, each with its instances. */
    Map<Publisher, List<Instance>> publishersOf(ServiceKey service) {
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
        for (RegisteredInstance hosted : publication.hosted()) {
            instances.add(hosted.shown());
        }
        return instances;
    }

    /** The addresses that connections have registered, with the time when each connection last registered something. */
    Map<InstanceAddress, Long> connectedSince(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        Map<InstanceAddress, Long> addresses = new HashMap<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.publisher().kind() == Publisher.Kind.CONNECTION) {
                    long millis = publication.publisher().lastUpdatedMillis();
                    for (RegisteredInstance hosted : publication.hosted()) {
                        addresses.merge(InstanceAddress.of(hosted.published().key()), millis, Math::max);
                    }
                }
            }
        }
        return addresses;
    }

    /** The addresses of a service's ephemeral instances, but for those that are only remembered. */
    private Set<InstanceAddress> registered(ServiceKey service) {
        ServiceEntry entry = registry.find(service);
        Set<InstanceAddress> addresses = new HashSet<>();
        if (entry != null) {
            for (Publication publication : entry.publications()) {
                if (publication.isOwned()) {
                    for (RegisteredInstance hosted : publication.hosted()) {
                        addresses.add(InstanceAddress.of(hosted.published().key()));
                    }
                }
            }
        }
        return addresses;
    }

    /** The time and cause of the current health of each instance of a service, without the results of checks. */
    Function<InstanceKey, InstanceHealth> health(
            ServiceSnapshot snapshot, Function<InstanceKey, InstanceHealth.@Nullable LastCheck> lastChecks) {
        Map<InstanceKey, RegisteredInstance> all = snapshot.byKey();
        return key -> {
            RegisteredInstance hosted = all.get(key);
            InstanceHealth.LastCheck check = lastChecks.apply(key);
            if (hosted == null) {
                return new InstanceHealth(0, 0, check, null);
            }
            return new InstanceHealth(
                    hosted.healthSinceMillis(),
                    hosted.published().ephemeral() ? leases.lastBeatMillis(snapshot.service(), key) : 0,
                    check,
                    hosted.published().healthy() ? null : InstanceHealth.reason(hosted.unhealthyCause(), check));
        };
    }

    /** Instances that were known before the restart, did not come back in time, and are not registered now either. */
    InstanceLosses.Extent notBack() {
        return registry.losses().notBack(this::registered);
    }

    /** How many services there are. */
    int serviceCount() {
        return registry.services().size();
    }

    /** How many instances there are, in all registry.services(). */
    long instanceCount() {
        return registry.services().instances();
    }
}
