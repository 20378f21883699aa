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
import io.cairn.client.balance.Balancer;
import io.cairn.client.connection.Origin;
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
 * Registers and finds the instances of services. Timeouts, exceptions and threads are as in
 * {@link io.cairn.client.config.ConfigClient}. Methods throw {@link IllegalArgumentException} for a service of another
 * namespace. Thread-safe.
 */
public final class NamingClient {

    private final Namespace namespace;
    private final ServerLink link;
    private final Threads threads;
    private final Duration patience;
    private final ServiceSnapshots snapshots;
    private final Registrations registrations;
    private final Subscriptions subscriptions;

    public NamingClient(ClientParts parts, EmptyLists emptyLists, Duration hold) {
        namespace = parts.namespace();
        link = parts.link();
        threads = parts.threads();
        patience = parts.patience();
        snapshots = new ServiceSnapshots(parts.folder());
        registrations = new Registrations(link, threads, patience);
        subscriptions = new Subscriptions(namespace, link, threads, snapshots, emptyLists, hold, patience);
    }

    public ServiceKey service(String name) {
        return service(ServiceKey.DEFAULT_GROUP, name);
    }

    /** A service in the client's namespace. */
    public ServiceKey service(String group, String name) {
        return new ServiceKey(namespace, group, name);
    }

    /** Pushes contain no namespace, so a client has exactly one. */
    private ServiceKey own(ServiceKey service) {
        if (!service.namespace().equals(namespace)) {
            throw new IllegalArgumentException(
                    "service: " + service + " (expected: one in the client's namespace, " + namespace + ')');
        }
        return service;
    }

    /**
     * Registers an ephemeral instance; the server knows it on return. The client registers it again after each reconnect,
     * until the returned handle is closed.
     *
     * @throws IllegalArgumentException when the weight is outside 0–10000
     */
    public Registration register(ServiceKey service, Instance instance) {
        return registerAll(service, List.of(instance));
    }

    /** Registers several ephemeral instances of a service with one request. */
    public Registration registerAll(ServiceKey service, List<Instance> instances) {
        return threads.await(registerAllAsync(service, instances));
    }

    public CompletableFuture<Registration> registerAsync(ServiceKey service, Instance instance) {
        return registerAllAsync(service, List.of(instance));
    }

    /** After a failure the client deregisters the instances. */
    public CompletableFuture<Registration> registerAllAsync(ServiceKey service, List<Instance> instances) {
        Registration registration = handle(service, instances);
        return registration.begin().handle((done, failure) -> {
            if (failure != null) {
                // The server may have processed the request, or may process it later.
                registration.abandon();
                throw Refusals.of(failure);
            }
            return registration;
        });
    }

    /** Registers instances as soon as the client is connected. Does not wait. */
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

    /** Deregisters an instance of this client, regardless of the number of its registrations. */
    public void deregister(ServiceKey service, InstanceKey instance) {
        threads.await(registrations.remove(own(service), instance));
    }

    /** Registers a persistent instance, which stays until it is deregistered. */
    public void registerPersistent(ServiceKey service, Instance instance) {
        threads.await(registrations.persistent(own(service), persistent(instance), InstanceRequest.REGISTER));
    }

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
     * Returns all enabled instances, healthy or not: from memory for a subscribed service, otherwise from the server, or
     * from a snapshot while the client cannot reach a server.
     */
    public List<Instance> instances(ServiceKey service) {
        return view(service).instances();
    }

    /** See {@link ServiceView#healthy}. */
    public List<Instance> healthy(ServiceKey service) {
        return view(service).healthy();
    }

    /** Like {@link #instances}, with the origin and age of the list. */
    public ServiceView view(ServiceKey service) {
        return subscriptions.view(own(service)).orElseGet(() -> threads.await(viewAsync(service)));
    }

    public CompletableFuture<ServiceView> viewAsync(ServiceKey service) {
        Optional<ServiceView> known = subscriptions.view(own(service));
        if (known.isPresent()) {
            return CompletableFuture.completedFuture(known.get());
        }
        if (link.down() && !link.closed()) {
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
     * Lists the services of a group.
     *
     * @param page from 1
     * @param pageSize the maximum number of names, from 1
     */
    public ServicePage services(String group, int page, int pageSize) {
        return threads.await(servicesAsync(group, page, pageSize));
    }

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

    public ServiceWatch subscribe(ServiceKey service, ServiceListener listener) {
        return subscribe(service, listener, threads.callbacks());
    }

    /** Calls the listener on this executor. */
    public ServiceWatch subscribe(ServiceKey service, ServiceListener listener, Executor executor) {
        return subscriptions.add(own(service), listener, executor);
    }

    /** Subscribes to a service for load balancing. Waits for the first list, up to the request timeout. */
    public ServiceSelector select(ServiceKey service, Balancer balancer) {
        threads.checkMayBlock();
        ServiceWatch watch = subscribe(service, change -> {}, Runnable::run);
        threads.await(watch.known(), patience);
        return new ServiceSelector(watch, balancer);
    }

    public int subscribed() {
        return subscriptions.size();
    }
}
