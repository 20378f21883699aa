package io.cairn.client.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.Origin;
import io.cairn.client.connection.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One subscribed service: what is known of it, and who wants to know. Thread-safe. */
final class SubscribedService {

    /** What became of a list. */
    enum Taken {
        NEWS,
        OLD,
        /** It is empty, and not believed before it is asked for again. */
        HELD_BACK
    }

    private final ServiceKey service;
    private final EmptyLists emptyLists;
    private final List<Watch> watches = new ArrayList<>();
    private @Nullable ServiceView view;
    private @Nullable Object source;
    private long generatedAt;

    SubscribedService(ServiceKey service, EmptyLists emptyLists) {
        this.service = service;
        this.emptyLists = emptyLists;
    }

    ServiceKey service() {
        return service;
    }

    synchronized Optional<ServiceView> view() {
        return Optional.ofNullable(view);
    }

    synchronized Watch add(ServiceListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        ServiceView now = view;
        if (now != null) {
            watch.tell(ServiceChange.between(ServiceView.nothing(service, now.fetchedAt()), now));
        }
        return watch;
    }

    /** Whether nobody is left. */
    synchronized boolean remove(Watch watch) {
        watches.remove(watch);
        return watches.isEmpty();
    }

    synchronized void takeSnapshot(ServiceView kept) {
        if (view == null) {
            show(kept);
        }
    }

    /**
     * Takes a list from the server.
     *
     * @param from the connection that brought it
     * @param made when the server made it; within one connection an older one is no news
     * @param certain whether an empty list was held back long enough
     */
    synchronized Taken take(List<Instance> instances, Object from, long made, boolean certain) {
        ServiceView before = view;
        boolean sameSource = from == source;
        if (sameSource && made < generatedAt) {
            return Taken.OLD;
        }
        if (before != null && instances.isEmpty() && !before.instances().isEmpty() && !certain && holds(sameSource)) {
            view = before.holdingBack();
            return Taken.HELD_BACK;
        }
        source = from;
        generatedAt = made;
        ServiceView now = new ServiceView(service, instances, Origin.SERVER, Instant.now(), false);
        if (before != null
                && before.origin() == Origin.SERVER
                && before.instances().equals(now.instances())) {
            view = now;
            return Taken.OLD;
        }
        show(now);
        return Taken.NEWS;
    }

    private boolean holds(boolean sameSource) {
        return switch (emptyLists) {
            case BELIEVE -> false;
            case HOLD_AFTER_RECONNECT -> !sameSource;
            case HOLD -> true;
        };
    }

    private void show(ServiceView now) {
        ServiceView before = view;
        view = now;
        ServiceChange change =
                ServiceChange.between(before == null ? ServiceView.nothing(service, now.fetchedAt()) : before, now);
        if (before == null || !change.isEmpty()) {
            watches.forEach(watch -> watch.tell(change));
        }
    }

    synchronized void fail(Throwable why) {
        if (view == null) {
            watches.forEach(watch -> watch.first.completeExceptionally(why));
        }
    }

    /** One of those who want to know. */
    final class Watch implements ServiceWatch {

        private final CompletableFuture<ServiceView> first = new CompletableFuture<>();
        private final Delivery<ServiceChange> delivery;
        private final Runnable onClose;

        private Watch(ServiceListener listener, Executor executor, Runnable onClose) {
            this.onClose = onClose;
            delivery = new Delivery<>(service.toString(), executor, ServiceChange::then, listener::onChange);
        }

        private void tell(ServiceChange change) {
            delivery.tell(change);
            first.complete(change.now());
        }

        @Override
        public ServiceKey service() {
            return service;
        }

        @Override
        public Optional<ServiceView> current() {
            return view();
        }

        @Override
        public CompletableFuture<ServiceView> known() {
            return first.copy();
        }

        @Override
        public void close() {
            delivery.close();
            first.cancel(false);
            onClose.run();
        }
    }
}
