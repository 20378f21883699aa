package io.cairn.client.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
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
 * is closed. An instance with several registrations has the values of the newest and stays until all are closed.
 * Blocking methods throw {@link CairnException} like {@link NamingClient}. Thread-safe.
 */
public final class Registration implements AutoCloseable {

    private static final Duration ACKNOWLEDGEMENTS = Duration.ofSeconds(10);
    private static final Duration MOST_WAIT = Duration.ofSeconds(60);

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
            throw notRegistered();
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

    /** With a time limit of 10 s. */
    public DrainResult drain() {
        return drain(ACKNOWLEDGEMENTS);
    }

    /**
     * Takes the instances out of the lists of consumers, and waits for their acknowledgements. The instances stay registered until
     * {@link #close}, which ends the drain, as do 5 minutes.
     *
     * @param wait up to 60 s
     * @throws IllegalStateException when this registration is closed
     */
    public DrainResult drain(Duration wait) {
        if (wait.isNegative() || wait.compareTo(MOST_WAIT) > 0) {
            throw new IllegalArgumentException("wait: " + wait + " (expected: 0 s to 60 s)");
        }
        threads.checkMayBlock();
        List<Instance> present = instances;
        synchronized (this) {
            if (over) {
                throw notRegistered();
            }
        }
        threads.await(registrations.synced(service));
        CompletableFuture<DrainResult> all = null;
        for (Instance instance : present) {
            CompletableFuture<DrainResult> one = registrations.drain(service, instance, wait);
            all = all == null ? one : all.thenCombine(one, DrainResult::and);
        }
        try {
            return all == null ? DrainResult.WITHOUT_SERVER : threads.await(all);
        } catch (CairnException e) {
            if (e.code() == ErrorCode.UNSUPPORTED) {
                return drainByWeight(wait);
            }
            throw e;
        }
    }

    /** @param settle the time for calls under way before the deregistration */
    public DrainResult drainAndClose(Duration wait, Duration settle) {
        try {
            DrainResult result = drain(wait);
            CompletableFuture<Void> settled = new CompletableFuture<>();
            threads.timer().schedule(() -> settled.complete(null), settle.toMillis(), TimeUnit.MILLISECONDS);
            threads.await(settled, settle.plus(patience));
            return result;
        } finally {
            close();
        }
    }

    /** Sets the weight to 0. */
    private DrainResult drainByWeight(Duration wait) {
        Set<?> own = instances.stream().map(Instance::key).collect(Collectors.toSet());
        CompletableFuture<Void> pushed = new CompletableFuture<>();
        try (ServiceWatch watch = subscriptions.add(
                service,
                change -> {
                    boolean allAtZero = change.now().instances().stream()
                            .filter(instance -> own.contains(instance.key()))
                            .allMatch(instance -> instance.weight() == 0);
                    if (allAtZero) {
                        pushed.complete(null);
                    }
                },
                Runnable::run)) {
            threads.await(watch.known(), patience);
            if (!weigh(0)) {
                throw notRegistered();
            }
            threads.await(registrations.synced(service));
            threads.await(pushed, wait);
        }
        return DrainResult.WITHOUT_SERVER;
    }

    private IllegalStateException notRegistered() {
        return new IllegalStateException("The instances of " + service + " are not registered any more");
    }
}
