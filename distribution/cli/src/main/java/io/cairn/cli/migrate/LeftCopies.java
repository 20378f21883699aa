package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps the copies of an earlier process of the bridge, at each server as soon as it answers; they may end while the other server
 * hangs. For one thread.
 */
public final class LeftCopies implements AutoCloseable {

    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration CLOSE = Duration.ofSeconds(10);

    private final Map<Side, Supplier<? extends ServiceStore>> stores;
    private final Map<Side, String> addresses;
    private final Journal journal;
    private final Consumer<String> notices;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Map<Side, Future<Set<ServiceKey>>> keepers = new EnumMap<>(Side.class);

    private record Place(Side at, ServiceKey service, InstanceKey instance) {}

    /** @param stores fail with {@link SideException} while a server does not answer */
    public LeftCopies(
            Map<Side, Supplier<? extends ServiceStore>> stores,
            Map<Side, String> addresses,
            Journal journal,
            Consumer<String> notices) {
        this.stores = stores;
        this.addresses = addresses;
        this.journal = journal;
        this.notices = notices;
    }

    /** Begins, on threads. */
    public void keep(Collection<Namespace> namespaces, boolean bothWays) {
        Set<Place> persistent = new HashSet<>();
        PersistentCopy.all(journal)
                .forEach(copy -> persistent.add(
                        new Place(copy.at(), copy.service(), copy.instance().key())));
        List<Namespace> asked = List.copyOf(namespaces);
        for (Side side : Side.withCopies(bothWays)) {
            keepers.put(side, threads.submit(() -> keep(side, asked, persistent)));
        }
    }

    private Set<ServiceKey> keep(Side side, List<Namespace> namespaces, Set<Place> persistent)
            throws InterruptedException {
        Set<Namespace> awaited = new HashSet<>(namespaces);
        Set<ServiceKey> kept = new HashSet<>();
        while (true) {
            for (Namespace namespace : List.copyOf(awaited)) {
                if (isDone(side, namespace, persistent, kept)) {
                    awaited.remove(namespace);
                }
            }
            if (awaited.isEmpty() || ended.await(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
                return kept;
            }
        }
    }

    private boolean isDone(Side side, Namespace namespace, Set<Place> persistent, Set<ServiceKey> kept) {
        try {
            ServiceStore store = Objects.requireNonNull(stores.get(side)).get();
            BridgePresence.refuseOthers(side, store, namespace, journal.bridge());
            Set<ServiceKey> left = store.keepLeft(
                            namespace,
                            Objects.requireNonNull(addresses.get(side.other())),
                            (key, copy) -> persistent.contains(new Place(side, key, copy)))
                    .keySet();
            kept.addAll(left);
            if (!left.isEmpty()) {
                notices.accept("took over the copies of " + left.size() + " services in namespace " + namespace
                        + " of the " + side);
            }
        } catch (SideException e) {
            if (e.isTemporary() || Thread.currentThread().isInterrupted()) {
                return false;
            }
            notices.accept("copies of an earlier process in namespace " + namespace + " of the " + side
                    + " are not kept: " + e.getMessage());
        }
        return true;
    }

    /** @throws OtherBridgeException when another bridge keeps them */
    public void check() throws InterruptedException {
        for (Future<Set<ServiceKey>> keeper : keepers.values()) {
            if (keeper.isDone()) {
                kept(keeper);
            }
        }
    }

    private static Set<ServiceKey> kept(Future<Set<ServiceKey>> keeper) throws InterruptedException {
        try {
            return keeper.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        }
    }

    /**
     * Awaits the requests under way, and withdraws the copies of other namespaces.
     *
     * @throws OtherBridgeException when another bridge keeps them
     */
    public void end(Collection<Namespace> carried) throws InterruptedException {
        ended.countDown();
        for (Map.Entry<Side, Future<Set<ServiceKey>>> keeper : keepers.entrySet()) {
            for (ServiceKey key : kept(keeper.getValue())) {
                if (!carried.contains(key.namespace())) {
                    Objects.requireNonNull(stores.get(keeper.getKey())).get().mirror(key, List.of());
                }
            }
        }
        keepers.clear();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(CLOSE.toSeconds(), TimeUnit.SECONDS)) {
                notices.accept("a request of the bridge did not end within " + CLOSE.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
