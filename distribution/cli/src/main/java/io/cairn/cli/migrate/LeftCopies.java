package io.cairn.cli.migrate;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Keeps the copies of an earlier process of the bridge, at each server as soon as it answers; they may end while the other server
 * hangs. For one thread.
 */
public final class LeftCopies {

    private final Map<Side, Supplier<? extends ServiceStore>> stores;
    private final Map<Side, String> addresses;
    private final Journal journal;
    private final Consumer<String> notices;
    private final Set<Side> awaited;

    private record Place(Side at, ServiceKey service, InstanceKey instance) {}

    /** @param stores fail with {@link SideException} while a server does not answer */
    public LeftCopies(
            Map<Side, Supplier<? extends ServiceStore>> stores,
            Map<Side, String> addresses,
            boolean bothWays,
            Journal journal,
            Consumer<String> notices) {
        this.stores = stores;
        this.addresses = addresses;
        this.journal = journal;
        this.notices = notices;
        awaited = Side.withCopies(bothWays);
    }

    /** @throws OtherBridgeException when another bridge keeps them */
    public void keep(Collection<Namespace> namespaces) throws InterruptedException {
        Set<Place> persistent = new HashSet<>();
        PersistentCopy.all(journal)
                .forEach(copy -> persistent.add(
                        new Place(copy.at(), copy.service(), copy.instance().key())));
        List<Callable<Optional<Side>>> tasks = new ArrayList<>();
        for (Side side : awaited) {
            tasks.add(() -> isDone(side, namespaces, persistent) ? Optional.of(side) : Optional.empty());
        }
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            for (Future<Optional<Side>> done : threads.invokeAll(tasks)) {
                done.get().ifPresent(awaited::remove);
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        } finally {
            threads.shutdownNow();
        }
    }

    private boolean isDone(Side side, Collection<Namespace> namespaces, Set<Place> persistent) {
        try {
            keep(side, namespaces, persistent);
        } catch (SideException e) {
            if (e.isTemporary()) {
                return false;
            }
            notices.accept("copies of an earlier process at the " + side + " are not kept: " + e.getMessage());
        }
        return true;
    }

    private void keep(Side side, Collection<Namespace> namespaces, Set<Place> persistent) {
        ServiceStore store = Objects.requireNonNull(stores.get(side)).get();
        String from = Objects.requireNonNull(addresses.get(side.other()));
        int kept = 0;
        for (Namespace namespace : namespaces) {
            BridgePresence.refuseOthers(side, store, namespace, journal.bridge());
            Map<ServiceKey, List<Instance>> left =
                    store.keepLeft(namespace, from, (key, copy) -> persistent.contains(new Place(side, key, copy)));
            kept += left.values().stream().mapToInt(List::size).sum();
        }
        if (kept > 0) {
            notices.accept("took over " + kept + " copies at the " + side);
        }
    }
}
