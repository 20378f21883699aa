package io.cairn.client.naming;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.naming.InstanceRequest;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.ServiceInfo;
import io.cairn.api.wire.naming.ServiceListRequest;
import io.cairn.api.wire.naming.ServiceName;
import io.cairn.api.wire.naming.ServiceQueryRequest;
import io.cairn.client.Origin;
import io.cairn.client.balance.Balancer;
import io.cairn.client.internal.ClientParts;
import io.cairn.client.internal.Refusals;
import io.cairn.client.internal.ServerLink;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Registers and finds the instances of services. Thread-safe.
 *
 * <p>The plain methods wait, at most for the client's request timeout, and throw {@link CairnException} as those of
 * {@link io.cairn.client.config.ConfigClient} do; the {@code Async} ones never wait, and their futures complete on one of
 * the client's threads, on which the plain methods refuse to wait.
 */
public final class NamingClient {

    private final Namespace namespace;
    private final ServerLink link;
    private final Threads threads;
    private final Duration patience;
    private final ServiceSnapshots snapshots;
    private final Registrations registrations;
    private final Subscriptions subscriptions;

    /** Made by the client; see {@link io.cairn.client.CairnClient#naming}. */
    public NamingClient(ClientParts parts) {
        namespace = parts.namespace();
        link = parts.link();
        threads = parts.threads();
        patience = parts.patience();
        snapshots = new ServiceSnapshots(parts.folder());
        registrations = new Registrations(link, threads, patience);
        subscriptions =
                new Subscriptions(namespace, link, threads, snapshots, parts.emptyLists(), parts.hold(), patience);
    }

    /** A service in the client's namespace and the default group. */
    public ServiceKey service(String name) {
        return service(ServiceKey.DEFAULT_GROUP, name);
    }

    /** A service in the client's namespace. */
    public ServiceKey service(String group, String name) {
        return new ServiceKey(namespace, group, name);
    }

    /** Pushes do not say their namespace, so a client has one. */
    private ServiceKey own(ServiceKey service) {
        if (!service.namespace().equals(namespace)) {
            throw new IllegalArgumentException(
                    "service: " + service + " (expected: one in the client's namespace, " + namespace + ')');
        }
        return service;
    }

    /**
     * Registers an instance; once this returns, the server knows it. Closing the handle takes it out again.
     *
     * @throws IllegalArgumentException when the service is of another namespace, or the weight not 0–10000
     */
    public Registration register(ServiceKey service, Instance instance) {
        return registerAll(service, List.of(instance));
    }

    /** Registers several instances of a service with one request. */
    public Registration registerAll(ServiceKey service, List<Instance> instances) {
        return threads.await(registerAllAsync(service, instances));
    }

    /** {@link #register} without waiting. */
    public CompletableFuture<Registration> registerAsync(ServiceKey service, Instance instance) {
        return registerAllAsync(service, List.of(instance));
    }

    /**
     * {@link #registerAll} without waiting. When it fails, nothing is registered, nor will be; should the server have done
     * it too late, it is told to undo it.
     */
    public CompletableFuture<Registration> registerAllAsync(ServiceKey service, List<Instance> instances) {
        Registration registration = handle(service, instances);
        return registration.begin().handle((done, failure) -> {
            if (failure != null) {
                // The server may have done it all the same, so it is told that it is not wanted.
                registration.abandon();
                throw Refusals.of(failure);
            }
            return registration;
        });
    }

    /**
     * Registers instances as soon as there is a server: at once, or when the connection comes. Returns without waiting;
     * for those who start without a server.
     */
    public Registration registerWhenConnected(ServiceKey service, List<Instance> instances) {
        Registration registration = handle(service, instances);
        registration.begin().exceptionally(failure -> {
            System.getLogger("io.cairn.client")
                    .log(
                            System.Logger.Level.WARNING,
                            "The attempts to register go on: "
                                    + Refusals.of(failure).getMessage());
            return null;
        });
        return registration;
    }

    private Registration handle(ServiceKey service, List<Instance> instances) {
        if (instances.isEmpty() || instances.stream().anyMatch(instance -> !instance.ephemeral())) {
            throw new IllegalArgumentException("instances: " + instances
                    + " (expected: at least one, and ephemeral ones; see registerPersistent)");
        }
        instances.forEach(instance -> Registration.checkWeight(instance.weight()));
        return new Registration(own(service), instances, registrations, subscriptions, threads, patience);
    }

    /** Takes an instance out that this client has registered, however often it has. */
    public void deregister(ServiceKey service, InstanceKey instance) {
        threads.await(registrations.remove(own(service), instance));
    }

    /** Registers an instance that stays until it is deregistered, whatever becomes of this client. */
    public void registerPersistent(ServiceKey service, Instance instance) {
        threads.await(registrations.persistent(own(service), persistent(instance), InstanceRequest.REGISTER));
    }

    /** Takes out an instance that was registered to stay. */
    public void deregisterPersistent(ServiceKey service, Instance instance) {
        threads.await(registrations.persistent(own(service), persistent(instance), InstanceRequest.DEREGISTER));
    }

    private static Instance persistent(Instance instance) {
        Registration.checkWeight(instance.weight());
        return new Instance(
                instance.key(),
                instance.weight(),
                instance.healthy(),
                instance.enabled(),
                false,
                instance.metadata(),
                instance.id());
    }

    /**
     * All instances that consumers may see, healthy or not. Of a subscribed service at once from memory; else from the
     * server, or when none answers from the snapshot of what one last said.
     */
    public List<Instance> instances(ServiceKey service) {
        return view(service).instances();
    }

    /** Those that are healthy and want traffic. */
    public List<Instance> healthy(ServiceKey service) {
        return view(service).healthy();
    }

    /** {@link #instances} with where they are from, and how old they are. */
    public ServiceView view(ServiceKey service) {
        return subscriptions.view(own(service)).orElseGet(() -> threads.await(viewAsync(service)));
    }

    /** {@link #view} without waiting. */
    public CompletableFuture<ServiceView> viewAsync(ServiceKey service) {
        Optional<ServiceView> known = subscriptions.view(own(service));
        if (known.isPresent()) {
            return CompletableFuture.completedFuture(known.get());
        }
        if (link.down() && !link.closed()) {
            // Known to be away: what is at hand is told at once.
            return threads.read(() -> snapshots.find(service))
                    .thenCompose(
                            kept -> kept.map(CompletableFuture::completedFuture).orElseGet(() -> fetch(service)));
        }
        return fetch(service);
    }

    private CompletableFuture<ServiceView> fetch(ServiceKey service) {
        byte[] request = new ServiceQueryRequest(ServiceName.of(service), "", false).toJson();
        return link.request(MessageCatalog.SERVICE_QUERY_REQUEST, request, true)
                .thenApply(payload -> {
                    ServiceAnswer answer = JsonInput.read(payload, ServiceAnswer::read);
                    if (!answer.answer().succeeded()) {
                        throw Refusals.of("Reading " + service, answer.answer());
                    }
                    ServiceInfo info = answer.service();
                    List<Instance> hosts = info == null ? null : info.hosts();
                    ServiceView view = new ServiceView(
                            service, hosts == null ? List.of() : hosts, Origin.SERVER, Instant.now(), false);
                    snapshots.keep(view);
                    return view;
                })
                .exceptionallyCompose(failure -> fallBack(service, Refusals.of(failure)));
    }

    private CompletableFuture<ServiceView> fallBack(ServiceKey service, CairnException failure) {
        if (failure.code() != ErrorCode.UNAVAILABLE || link.closed()) {
            return CompletableFuture.failedFuture(failure);
        }
        return threads.read(() -> snapshots.find(service)).thenApply(kept -> kept.orElseThrow(() -> failure));
    }

    /**
     * The names of the services of a group.
     *
     * @param page from 1
     * @param pageSize how many names at most, from 1
     */
    public ServicePage services(String group, int page, int pageSize) {
        return threads.await(servicesAsync(group, page, pageSize));
    }

    /** {@link #services} without waiting. */
    public CompletableFuture<ServicePage> servicesAsync(String group, int page, int pageSize) {
        if (page < 1 || pageSize < 1) {
            throw new IllegalArgumentException(
                    "page: " + page + ", page size: " + pageSize + " (expected: 1 or more of both)");
        }
        byte[] request = new ServiceListRequest(new ServiceName(namespace.id(), "", group), page, pageSize).toJson();
        return link.request(MessageCatalog.SERVICE_LIST_REQUEST, request, true).thenApply(payload -> {
            ServiceAnswer answer = JsonInput.read(payload, ServiceAnswer::read);
            if (!answer.answer().succeeded()) {
                throw Refusals.of("Listing services", answer.answer());
            }
            return new ServicePage(answer.names(), answer.count());
        });
    }

    /** Subscribes to a service; the listener is called on the client's own callback thread. Does not wait. */
    public ServiceWatch subscribe(ServiceKey service, ServiceListener listener) {
        return subscribe(service, listener, threads.callbacks());
    }

    /** Subscribes to a service; the listener is called on that executor. Does not wait. */
    public ServiceWatch subscribe(ServiceKey service, ServiceListener listener, Executor executor) {
        return subscriptions.add(own(service), listener, executor);
    }

    /** Subscribes to a service and chooses among its healthy instances. Waits for the first answer. */
    public ServiceSelector select(ServiceKey service, Balancer balancer) {
        threads.checkMayBlock();
        ServiceWatch watch = subscribe(service, change -> {}, Runnable::run);
        threads.await(watch.known(), patience);
        return new ServiceSelector(watch, balancer);
    }

    /** How many services are subscribed to. */
    public int subscribed() {
        return subscriptions.size();
    }
}
