package io.cairn.cli;

import static io.cairn.cli.Api.parameters;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.Pace;
import io.cairn.cli.migrate.ServiceState;
import io.cairn.cli.migrate.SideException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies at a Nacos that heartbeats over HTTP keep, so that a bridge may be killed and started again within {@link #LEASE}.
 * Thread-safe; blocks.
 */
final class LeasedCopies implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(60);
    static final Duration BEAT = Duration.ofSeconds(20);
    /** After a failed heartbeat. */
    static final Duration RETRY = Duration.ofSeconds(5);

    private static final Duration TURN = Duration.ofMillis(500);
    private static final Duration SLOW = LEASE.dividedBy(2);
    private static final int MOST = 2_000;
    private static final int SENDERS = 8;

    /** Codes of a heartbeat that found its instance, in version 3 and 1. */
    private static final Set<String> BEATEN = Set.of("0", "10200");

    /** Statuses of a server without an HTTP interface for clients. */
    private static final Set<Integer> NO_INTERFACE = Set.of(403, 404, 405, 410);

    private static final List<String> LIMITS = List.of("preserved.heart.beat.timeout", "preserved.ip.delete.timeout");

    private static final String V1 = "/v1/ns/instance";
    private static final String V3 = "/v3/client/ns/instance";

    private final BridgeServer server;
    private final Function<ServiceKey, List<Instance>> shown;
    private final LongSupplier reconnections;
    private final Consumer<String> notices;
    private final LongSupplier nanos;
    private final boolean v3;
    private final int most;
    /** Of heartbeats, which leave half of the rate to comparisons. */
    private final Pace pace;

    /** The lock of a service's registrations and withdrawals, so that an older one does not overtake a newer one. Taken before this. */
    private final Map<ServiceKey, Object> sending = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private final Map<ServiceKey, Map<InstanceKey, Lease>> leases = new HashMap<>();

    private final ExecutorService senders;
    private final Thread beats;

    @GuardedBy("this")
    private boolean isRefused;

    @GuardedBy("this")
    private boolean isAccepted;

    /** For the thread of the heartbeats. */
    private long connected;

    private boolean isFailing;
    private boolean isSlow;

    /**
     * @param leaving whether its withdrawal has failed; it gets no heartbeats
     * @param adopted whether an earlier process has registered it
     */
    private record Lease(ServiceKey service, Instance instance, long dueNanos, boolean leaving, boolean adopted) {

        private boolean isOf(Instance wanted) {
            return !leaving && !adopted && instance.equals(wanted);
        }
    }

    private LeasedCopies(
            BridgeServer server,
            Function<ServiceKey, List<Instance>> shown,
            LongSupplier reconnections,
            Consumer<String> notices,
            LongSupplier nanos) {
        this.server = server;
        this.shown = shown;
        this.reconnections = reconnections;
        this.notices = notices;
        this.nanos = nanos;
        v3 = server.dialect() == BridgeServer.Dialect.V3;
        most = most(server);
        pace = new Pace(Math.max(1, server.perSecond() / 2));
        connected = reconnections.getAsLong();
        senders = Executors.newFixedThreadPool(SENDERS, LeasedCopies::daemon);
        beats = daemon(this::beat);
    }

    /** @param shown the present list of the server */
    static LeasedCopies beating(
            BridgeServer server,
            Function<ServiceKey, List<Instance>> shown,
            LongSupplier reconnections,
            Consumer<String> notices) {
        LeasedCopies copies = new LeasedCopies(server, shown, reconnections, notices, System::nanoTime);
        copies.beats.start();
        return copies;
    }

    /** Sends heartbeats by {@link #turn} alone. */
    static LeasedCopies silent(
            BridgeServer server,
            Function<ServiceKey, List<Instance>> shown,
            LongSupplier reconnections,
            Consumer<String> notices,
            LongSupplier nanos) {
        return new LeasedCopies(server, shown, reconnections, notices, nanos);
    }

    static int most(BridgeServer server) {
        long beaten = server.perSecond() * BEAT.toSeconds() / 2;
        return (int) Math.min(server.isHttpOnly() ? beaten : MOST, beaten);
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "cairn-migrate-heartbeats");
        thread.setDaemon(true);
        return thread;
    }

    private synchronized boolean accepts(ServiceKey key, int count) {
        int others = leases.values().stream().mapToInt(Map::size).sum()
                - leases.getOrDefault(key, Map.of()).size();
        // A Nacos 1.x has no other copies.
        boolean isReplaced = server.isHttpOnly()
                && count <= leases.getOrDefault(key, Map.of()).size();
        return !isRefused && (isReplaced || others + count <= most);
    }

    private synchronized boolean isRefused() {
        return isRefused;
    }

    private synchronized Map<InstanceKey, Lease> of(ServiceKey key) {
        return new LinkedHashMap<>(leases.getOrDefault(key, Map.of()));
    }

    private Object lock(ServiceKey key) {
        return sending.computeIfAbsent(key, service -> new Object());
    }

    /**
     * A refused copy does not keep others from their place.
     *
     * @return false when a connection must register these copies
     * @throws SideException the first refusal, or no answer
     */
    boolean mirror(ServiceKey key, List<Instance> instances) {
        Map<InstanceKey, Lease> before = of(key);
        Map<InstanceKey, Lease> gone = new LinkedHashMap<>(before);
        instances.forEach(instance -> gone.remove(instance.key()));
        SideException first = withdraw(key, gone.keySet());
        if (!accepts(key, instances.size())) {
            return false;
        }
        List<Instance> present = null;
        for (Instance instance : instances) {
            Lease lease = before.get(instance.key());
            if (lease != null && (lease.isOf(instance) || isKept(lease, instance))) {
                continue;
            }
            if (server.isHttpOnly()) {
                present = present == null ? shown.apply(key) : present;
                if (isTaken(key, instance.key(), present)) {
                    continue;
                }
            }
            HttpResponse<String> response;
            synchronized (lock(key)) {
                if (server.isHttpOnly() && lease != null && lease.instance().healthy() && !instance.healthy()) {
                    // Nacos 1.x keeps the health of an instance that is registered again.
                    delete(key, instance.key());
                }
                // For the same reason a heartbeat follows at once.
                response = register(key, instance, server.isHttpOnly() && instance.healthy() ? Duration.ZERO : BEAT);
            }
            if (response.statusCode() != 200 && refuse(response)) {
                return false;
            }
            first = first == null ? failure(response) : first;
        }
        if (first != null) {
            throw first;
        }
        return true;
    }

    /** Without a registration, which could replace that of a client. */
    private boolean isKept(Lease lease, Instance wanted) {
        if (v3
                || !lease.adopted()
                || lease.leaving()
                || !wanted.healthy()
                || !lease.instance().equals(wanted)) {
            return false;
        }
        boolean isKept = isKnown(lease);
        if (isKept) {
            replace(lease, new Lease(lease.service(), wanted, nanos.getAsLong() + BEAT.toNanos(), false, false));
        }
        return isKept;
    }

    /** By a client of HTTP with the same address. */
    private static boolean isTaken(ServiceKey key, InstanceKey copy, List<Instance> present) {
        return !key.group().equals(Origin.BRIDGES)
                && present.stream().anyMatch(instance -> instance.key().equals(copy) && !Origin.isCopy(instance))
                && present.stream().noneMatch(instance -> instance.key().equals(copy) && Origin.isCopy(instance));
    }

    private synchronized void replace(Lease before, Lease now) {
        leases.getOrDefault(before.service(), new HashMap<>())
                .replace(before.instance().key(), before, now);
    }

    /** Withdraws the copies of a service that a connection has registered. */
    void end(ServiceKey key) {
        if (isRefused()) {
            of(key).keySet().forEach(copy -> forget(key, copy));
            return;
        }
        SideException failure = withdraw(key, of(key).keySet());
        if (failure != null) {
            throw failure;
        }
    }

    private @Nullable SideException failure(HttpResponse<String> response) {
        try {
            server.text(response);
            return null;
        } catch (SideException e) {
            return e;
        }
    }

    private boolean refuse(HttpResponse<String> response) {
        synchronized (this) {
            if (isAccepted || server.isHttpOnly() || !NO_INTERFACE.contains(response.statusCode())) {
                return false;
            }
            isRefused = true;
        }
        notices.accept(server.address() + " does not take copies over HTTP (status " + response.statusCode()
                + "): they end with the bridge's connection");
        return true;
    }

    private HttpResponse<String> register(ServiceKey key, Instance instance, Duration next) {
        Map<String, String> form = keyed(key, instance.key());
        Map<String, String> metadata = new LinkedHashMap<>(instance.metadata());
        LIMITS.forEach(limit -> metadata.put(limit, String.valueOf(LEASE.toMillis())));
        form.putAll(parameters(
                "weight",
                String.valueOf(instance.weight()),
                "enabled",
                String.valueOf(instance.enabled()),
                "healthy",
                String.valueOf(instance.healthy()),
                "metadata",
                Json.write(metadata)));
        HttpResponse<String> response = server.send(asked -> asked.form("POST", v3 ? V3 : V1, form));
        if (response.statusCode() == 200) {
            synchronized (this) {
                isAccepted = true;
                leases.computeIfAbsent(key, service -> new LinkedHashMap<>())
                        .put(
                                instance.key(),
                                new Lease(key, instance, nanos.getAsLong() + next.toNanos(), false, false));
            }
        }
        return response;
    }

    private static Map<String, String> keyed(ServiceKey key, InstanceKey instance) {
        return parameters(
                "namespaceId",
                key.namespace().id(),
                "groupName",
                key.group(),
                "serviceName",
                key.name(),
                "ip",
                instance.ip(),
                "port",
                String.valueOf(instance.port()),
                "clusterName",
                instance.cluster(),
                "ephemeral",
                "true");
    }

    /** @return the first refusal; a refused withdrawal is tried again by the next call */
    private @Nullable SideException withdraw(ServiceKey key, Collection<InstanceKey> gone) {
        if (gone.isEmpty()) {
            return null;
        }
        gone.forEach(copy -> leave(key, copy));
        List<Instance> present = shown.apply(key);
        SideException first = null;
        for (InstanceKey copy : gone) {
            // A registration in flight must not land after the deletion.
            synchronized (lock(key)) {
                SideException failure = isTaken(key, copy, present) ? null : delete(key, copy);
                if (failure == null) {
                    forget(key, copy);
                } else {
                    leave(key, copy);
                }
                first = first == null ? failure : first;
            }
        }
        return first;
    }

    private @Nullable SideException delete(ServiceKey key, InstanceKey copy) {
        HttpResponse<String> response = server.send(
                asked -> asked.request(v3 ? V3 : V1, keyed(key, copy)).DELETE());
        return response.statusCode() == 404 ? null : failure(response);
    }

    /** Sends heartbeats for copies of an earlier process, until {@link #mirror}. */
    synchronized void adopt(ServiceKey key, List<Instance> copies) {
        for (Instance copy : copies) {
            leases.computeIfAbsent(key, service -> new LinkedHashMap<>())
                    .putIfAbsent(copy.key(), new Lease(key, copy, nanos.getAsLong(), false, true));
        }
    }

    static List<Instance> asRegistered(List<Instance> copies) {
        return copies.stream().map(LeasedCopies::withoutLimits).toList();
    }

    private static Instance withoutLimits(Instance copy) {
        Map<String, String> metadata = new LinkedHashMap<>(copy.metadata());
        LIMITS.forEach(limit -> metadata.remove(limit, String.valueOf(LEASE.toMillis())));
        return copy.withMetadata(metadata);
    }

    /** Withdraws copies of the server {@code from} that an earlier process of this bridge has left. */
    void withdrawLeft(ServiceState state, String from) {
        for (Instance instance : state.instances()) {
            boolean left =
                    instance.ephemeral() && from.equals(instance.metadata().get(Origin.MARK));
            if (left && !of(state.key()).containsKey(instance.key())) {
                server.delete(v3 ? V3 : V1, keyed(state.key(), instance.key()));
            }
        }
    }

    private synchronized void leave(ServiceKey key, InstanceKey copy) {
        Map<InstanceKey, Lease> ofService = leases.get(key);
        if (ofService != null) {
            ofService.computeIfPresent(
                    copy, (id, lease) -> new Lease(key, lease.instance(), lease.dueNanos(), true, lease.adopted()));
        }
    }

    private synchronized void forget(ServiceKey key, InstanceKey copy) {
        Map<InstanceKey, Lease> ofService = leases.get(key);
        if (ofService != null) {
            ofService.remove(copy);
            if (ofService.isEmpty()) {
                leases.remove(key);
            }
        }
    }

    private void beat() {
        try {
            while (true) {
                Thread.sleep(TURN.toMillis());
                try {
                    turn();
                } catch (RuntimeException e) {
                    if (senders.isShutdown()) {
                        return;
                    }
                    failing(e);
                    Thread.sleep(RETRY.toMillis());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends the heartbeats that are due; registers all copies again after a reconnection. For one thread. */
    void turn() throws InterruptedException {
        long now = reconnections.getAsLong();
        boolean all = now != connected;
        connected = now;
        List<Lease> due = due(all);
        if (due.isEmpty()) {
            return;
        }
        long begin = nanos.getAsLong();
        AtomicReference<RuntimeException> failure = new AtomicReference<>();
        AtomicReference<RuntimeException> silence = new AtomicReference<>();
        List<Callable<Boolean>> tasks = due.stream()
                .<Callable<Boolean>>map(lease -> () -> {
                    beat(lease, all, failure, silence);
                    return true;
                })
                .toList();
        senders.invokeAll(tasks);
        RuntimeException first = failure.get();
        if (first != null) {
            failing(first);
        } else if (isFailing) {
            isFailing = false;
            notices.accept("heartbeats at " + server.address() + " go on");
        }
        Duration time = Duration.ofNanos(nanos.getAsLong() - begin);
        boolean slow = time.compareTo(SLOW) > 0;
        if (slow && !isSlow) {
            notices.accept("the heartbeats of " + due.size() + " copies at " + server.address() + " take "
                    + time.toSeconds() + " s, and a copy ends after " + LEASE.toSeconds()
                    + " s without one (raise --rate, or run the bridge nearer to this server)");
        }
        isSlow = slow;
    }

    private void failing(RuntimeException failure) {
        if (!isFailing) {
            isFailing = true;
            notices.accept("heartbeats fail, and copies end " + LEASE.toSeconds() + " s after their last one: "
                    + (failure instanceof SideException ? failure.getMessage() : failure));
        }
    }

    private synchronized List<Lease> due(boolean all) {
        long now = nanos.getAsLong();
        return leases.values().stream()
                .flatMap(ofService -> ofService.values().stream())
                .filter(lease -> !lease.leaving() && (all || lease.dueNanos() - now <= 0))
                .toList();
    }

    /** @param silence of a server without an answer, which further heartbeats do not await */
    private void beat(
            Lease lease,
            boolean again,
            AtomicReference<RuntimeException> failure,
            AtomicReference<RuntimeException> silence) {
        if (silence.get() != null) {
            due(lease, again ? Duration.ZERO : RETRY);
            return;
        }
        try {
            pace.await();
            SideException refusal = null;
            boolean isAbsent = again && v3 || !lease.instance().healthy() || !isKnown(lease);
            if (isAbsent && !isTaken(lease)) {
                synchronized (lock(lease.service())) {
                    if (isHeld(lease)) {
                        refusal = failure(register(lease.service(), lease.instance(), BEAT));
                    }
                }
            } else {
                due(lease, BEAT);
            }
            if (refusal != null) {
                failure.compareAndSet(null, refusal);
                due(lease, RETRY);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
            silence.compareAndSet(null, e);
            due(lease, RETRY);
        }
    }

    private boolean isTaken(Lease lease) {
        return !v3
                && !lease.instance().healthy()
                && isTaken(lease.service(), lease.instance().key(), shown.apply(lease.service()));
    }

    private synchronized boolean isHeld(Lease lease) {
        return lease.equals(leases.getOrDefault(lease.service(), Map.of())
                .get(lease.instance().key()));
    }

    private synchronized void due(Lease lease, Duration in) {
        replace(
                lease,
                new Lease(lease.service(), lease.instance(), nanos.getAsLong() + in.toNanos(), false, lease.adopted()));
    }

    /** Sends a heartbeat, which also makes an instance healthy. */
    private boolean isKnown(Lease lease) {
        Map<String, String> form = keyed(lease.service(), lease.instance().key());
        HttpResponse<String> response;
        if (v3) {
            form.put("heartBeat", "true");
            response = server.send(asked -> asked.form("POST", V3, form));
        } else {
            response = server.send(asked -> asked.request(V1 + "/beat", form).PUT(HttpRequest.BodyPublishers.noBody()));
        }
        return response.statusCode() == 200 && BEATEN.contains(Json.text(server.json(response.body()), "code"));
    }

    @Override
    public void close() {
        beats.interrupt();
        senders.shutdownNow();
    }
}
