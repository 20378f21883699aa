package io.cairn.server.http.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.Caller;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.nodes.Gathered;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.ServiceSnapshot;
import io.cairn.server.naming.ServiceTally;
import io.cairn.server.naming.StoredNaming;
import io.cairn.server.naming.health.HealthCheck;
import io.cairn.server.subscription.Subscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The actions on services over HTTP, for all versions. Thread-safe; never blocks. */
public final class ServiceActions {

    private final NamingService naming;
    private final StoredNaming stored;
    private final SubscriberReads subscribers;
    private final ReadPool pool;

    /** @param pool where all services are looked at */
    public ServiceActions(NamingService naming, StoredNaming stored, SubscriberReads subscribers, ReadPool pool) {
        this.pool = pool;
        this.naming = naming;
        this.stored = stored;
        this.subscribers = subscribers;
    }

    /** A part of a longer list. */
    public record Listed<T>(int total, List<T> shown) {}

    /** Creates a service of what the form says. Fails with {@code SERVICE_EXISTS}. */
    public CompletionStage<Void> create(ServiceKey service, HttpRequest form, boolean ephemeral) {
        return stored.createService(
                RequestCaller.of(form), service, NamingParameters.settings(form, ServiceSettings.ofKind(ephemeral)));
    }

    /** Replaces what is set for a service. Fails with {@code SERVICE_ABSENT}. */
    public CompletionStage<Void> update(ServiceKey service, HttpRequest form) {
        ServiceSettings wanted = NamingParameters.settings(form, ServiceSettings.ofKind(true));
        return stored.updateService(
                RequestCaller.of(form),
                service,
                before -> new ServiceSettings(
                        before.ephemeral(),
                        wanted.protectThreshold(),
                        wanted.metadata(),
                        wanted.selector(),
                        before.clusters()));
    }

    /** Fails with {@code SERVICE_ABSENT} or {@code SERVICE_NOT_EMPTY}. */
    public CompletionStage<Void> remove(ServiceKey service, Caller by) {
        return stored.removeService(by, service);
    }

    /** @throws NamingException {@code SERVICE_ABSENT} */
    public ServiceSnapshot get(ServiceKey service) {
        ServiceSnapshot found = naming.find(service);
        if (found == null) {
            throw new NamingException(
                    NamingException.Fault.SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", serviceName: "
                            + NamingWire.groupedName(service));
        }
        return found;
    }

    /** As {@link #get}, in the words of the catalog. */
    public ServiceSnapshot getOfCatalog(ServiceKey service) {
        ServiceSnapshot found = naming.find(service);
        if (found == null) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND, "service " + NamingWire.groupedName(service) + " is not found!");
        }
        return found;
    }

    /** All instances of one cluster of a service. */
    public List<Instance> instancesOfCatalog(ServiceKey service, String cluster) {
        List<Instance> instances = new ArrayList<>();
        for (Instance instance : getOfCatalog(service).instances()) {
            if (instance.key().cluster().equals(cluster)) {
                instances.add(instance);
            }
        }
        if (instances.isEmpty()) {
            throw new CairnException(ErrorCode.NOT_FOUND, "cluster " + cluster + " is not found!");
        }
        return instances;
    }

    /** Names of a group, in order, as far as they may be seen. */
    public Listed<String> names(Namespace namespace, String group, ReadScope visible, Page page) {
        Collection<String> names = naming.serviceNames(namespace, group, visible);
        return new Listed<>(names.size(), page.of(names));
    }

    /** The criteria of a search; a criterion that is null or empty does not count. */
    public record Search(
            @Nullable String name,
            @Nullable String group,
            @Nullable String instance,
            boolean withInstancesOnly,
            HealthFilter health,
            ServiceOrder order) {

        /** Reads {@code serviceNameParam}, {@code groupNameParam} and {@code instance}. */
        public static Search read(HttpRequest request, boolean withInstancesOnly) {
            return new Search(
                    NamingParameters.given(request, "serviceNameParam"),
                    NamingParameters.given(request, "groupNameParam"),
                    NamingParameters.given(request, "instance"),
                    withInstancesOnly,
                    HealthFilter.ANY,
                    ServiceOrder.OF_REGISTRY);
        }

        /** As {@link #read}, with {@code health}, {@code sort} and {@code order}. */
        public static Search readSorted(HttpRequest request, boolean withInstancesOnly) {
            Search plain = read(request, withInstancesOnly);
            return new Search(
                    plain.name,
                    plain.group,
                    plain.instance,
                    withInstancesOnly,
                    HealthFilter.of(NamingParameters.given(request, "health")),
                    ServiceOrder.of(NamingParameters.given(request, "sort"), NamingParameters.given(request, "order")));
        }
    }

    /** Services whose names contain what is looked for, in the order asked for; off the event loops, for it looks at all. */
    public CompletionStage<Listed<ServiceSnapshot>> search(
            Namespace namespace, Search search, ReadScope visible, Page page) {
        return pool.read(() -> searchNow(namespace, search, visible, page));
    }

    private Listed<ServiceSnapshot> searchNow(Namespace namespace, Search search, ReadScope visible, Page page) {
        List<ServiceOrder.Counted> found = new ArrayList<>();
        Predicate<ServiceKey> fits = fits(search);
        boolean counts = search.order.counts() || search.health != HealthFilter.ANY;
        naming.forEachServiceKey(namespace, service -> {
            if (visible.has(service) && fits.test(service)) {
                ServiceTally tally = counts ? naming.tally(service) : ServiceTally.NOTHING;
                if (search.health.fits(tally)) {
                    found.add(new ServiceOrder.Counted(service, tally));
                }
            }
        });
        List<ServiceKey> onPage = search.order.page(found, page);
        List<ServiceSnapshot> shown = new ArrayList<>();
        for (ServiceKey service : onPage) {
            shown.add(naming.snapshot(service));
        }
        return new Listed<>(found.size(), shown);
    }

    private Predicate<ServiceKey> fits(Search search) {
        Predicate<ServiceKey> all = service -> contains(service.name(), search.name)
                && contains(service.group(), search.group)
                && (!search.withInstancesOnly || naming.hasInstances(service));
        String address = search.instance;
        if (address == null || address.isEmpty()) {
            return all;
        }
        return all.and(service -> naming.snapshot(service).instances().stream()
                .anyMatch(
                        instance -> (instance.key().ip() + ':' + instance.key().port()).contains(address)));
    }

    private static boolean contains(String text, @Nullable String wanted) {
        return wanted == null || wanted.isEmpty() || text.contains(wanted);
    }

    /**
     * The subscribers of a service by address; clients of one address, SDK, application and clusters are one.
     *
     * @param aggregated whether those of all nodes, or of this node alone
     */
    public CompletionStage<Gathered<Subscriber>> subscribers(ServiceKey service, boolean aggregated) {
        CompletionStage<Gathered<Subscriber>> all = aggregated
                ? subscribers.of(service)
                : CompletableFuture.completedFuture(Gathered.here(subscribers.here(service)));
        return all.thenApply(found -> new Gathered<>(
                found.rows().stream()
                        .map(Subscriber::withoutClient)
                        .distinct()
                        .sorted(Subscriber.BY_ADDRESS)
                        .toList(),
                found.silent()));
    }

    /** Sets how the instances of a cluster are checked, as the form says. Fails with {@code SERVICE_ABSENT}. */
    public CompletionStage<Void> updateCluster(ServiceKey service, HttpRequest form) {
        String cluster = NamingParameters.required(form, "clusterName");
        NamingParameters.cluster(form);
        int port = NamingParameters.requiredNumber(form, "checkPort");
        if (port < 0 || port > 65535) {
            throw new CairnException(ErrorCode.INVALID_PARAMETER, "checkPort: " + port + " (expected: 0-65535)");
        }
        boolean useInstancePort = NamingParameters.flag(NamingParameters.required(form, "useInstancePort4Check"));
        // In one spelling, and without what the checker does not know.
        String checker = HealthCheck.fromJson(NamingParameters.required(form, "healthChecker"))
                .toJson();
        ClusterSettings wanted = new ClusterSettings(
                checker, port, useInstancePort, NamingParameters.metadata(form.parameter("metadata")));
        return stored.updateService(RequestCaller.of(form), service, before -> before.withCluster(cluster, wanted));
    }

    /**
     * Sets the health of a persistent instance by hand; that of an ephemeral one is its publisher's.
     *
     * @throws NamingException {@code HEALTH_IS_CHECKED} unless the cluster has the checker that checks nothing
     */
    public CompletionStage<Void> setHealth(ServiceKey service, InstanceKey instance, boolean healthy, Caller by) {
        ServiceSnapshot snapshot = naming.snapshot(service);
        String checker = snapshot.settings().cluster(instance.cluster()).healthChecker();
        if (HealthCheck.fromJson(checker).type() != HealthCheck.Type.NONE) {
            throw new NamingException(
                    NamingException.Fault.HEALTH_IS_CHECKED,
                    "health check is still working, service: " + NamingWire.groupedName(service) + ", cluster: "
                            + instance.cluster());
        }
        return snapshot.isEphemeral()
                ? CompletableFuture.completedFuture(null)
                : stored.setHealthy(by, service, instance, healthy);
    }
}
