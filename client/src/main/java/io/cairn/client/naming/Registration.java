package io.cairn.client.naming;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.connection.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Instances that this client has registered. They are registered again after each reconnect, until this is closed or
 * drained, or the client ends. Thread-safe; methods that wait throw {@link CairnException} like those of
 * {@link NamingClient}.
 */
public final class Registration implements AutoCloseable {

    private static final Duration SETTLE = Duration.ofSeconds(3);

    private final ServiceKey service;
    private final Registrations registrations;
    private final Subscriptions subscriptions;
    private final Threads threads;
    private final Duration patience;
    private final AtomicBoolean over = new AtomicBoolean();
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

    public ServiceKey service() {
        return service;
    }

    public List<Instance> instances() {
        return instances;
    }

    /**
     * Registers the instances with another weight, 0–10000.
     *
     * @throws IllegalStateException when this was closed or drained
     */
    public void reweigh(double weight) {
        if (over.get()) {
            throw new IllegalStateException("Instances of " + service + " are deregistered already");
        }
        threads.await(reweighAsync(weight));
    }

    private CompletableFuture<Void> reweighAsync(double weight) {
        List<Instance> before = instances;
        instances = before.stream().map(instance -> instance.withWeight(weight)).toList();
        return registrations.put(service, instances);
    }

    /** Takes the instances out of the registry; waits for the server, and logs when it cannot be told. */
    @Override
    public void close() {
        CompletableFuture<Void> gone = deregisterAsync();
        if (!threads.await(gone, patience)) {
            // It goes with the connection at the latest.
            System.getLogger("io.cairn.client")
                    .log(
                            System.Logger.Level.WARNING,
                            "The server could not be told that instances of {0} are gone",
                            service);
        }
    }

    /** {@link #close} without waiting. */
    public CompletableFuture<Void> deregisterAsync() {
        if (!over.compareAndSet(false, true)) {
            return CompletableFuture.completedFuture(null);
        }
        return registrations.remove(
                service, instances.stream().map(Instance::key).collect(Collectors.toSet()));
    }

    /** Drains with three seconds for subscribers to act on what they were told. */
    public void drain() {
        drain(SETTLE);
    }

    /**
     * Ends without failing a call: sets the weight to zero, waits until the server tells subscribers so (this client
     * subscribes for it; the server tells all of them in one go), waits for {@code settle} while they finish what they
     * have begun, and deregisters. Should the server not tell it in time, it goes on all the same.
     */
    public void drain(Duration settle) {
        threads.checkMayBlock();
        if (over.get()) {
            return;
        }
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
            threads.await(reweighAsync(0));
            threads.await(told, patience);
            CompletableFuture<Void> settled = new CompletableFuture<>();
            threads.timer().schedule(() -> settled.complete(null), settle.toMillis(), TimeUnit.MILLISECONDS);
            threads.await(settled, settle.plus(patience));
        } finally {
            close();
        }
    }
}
