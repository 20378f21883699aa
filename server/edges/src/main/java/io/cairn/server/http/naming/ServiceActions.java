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
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.naming.ClusterSettings;
import io.cairn.server.naming.NamingException;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.health.HealthCheck;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.view.ServiceSnapshot;
import io.cairn.server.naming.view.ServiceTally;
import io.cairn.server.subscription.Subscriber;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The actions on services over HTTP, in all versions. Never blocks. */
public final class ServiceActions {

    private static final Parameter<String> CLUSTER_NAME = Parameter.text("clusterName", "The cluster of the service");
    private static final Parameter<Integer> CHECK_PORT =
            Parameter.integer("checkPort", "The port of the health check").within(0, 65535);
    private static final Parameter<Boolean> USE_INSTANCE_PORT = Parameter.text(
                    "useInstancePort4Check", "Checks the port of the instance instead")
            .typed("boolean")
            .as(Parameter::isYes);
    private static final Parameter<String> HEALTH_CHECKER =
            Parameter.text("healthChecker", "The health check, as JSON with its type");

    /** The parameters that {@link #updateCluster} takes. */
    static final List<Parameter<?>> CLUSTER = List.of(
            CLUSTER_NAME.required(),
            CHECK_PORT.required(),
            USE_INSTANCE_PORT.required(),
            HEALTH_CHECKER.required(),
            NamingParameters.METADATA,
            Parameter.ignored("healthCheckType", "string"));

    private final RegistryView reads;
    private final StoredNaming stored;
    private final SubscriberReads subscribers;
    private final ServiceTimeline timeline;
    private final ReadPool pool;

    /** @param pool visits all services */
    public ServiceActions(
            RegistryView reads,
            StoredNaming stored,
            SubscriberReads subscribers,
            ServiceTimeline timeline,
            ReadPool pool) {
        this.pool = pool;
        this.timeline = timeline;
        this.reads = reads;
        this.stored = stored;
        this.subscribers = subscribers;
    }

    public record Listed<T>(int total, List<T> shown) {}

    /** Fails with {@code SERVICE_EXISTS}. */
    public CompletionStage<Void> create(ServiceKey service, HttpRequest form, boolean ephemeral) {
        return stored.createService(
                RequestCaller.of(form), service, NamingParameters.settings(form, ServiceSettings.ofKind(ephemeral)));
    }

    /** Replaces the settings. Fails with {@code SERVICE_ABSENT}. */
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
        ServiceSnapshot found = reads.find(service);
        if (found == null) {
            throw new NamingException(
                    NamingException.Fault.SERVICE_ABSENT,
                    "service not found, namespace: " + service.namespace().id() + ", serviceName: "
                            + NamingWire.groupedName(service));
        }
        return found;
    }

    /** As {@link #get}, with the catalog's error. */
    public ServiceSnapshot getOfCatalog(ServiceKey service) {
        ServiceSnapshot found = reads.find(service);
        if (found == null) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND, "service " + NamingWire.groupedName(service) + " is not found!");
        }
        return found;
    }

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

    /** Visible names of a group, in order. */
    public Listed<String> names(Namespace namespace, String group, ReadScope visible, Page page) {
        Collection<String> names = reads.serviceNames(namespace, group, visible);
        return new Listed<>(names.size(), page.of(names));
    }

    /** Search criteria; null or empty ones do not count. */
    public record Search(
            @Nullable String name,
            @Nullable String group,
            @Nullable String instance,
            boolean withInstancesOnly,
            HealthFilter health,
            ServiceOrder order) {

        private static final Parameter<String> NAME =
                Parameter.text("serviceNameParam", "A part of the name").orNone();
        private static final Parameter<String> GROUP =
                Parameter.text("groupNameParam", "A part of the group").orNone();
        private static final Parameter<String> INSTANCE =
                Parameter.text("instance", "A part of ip:port of an instance").orNone();
        private static final Parameter<HealthFilter> HEALTH = Parameter.text("health", "The health of the service")
                .orNone()
                .values("any", "ill", "down", "protected")
                .orElse("any")
                .as(HealthFilter::of);
        private static final Parameter<String> SORT = Parameter.text(
                        "sort", "The order; that of group and name when absent")
                .orNone()
                .values("name", "group", "instances", "healthy", "health");
        private static final Parameter<String> ORDER =
                Parameter.text("order", "The direction of the order").orNone().values("asc", "desc");

        public static final List<Parameter<?>> PARAMETERS = List.of(NAME, GROUP, INSTANCE);

        /** The other parameters of {@link #readSorted}. */
        public static final List<Parameter<?>> MORE = List.of(HEALTH, SORT, ORDER);

        /** Reads the parts of a name, a group and an address. */
        public static Search read(HttpRequest request, boolean withInstancesOnly) {
            return new Search(
                    NAME.orNull(request),
                    GROUP.orNull(request),
                    INSTANCE.orNull(request),
                    withInstancesOnly,
                    HealthFilter.ANY,
                    ServiceOrder.OF_REGISTRY);
        }

        /** Reads also the health and the order. */
        public static Search readSorted(HttpRequest request, boolean withInstancesOnly) {
            Search plain = read(request, withInstancesOnly);
            return new Search(
                    plain.name,
                    plain.group,
                    plain.instance,
                    withInstancesOnly,
                    HEALTH.of(request),
                    ServiceOrder.of(SORT.orNull(request), ORDER.orNull(request)));
        }
    }

    /** Services whose names contain the text, in the requested order. Visits all services, off the event loops. */
    public CompletionStage<Listed<ServiceKey>> search(
            Namespace namespace, Search search, ReadScope visible, Page page) {
        return pool.read(() -> searchNow(namespace, search, visible, page));
    }

    private Listed<ServiceKey> searchNow(Namespace namespace, Search search, ReadScope visible, Page page) {
        List<ServiceOrder.Counted> found = new ArrayList<>();
        Predicate<ServiceKey> fits = fits(search);
        boolean counts = search.order.counts() || search.health != HealthFilter.ANY;
        reads.forEachServiceKey(namespace, service -> {
            if (visible.has(service) && fits.test(service)) {
                ServiceTally tally = counts ? reads.tally(service) : ServiceTally.NOTHING;
                if (search.health.fits(tally)) {
                    found.add(new ServiceOrder.Counted(service, tally));
                }
            }
        });
        return new Listed<>(found.size(), search.order.page(found, page));
    }

    private Predicate<ServiceKey> fits(Search search) {
        Predicate<ServiceKey> all = service -> contains(service.name(), search.name)
                && contains(service.group(), search.group)
                && (!search.withInstancesOnly || reads.hasInstances(service));
        String address = search.instance;
        if (address == null || address.isEmpty()) {
            return all;
        }
        return all.and(service -> reads.snapshot(service).instances().stream()
                .anyMatch(
                        instance -> (instance.key().ip() + ':' + instance.key().port()).contains(address)));
    }

    private static boolean contains(String text, @Nullable String wanted) {
        return wanted == null || wanted.isEmpty() || text.contains(wanted);
    }

    /** Also of a service that is gone. */
    public CompletionStage<Gathered<ServiceTimeline.Entry>> timeline(ServiceKey service) {
        return timeline.of(service);
    }

    /**
     * The subscribers by address; clients of one address, SDK, application and clusters are one.
     *
     * @param aggregated false for this node alone
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

    /** Sets the health check of a cluster. Fails with {@code SERVICE_ABSENT}. */
    public CompletionStage<Void> updateCluster(ServiceKey service, HttpRequest form) {
        String cluster = CLUSTER_NAME.of(form);
        NamingParameters.cluster(form);
        int port = CHECK_PORT.of(form);
        boolean useInstancePort = USE_INSTANCE_PORT.of(form);
        // In one spelling, and without what the checker does not know.
        String checker = HealthCheck.fromJson(HEALTH_CHECKER.of(form)).toJson();
        ClusterSettings wanted =
                new ClusterSettings(checker, port, useInstancePort, NamingParameters.METADATA.or(form, Map.of()));
        return stored.updateService(RequestCaller.of(form), service, before -> before.withCluster(cluster, wanted));
    }

    /**
     * Sets the health of a persistent instance.
     *
     * @throws NamingException {@code HEALTH_IS_CHECKED} unless the cluster's checker is "none"
     */
    public CompletionStage<Void> setHealth(ServiceKey service, InstanceKey instance, boolean healthy, Caller by) {
        ServiceSnapshot snapshot = reads.snapshot(service);
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
