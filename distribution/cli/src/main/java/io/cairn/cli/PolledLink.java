package io.cairn.cli;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.SideException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Follows a Nacos 1.x, which has no connections, by its lists of services. */
final class PolledLink implements BridgeLink {

    static final Duration PAUSE = Duration.ofSeconds(2);
    private static final int REST = 4;

    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final BridgeServer server;
    private final Set<Namespace> namespaces = ConcurrentHashMap.newKeySet();
    private final Thread polls = new Thread(this::poll, "cairn-migrate-polls");
    private volatile @Nullable Consumer<ServiceKey> changed;
    private volatile boolean isAway;
    private final AtomicLong returns = new AtomicLong();

    /** Of the last lists. For one thread. */
    private final Map<Namespace, Map<ServiceKey, Integer>> hashes = new HashMap<>();

    private PolledLink(BridgeServer server) {
        this.server = server;
    }

    static PolledLink start(BridgeServer server) {
        PolledLink link = silent(server);
        link.polls.setDaemon(true);
        link.polls.start();
        return link;
    }

    static PolledLink silent(BridgeServer server) {
        return new PolledLink(server);
    }

    private void poll() {
        try {
            while (true) {
                long begin = System.nanoTime();
                turn();
                Duration rest = Duration.ofNanos(System.nanoTime() - begin).multipliedBy(REST);
                rest = isAway || rest.compareTo(PAUSE) < 0 ? PAUSE : rest;
                Thread.sleep((rest.compareTo(LONGEST_PAUSE) < 0 ? rest : LONGEST_PAUSE).toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void turn() {
        try {
            for (Namespace namespace : namespaces) {
                compare(namespace);
            }
            if (isAway) {
                returns.incrementAndGet();
                isAway = false;
            }
        } catch (SideException e) {
            // The comparisons of the bridge report the reason.
            isAway |= e.isTemporary();
        }
    }

    private void compare(Namespace namespace) {
        Map<ServiceKey, Integer> now = new HashMap<>();
        ServiceItems.list(
                server, namespace, (key, item) -> now.put(key, Json.write(item).hashCode()));
        Map<ServiceKey, Integer> before = hashes.put(namespace, now);
        Consumer<ServiceKey> informed = changed;
        if (before == null || informed == null) {
            return;
        }
        Set<ServiceKey> keys = new HashSet<>(before.keySet());
        keys.addAll(now.keySet());
        for (ServiceKey key : keys) {
            Integer hash = now.get(key);
            if ((hash == null || !hash.equals(before.get(key))) && !key.group().equals(Origin.BRIDGES)) {
                informed.accept(key);
            }
        }
    }

    @Override
    public boolean registers() {
        return false;
    }

    @Override
    public void mirror(ServiceKey key, List<Instance> instances) {
        if (!instances.isEmpty()) {
            throw new SideException(
                    server.address() + " is a Nacos 1.x, which takes copies over HTTP alone, and not more than "
                            + LeasedCopies.most(server) + " with --rate " + server.perSecond() + " (raise --rate)");
        }
    }

    @Override
    public boolean isMirrored(ServiceKey key) {
        return false;
    }

    @Override
    public void watch(ServiceKey key, Consumer<ServiceKey> hearer) {
        changed = hearer;
        namespaces.add(key.namespace());
    }

    @Override
    public long reconnections() {
        return returns.get();
    }

    @Override
    public boolean hasLostConnection() {
        return isAway;
    }

    @Override
    public void close() {
        polls.interrupt();
    }
}
