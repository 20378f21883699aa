package io.cairn.client.naming;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.FollowedList;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.client.Origin;
import io.cairn.client.internal.Delivery;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One subscribed service: what is known of it, and who wants to know. Thread-safe. */
final class SubscribedService {

    /** A list that is older by more was not overtaken on its way: the server's clock was set back. */
    private static final long LATE_MILLIS = 10_000;

    /** The effect of a list from the server. */
    enum Taken {
        NEWS,
        OLD,
        /** It is empty, and not believed before it is asked for again. */
        HELD_BACK,
        /** It says only what has changed in a list that is not here. */
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

    /** The list as the server sent it over {@link #followedOver}, also an empty one that is not accepted yet. */
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

    /** Adds someone; they are called only after {@link Watch#start}. */
    synchronized Watch add(ServiceListener listener, Executor executor, Runnable onClose) {
        Watch watch = new Watch(listener, executor, onClose);
        watches.add(watch);
        ServiceView now = view;
        if (now != null) {
            watch.offer(ServiceChange.between(ServiceView.nothing(service, now.fetchedAt()), now));
        }
        return watch;
    }

    /** Whether nobody is left. */
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

    /** The holding time is over: the next empty list is believed. */
    synchronized void believe(Object held) {
        if (holding == held) {
            certain = true;
        }
    }

    /** A token of the present holding time; null when nothing is held back. */
    synchronized @Nullable Object holding() {
        return holding;
    }

    /** The revision of the list that came over that connection; 0 when there is none. */
    synchronized long revision(Object from) {
        return from == followedOver ? followed.revision() : 0;
    }

    /** The next list is to be a whole one. */
    synchronized void forgetRevision() {
        followedOver = null;
    }

    /**
     * Takes a whole list from the server.
     *
     * @param from the connection that brought it
     * @param made when the server made it; within one connection an older one is no news
     * @param revision 0 when the server has told none
     */
    Taken take(List<Instance> instances, Object from, long made, long revision) {
        Effect effect;
        synchronized (this) {
            if (from != followedOver) {
                followed = new FollowedList();
                followedOver = from;
            } else if (revision != 0 && revision < followed.revision()) {
                // An answer was overtaken by a push. Its time does not tell: it may be that of a change of long ago.
                return Taken.OLD;
            }
            followed.take(instances, revision);
            effect = accept(instances, from, made);
        }
        return effect.start();
    }

    /** Takes what has changed. */
    Taken take(ServiceDelta delta, Object from) {
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

    /** The effect of a list, with the watches that are to be started when the lock is no longer held. */
    private record Effect(Taken taken, List<Watch> told) {

        static Effect of(Taken taken) {
            return new Effect(taken, List.of());
        }

        /** Listeners may be called at once, and they may do anything. */
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

    /** Those who are to be told. */
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

    /** One of those who want to know. */
    final class Watch implements ServiceWatch {

        private final CompletableFuture<ServiceView> first = new CompletableFuture<>();
        private final Delivery<ServiceChange> delivery;
        private final Runnable onClose;
        /** The first state. */
        @GuardedBy("SubscribedService.this")
        private @Nullable ServiceView offered;

        private Watch(ServiceListener listener, Executor executor, Runnable onClose) {
            this.onClose = onClose;
            delivery = new Delivery<>(service.toString(), executor, ServiceChange::then, listener::onChange);
        }

        /** Called with the lock of the service held, so that the changes are offered in their order. */
        private void offer(ServiceChange change) {
            synchronized (SubscribedService.this) {
                if (offered == null) {
                    offered = change.now();
                }
            }
            delivery.offer(change);
        }

        /** Calls the listener and those who wait for the first state, if there is anything to tell; hold no lock. */
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
