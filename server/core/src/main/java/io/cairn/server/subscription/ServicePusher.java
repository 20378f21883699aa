package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.registry.ServiceListener;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.naming.view.ViewDelta;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.netty.util.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pushes changed services. The first change is pushed at once. Changes soon after it are pushed together, after a pause that grows
 * with the push's cost.
 */
public final class ServicePusher implements ServiceListener, AutoCloseable {

    /**
     * The measured cost of a push: a share for each receiver, one for each of its bytes, and one for each instance, because every
     * change makes and compares a list.
     */
    private static final long NANOS_PER_RECEIVER = 10_000;

    private static final long NANOS_PER_BYTE = 2;
    private static final long NANOS_PER_INSTANCE = 200;
    /** Shorter cool-downs need no timer. */
    private static final long SHORTEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** A client has handled the answer to its subscription after this time. */
    private static final long ANSWER_TAKEN_MILLIS = 500;

    private final RegistryView reads;
    private final Switches switches;
    private final ServiceSubscriptions subscriptions;
    private final PushDispatcher<Selection> dispatcher;
    private final ServiceMessages messages;
    private final PushKind kind;
    private final Timer timer;

    /** The subscribers with a push to come after the answer to their subscription. */
    private final Map<Answered, Pushed> answers = new ConcurrentHashMap<>();

    private record Answered(WatchedKey<Selection> watched, Watcher watcher) {}

    /** @param count the number of pushes to come */
    private record Pushed(int count, List<Runnable> callbacks) {

        Pushed oneMore() {
            return new Pushed(count + 1, callbacks);
        }

        Pushed calling(Runnable callback) {
            List<Runnable> all = new ArrayList<>(callbacks);
            all.add(callback);
            return new Pushed(count, all);
        }
    }

    /** @param serverIp the sender in pushes */
    public ServicePusher(
            RegistryView reads,
            Switches switches,
            ServiceSubscriptions subscriptions,
            RequestIds requestIds,
            PushKind kind,
            Timer timer,
            String serverIp) {
        this.reads = reads;
        this.switches = switches;
        this.subscriptions = subscriptions;
        this.messages = new ServiceMessages(requestIds, serverIp);
        this.kind = kind;
        this.timer = timer;
        this.dispatcher = new PushDispatcher<>(
                "cairn-push-2", subscriptions.bySelection(), this::create, ServicePusher::coolDownNanos);
    }

    public void start() {
        dispatcher.start();
    }

    public PushMeters meters() {
        return kind.meters();
    }

    @Override
    public void changed(ServiceKey service, Presence presence) {
        if (switches.pushEnabled()) {
            subscriptions.forEachSelection(service, dispatcher::changed);
        }
    }

    /** Pushes the present state at once to the subscribers without it. False while pushes are switched off. */
    public boolean pushNow(ServiceKey service) {
        if (!switches.pushEnabled()) {
            return false;
        }
        subscriptions.forEachSelection(service, dispatcher::dispatchNow);
        return true;
    }

    /** Pushes all services, after pushes were switched on again. */
    public void dispatchAll() {
        subscriptions.all().forEach(dispatcher::changed);
    }

    private @Nullable Push create(WatchedKey<Selection> watched, long changedNanos) {
        Selection selection = watched.key();
        ServiceView view = reads.view(selection.service(), selection.clusters(), false);
        // The dispatcher holds this lock already; taking it again lets the compiler check it.
        synchronized (watched) {
            if (watched.lastShown() instanceof ServiceView last && view.showsTheSameAs(last)) {
                return null;
            }
            ViewDelta delta = watched.formerlyShown() instanceof ServiceView former
                    ? view.since(former.snapshot().version())
                    : view.recently();
            watched.shown(view);
            return ServicePush.of(kind, view, delta, messages, watched.inFirstVariant(), changedNanos)
                    .encoded();
        }
    }

    /**
     * Gives a new subscriber the newest state: pushes the service again when the client must have handled the answer to its
     * subscription. Official Java clients can lose that answer in two ways. It may arrive together with a push right after it, and
     * the client keeps the one handled last. After a reconnect the client subscribes again and ignores the answer.
     *
     * @param answered the answer, before the subscriber's labels were applied
     */
    public void subscribed(WatchedKey<Selection> watched, ClientConnection connection, ServiceView answered) {
        subscribed(watched, connection, () -> subscriptions.isSubscribed(watched, connection), answered);
    }

    /**
     * As {@link #subscribed(WatchedKey, ClientConnection, ServiceView)}, for any watcher.
     *
     * @param isSubscribed called before the push
     */
    public void subscribed(
            WatchedKey<Selection> watched, Watcher watcher, BooleanSupplier isSubscribed, ServiceView answered) {
        answered(watched, watcher, answered);
        Answered subscriber = new Answered(watched, watcher);
        answers.compute(subscriber, (same, before) -> before == null ? new Pushed(1, List.of()) : before.oneMore());
        timer.newTimeout(
                fired -> {
                    // While pushes are switched off, nothing is sent; later all services are pushed.
                    if (switches.pushEnabled() && isSubscribed.getAsBoolean()) {
                        dispatcher.dispatchTo(watched, watcher);
                    }
                    taken(subscriber);
                },
                ANSWER_TAKEN_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    private void taken(Answered subscriber) {
        List<Runnable> callbacks = new ArrayList<>(0);
        answers.computeIfPresent(subscriber, (same, before) -> {
            if (before.count > 1) {
                return new Pushed(before.count - 1, before.callbacks);
            }
            callbacks.addAll(before.callbacks);
            return null;
        });
        callbacks.forEach(Runnable::run);
    }

    /**
     * Calls back after the push that follows the answer to a subscription: at once without such a push. A client that has
     * subscribed again after a reconnect has its former list until then.
     */
    void whenAnswerTaken(WatchedKey<Selection> watched, Watcher watcher, Runnable callback) {
        Pushed pending =
                answers.computeIfPresent(new Answered(watched, watcher), (same, before) -> before.calling(callback));
        if (pending == null) {
            callback.run();
        }
    }

    /**
     * Records the answer to a watcher that reads by itself.
     *
     * @param answered all instances of the selection, before the watcher's labels were applied
     */
    public void answered(WatchedKey<Selection> watched, Watcher watcher, ServiceView answered) {
        if (watched.lastShown() == answered) {
            return;
        }
        // No change may be dispatched between the comparison and its effect.
        synchronized (watched) {
            if (!(watched.lastShown() instanceof ServiceView last)) {
                if (watched.isOnlyWatcher(watcher)) {
                    watched.shown(answered);
                }
            } else if (!answered.showsTheSameAs(last)) {
                // The watcher has a state that was not pushed to the others. A return to their state must still be
                // pushed.
                watched.forgetShown();
            } else if (answered.snapshot().version() == last.snapshot().version()) {
                // Saves the comparison for the next watcher with this answer. A later version with the same content is
                // not recorded: the next delta must begin at the other watchers' version.
                watched.shown(answered);
            }
        }
    }

    private static long coolDownNanos(Push push, int receivers) {
        ServicePush pushed = (ServicePush) push;
        long cost = receivers * NANOS_PER_RECEIVER
                + pushed.totalBytes(receivers) * NANOS_PER_BYTE
                + pushed.view().hosts().size() * NANOS_PER_INSTANCE;
        return cost < SHORTEST_REST_NANOS ? 0 : Math.min(cost, LONGEST_REST_NANOS);
    }

    /** The selections of changed services whose subscribers wait for the change. */
    public int pending() {
        return dispatcher.pending();
    }

    @Override
    public void close() {
        dispatcher.close();
    }
}
