package io.cairn.client.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.FollowedList;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.client.connection.Origin;
import io.cairn.client.internal.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One subscribed service: its known list and its watches. */
final class SubscribedService {

    /** A list that is older by more is not late: the server's clock was set back. */
    private static final long LATE_MILLIS = 10_000;

    enum Taken {
        NEWS,
        OLD,
        /** The list is empty, and is not accepted before the next query. */
        HELD_BACK,
        /** The delta starts at a revision that this client does not have. */
        GAP
    }

    private final ServiceKey service;
    private final EmptyLists emptyLists;

    @GuardedBy("this")
    private final List<Watch> watches = new ArrayList<>();

    @GuardedBy("this")
    private @Nullable ServiceView view;

    @GuardedBy("this")
    private @Nullable Object source;

    @GuardedBy("this")
    private long generatedAt;

    /** The last list sent over {@link #followedOver}, including an empty list that is not accepted yet. */
    @GuardedBy("this")
    private FollowedList followed = new FollowedList();

    @GuardedBy("this")
    private @Nullable Object followedOver;

    @GuardedBy("this")
    private @Nullable Object holding;

    @GuardedBy("this")
    private boolean certain;

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

    /** Calls the listener after {@link Watch#start} only. */
    synchronized Watch add(ServiceListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        ServiceView now = view;
        if (now != null) {
            watch.offer(ServiceChange.between(ServiceView.nothing(service, now.fetchedAt()), now));
        }
        return watch;
    }

    synchronized boolean remove(Watch watch) {
        watches.remove(watch);
        return watches.isEmpty();
    }

    void takeSnapshot(ServiceView kept) {
        List<Watch> told;
        synchronized (this) {
            told = view == null ? show(kept) : List.of();
        }
        told.forEach(Watch::start);
    }

    /** Ends the holding time: the next empty list is accepted. */
    synchronized void acceptNext(Object held) {
        if (holding == held) {
            certain = true;
        }
    }

    /** Identifies the present holding time; null outside a holding time. */
    synchronized @Nullable Object holding() {
        return holding;
    }

    /** The revision of the last list from this connection; 0 without a list. */
    synchronized long revision(Object from) {
        return from == followedOver ? followed.revision() : 0;
    }

    /** Makes the next request ask for a whole list. */
    synchronized void forgetRevision() {
        followedOver = null;
    }

    /**
     * @param made the server's timestamp; an older list of the same connection is ignored
     * @param revision 0 when the message has no revision
     */
    Taken apply(List<Instance> instances, Object from, long made, long revision) {
        Effect effect;
        synchronized (this) {
            if (from != followedOver) {
                followed = new FollowedList();
                followedOver = from;
            } else if (revision != 0 && revision < followed.revision()) {
                // A push overtook this response. The timestamp cannot show this: it may be the time of an old change.
                return Taken.OLD;
            }
            followed.take(instances, revision);
            effect = accept(instances, from, made);
        }
        return effect.start();
    }

    Taken apply(ServiceDelta delta, Object from) {
        Effect effect;
        synchronized (this) {
            if (from != followedOver) {
                return Taken.GAP;
            }
            if (delta.revision() < followed.revision()) {
                return Taken.OLD;
            }
            Optional<List<Instance>> whole = followed.take(delta);
            if (whole.isEmpty()) {
                return Taken.GAP;
            }
            effect = accept(whole.get(), from, delta.generatedAt());
        }
        return effect.start();
    }

    /** The watches are started after the lock is released. */
    private record Effect(Taken taken, List<Watch> told) {

        static Effect of(Taken taken) {
            return new Effect(taken, List.of());
        }

        /** Called without the lock: a listener may run on this thread. */
        Taken start() {
            told.forEach(Watch::start);
            return taken;
        }
    }

    @GuardedBy("this")
    private Effect accept(List<Instance> instances, Object from, long made) {
        ServiceView before = view;
        boolean sameSource = from == source;
        if (sameSource && made < generatedAt && generatedAt - made <= LATE_MILLIS) {
            return Effect.of(Taken.OLD);
        }
        boolean lost =
                before != null && instances.isEmpty() && !before.instances().isEmpty();
        if (before != null && lost && !certain && (holding != null || holds(sameSource))) {
            view = before.holdingBack();
            boolean begins = holding == null;
            holding = begins ? new Object() : holding;
            return Effect.of(begins ? Taken.HELD_BACK : Taken.OLD);
        }
        source = from;
        generatedAt = made;
        holding = null;
        certain = false;
        ServiceView now = new ServiceView(service, instances, Origin.SERVER, Instant.now(), false);
        if (before != null
                && before.origin() == Origin.SERVER
                && before.instances().equals(now.instances())) {
            view = now;
            return Effect.of(Taken.OLD);
        }
        return new Effect(Taken.NEWS, show(now));
    }

    private boolean holds(boolean sameSource) {
        return switch (emptyLists) {
            case BELIEVE -> false;
            case HOLD_AFTER_RECONNECT -> !sameSource;
            case HOLD -> true;
        };
    }

    @GuardedBy("this")
    private List<Watch> show(ServiceView now) {
        ServiceView before = view;
        view = now;
        ServiceChange change =
                ServiceChange.between(before == null ? ServiceView.nothing(service, now.fetchedAt()) : before, now);
        if (before != null && change.isEmpty()) {
            return List.of();
        }
        watches.forEach(watch -> watch.offer(change));
        return List.copyOf(watches);
    }

    void fail(Throwable why) {
        List<Watch> told;
        synchronized (this) {
            told = view == null ? List.copyOf(watches) : List.of();
        }
        told.forEach(watch -> watch.first.completeExceptionally(why));
    }

    final class Watch implements ServiceWatch {

        private final CompletableFuture<ServiceView> first = new CompletableFuture<>();
        private final Delivery<ServiceChange> delivery;
        private final Runnable onClose;

        @GuardedBy("SubscribedService.this")
        private @Nullable ServiceView offered;

        private Watch(ServiceListener listener, Executor executor, Runnable onClose) {
            this.onClose = onClose;
            delivery = new Delivery<>(service.toString(), executor, ServiceChange::then, listener::onChange);
        }

        /** Called with the lock of the service held, so that changes keep their order. */
        private void offer(ServiceChange change) {
            synchronized (SubscribedService.this) {
                if (offered == null) {
                    offered = change.now();
                }
            }
            delivery.offer(change);
        }

        /** Delivers the list, if there is one. Call without locks. */
        void start() {
            delivery.start();
            ServiceView known;
            synchronized (SubscribedService.this) {
                known = offered;
            }
            if (known != null) {
                first.complete(known);
            }
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
