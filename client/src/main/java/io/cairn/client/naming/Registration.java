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
 * Instances that this client has registered. They are registered again after each reconnect, until this is closed or
 * drained, or the client ends. An instance that was registered several times stays until each of these is closed, as the
 * newest of them describes it. Thread-safe; methods that wait throw {@link CairnException} like those of
 * {@link NamingClient}.
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

    /** Also refuses what is no number, which no server could read. */
    static void checkWeight(double weight) {
        if (!(weight >= 0 && weight <= MOST_WEIGHT)) {
            throw new IllegalArgumentException("weight: " + weight + " (expected: 0-" + MOST_WEIGHT + ')');
        }
    }

    /** The service. */
    public ServiceKey service() {
        return service;
    }

    /** The instances, as they are to be registered now. */
    public List<Instance> instances() {
        return instances;
    }

    /** Has the instances registered, now and after each reconnect. */
    CompletableFuture<Void> begin() {
        synchronized (this) {
            registrations.want(service, this, instances);
        }
        return registrations.told(service);
    }

    /**
     * Registers the instances with another weight, 0–10000.
     *
     * @throws IllegalStateException when this is closed
     */
    public void reweigh(double weight) {
        checkWeight(weight);
        if (!weigh(weight)) {
            throw new IllegalStateException("The instances of " + service + " are not registered any more");
        }
        threads.await(registrations.told(service));
    }

    /** False when they are given up already. */
    private synchronized boolean weigh(double weight) {
        if (over) {
            return false;
        }
        instances =
                instances.stream().map(instance -> instance.withWeight(weight)).toList();
        registrations.want(service, this, instances);
        return true;
    }

    /** Takes the instances out of the registry; waits for the server, and logs when it cannot be told. */
    @Override
    public void close() {
        CompletableFuture<Void> gone = deregisterAsync();
        if (!threads.await(gone, patience)) {
            // It is told again, and goes with the connection at the latest.
            System.getLogger("io.cairn.client")
                    .log(
                            System.Logger.Level.WARNING,
                            "The server could not be told that instances of {0} are gone",
                            service);
        }
    }

    /** {@link #close} without waiting. */
    public CompletableFuture<Void> deregisterAsync() {
        synchronized (this) {
            if (over) {
                return CompletableFuture.completedFuture(null);
            }
            over = true;
            registrations.giveUp(service, this);
        }
        return registrations.told(service);
    }

    /** {@link #deregisterAsync} for one whose caller knows of the failure already. */
    void abandon() {
        deregisterAsync().exceptionally(failure -> {
            System.getLogger("io.cairn.client")
                    .log(System.Logger.Level.DEBUG, "The server could not be told to undo a registration", failure);
            return null;
        });
    }

    /** Drains with three seconds for subscribers to act on what they were told. */
    public void drain() {
        drain(SETTLE);
    }

    /**
     * Ends without failing a call: sets the weight to zero, waits until the server tells subscribers so (this client
     * subscribes for it; the server tells all of them in one go), waits for {@code settle} while they finish what they
     * have begun, and deregisters. Should the server not tell it in time, it goes on all the same. Does nothing when this
     * is closed already.
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
            threads.await(registrations.told(service));
            threads.await(told, patience);
            CompletableFuture<Void> settled = new CompletableFuture<>();
            threads.timer().schedule(() -> settled.complete(null), settle.toMillis(), TimeUnit.MILLISECONDS);
            threads.await(settled, settle.plus(patience));
        } finally {
            close();
        }
    }
}
