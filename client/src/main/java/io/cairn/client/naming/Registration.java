package io.cairn.client.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Instances that this client has registered. The client registers them again after each reconnect, until this registration
 * is closed or drained. An instance with several registrations has the values of the newest and stays until all are closed.
 * Blocking methods throw {@link CairnException} like {@link NamingClient}. Thread-safe.
 */
public final class Registration implements AutoCloseable {

    private static final Duration SETTLE = Duration.ofSeconds(3);
    private static final int MOST_WEIGHT = 10_000;

    private final ServiceKey service;
    private final Registrations registrations;
    private final Subscriptions subscriptions;
    private final Threads threads;
    private final Duration patience;

    @GuardedBy("this")
    private boolean over;

    /** Replaced with this object's lock held, read without it. */
    private volatile List<Instance> instances;

    Registration(
            ServiceKey service,
            List<Instance> instances,
            Registrations registrations,
            Subscriptions subscriptions,
            Threads threads,
            Duration patience) {
        this.service = service;
        this.instances = List.copyOf(instances);
        this.registrations = registrations;
        this.subscriptions = subscriptions;
        this.threads = threads;
        this.patience = patience;
    }

    /** Rejects NaN as well. */
    static void checkWeight(double weight) {
        if (!(weight >= 0 && weight <= MOST_WEIGHT)) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: 0-" + MOST_WEIGHT + ')');
        }
    }

    public ServiceKey service() {
        return service;
    }

    public List<Instance> instances() {
        return instances;
    }

    CompletableFuture<Void> begin() {
        synchronized (this) {
            registrations.setDesired(service, this, instances);
        }
        return registrations.synced(service);
    }

    /**
     * Registers the instances with another weight, 0–10000.
     *
     * @throws IllegalStateException when this registration is closed
     */
    public void reweigh(double weight) {
        checkWeight(weight);
        if (!weigh(weight)) {
            throw new IllegalStateException("The instances of " + service + " are not registered any more");
        }
        threads.await(registrations.synced(service));
    }

    private synchronized boolean weigh(double weight) {
        if (over) {
            return false;
        }
        instances =
                instances.stream().map(instance -> instance.withWeight(weight)).toList();
        registrations.setDesired(service, this, instances);
        return true;
    }

    /** Deregisters the instances. Waits up to the request timeout, and logs a failure. */
    @Override
    public void close() {
        CompletableFuture<Void> gone = deregisterAsync();
        if (!threads.await(gone, patience)) {
            // The request is repeated, and the end of the connection has the same effect.
            System.getLogger("io.cairn.client")
                    .log(
                            System.Logger.Level.WARNING,
                            "The server could not be told that instances of {0} are gone",
                            service);
        }
    }

    public CompletableFuture<Void> deregisterAsync() {
        synchronized (this) {
            if (over) {
                return CompletableFuture.completedFuture(null);
            }
            over = true;
            registrations.abandon(service, this);
        }
        return registrations.synced(service);
    }

    /** The caller has the failure of the registration already. */
    void abandon() {
        deregisterAsync().exceptionally(failure -> {
            System.getLogger("io.cairn.client")
                    .log(System.Logger.Level.DEBUG, "The server could not be told to undo a registration", failure);
            return null;
        });
    }

    /** Drains with a settling time of 3 s. */
    public void drain() {
        drain(SETTLE);
    }

    /**
     * Deregisters without failing calls: sets the weight to 0, waits until the server pushes it to subscribers, waits for
     * {@code settle} while consumers finish their calls, and deregisters. Continues also without the push, after the request
     * timeout.
     */
    public void drain(Duration settle) {
        threads.checkMayBlock();
        Set<?> own = instances.stream().map(Instance::key).collect(Collectors.toSet());
        CompletableFuture<Void> told = new CompletableFuture<>();
        try (ServiceWatch watch = subscriptions.add(
                service,
                change -> {
                    boolean allAtZero = change.now().instances().stream()
                            .filter(instance -> own.contains(instance.key()))
                            .allMatch(instance -> instance.weight() == 0);
                    if (allAtZero) {
                        told.complete(null);
                    }
                },
                Runnable::run)) {
            threads.await(watch.known(), patience);
            if (!weigh(0)) {
                return;
            }
            threads.await(registrations.synced(service));
            threads.await(told, patience);
            CompletableFuture<Void> settled = new CompletableFuture<>();
            threads.timer().schedule(() -> settled.complete(null), settle.toMillis(), TimeUnit.MILLISECONDS);
            threads.await(settled, settle.plus(patience));
        } finally {
            close();
        }
    }
}
