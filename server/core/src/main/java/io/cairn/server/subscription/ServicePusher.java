package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceListener;
import io.cairn.server.naming.ServiceView;
import io.cairn.server.naming.ViewDelta;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushDispatcher;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.netty.util.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Pushes changed services to their subscribers. The first change is pushed at once; changes that follow soon are pushed
 * together, after a pause that grows with the cost of the push. Thread-safe.
 */
public final class ServicePusher implements ServiceListener, AutoCloseable {

    /**
     * The cost of a push, measured roughly: a share for each receiver, one for each byte it gets, and one for each
     * instance, because every change makes a new list and compares it with the one before.
     */
    private static final long NANOS_PER_RECEIVER = 10_000;

    private static final long NANOS_PER_BYTE = 2;
    private static final long NANOS_PER_INSTANCE = 200;
    /** Shorter rests are not worth a timer. */
    private static final long SHORTEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** After this time a client has handled the answer to its subscription. */
    private static final long ANSWER_TAKEN_MILLIS = 500;

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final PushDispatcher<Selection> dispatcher;
    private final ServiceMessages messages;
    private final PushKind kind;
    private final Timer timer;

    /** @param serverIp the address that pushes name as their sender */
    public ServicePusher(
            NamingService naming,
            ServiceSubscriptions subscriptions,
            RequestIds requestIds,
            PushKind kind,
            Timer timer,
            String serverIp) {
        this.naming = naming;
        this.subscriptions = subscriptions;
        this.messages = new ServiceMessages(requestIds, serverIp);
        this.kind = kind;
        this.timer = timer;
        this.dispatcher = new PushDispatcher<>(
                "cairn-push-2", subscriptions.bySelection(), this::create, ServicePusher::restNanos);
    }

    public void start() {
        dispatcher.start();
    }

    /** The meters of the pushes of services. */
    public PushMeters meters() {
        return kind.meters();
    }

    @Override
    public void changed(ServiceKey service, Presence presence) {
        if (naming.switches().pushEnabled()) {
            subscriptions.forEachSelection(service, dispatcher::changed);
        }
    }

    /** Pushes all services to all subscribers, after pushes were switched on again. */
    public void bringAll() {
        subscriptions.all().forEach(dispatcher::changed);
    }

    private @Nullable Push create(WatchedKey<Selection> watched, long changedNanos) {
        Selection selection = watched.key();
        ServiceView view = naming.view(selection.service(), selection.clusters(), false);
        // The dispatcher holds this lock already; taking it again lets the compiler check it.
        synchronized (watched) {
            if (watched.lastShown() instanceof ServiceView last && view.showsTheSameAs(last)) {
                return null;
            }
            ViewDelta delta = watched.formerlyShown() instanceof ServiceView former
                    ? view.since(former.snapshot().version())
                    : view.recently();
            watched.shown(view);
            return ServicePush.of(kind, view, delta, messages, watched.inFirstSpelling(), changedNanos)
                    .encoded();
        }
    }

    /**
     * Makes sure that a new subscriber ends with the newest state: the service is pushed once more when the client must
     * have handled the answer to its subscription. The client can lose that answer in two ways, both seen with official
     * Java clients. The answer may arrive together with the push of a change right after it, and the one that is
     * handled last is kept. After a reconnect the client subscribes again and ignores the answer.
     *
     * @param answered the answer to the subscriber, before its labels were applied
     */
    public void subscribed(WatchedKey<Selection> watched, ClientConnection connection, ServiceView answered) {
        subscribed(watched, connection, () -> subscriptions.isSubscribed(watched, connection), answered);
    }

    /**
     * As {@link #subscribed(WatchedKey, ClientConnection, ServiceView)}, for any watcher.
     *
     * @param isSubscribed whether it still is, called when the list would be pushed
     */
    public void subscribed(
            WatchedKey<Selection> watched, Watcher watcher, BooleanSupplier isSubscribed, ServiceView answered) {
        answered(watched, watcher, answered);
        timer.newTimeout(
                fired -> {
                    // While pushes are switched off, nothing is sent; all services are pushed when they are switched on
                    // again.
                    if (naming.switches().pushEnabled() && isSubscribed.getAsBoolean()) {
                        dispatcher.bringTo(watched, watcher);
                    }
                },
                ANSWER_TAKEN_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Records the answer to a watcher that reads by itself.
     *
     * @param answered all instances of the selection, healthy or not, before the watcher's labels were applied
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
                // The watcher has a state that was not pushed to the others. If the service returns to the state that
                // the others have, this must still be pushed.
                watched.forgetShown();
            } else if (answered.snapshot().version() == last.snapshot().version()) {
                // Saves the comparison for the next watcher that gets this answer. A later version with the same
                // content is not
                // recorded: the next delta must begin at the version that the other watchers have.
                watched.shown(answered);
            }
        }
    }

    private static long restNanos(Push push, int receivers) {
        ServicePush pushed = (ServicePush) push;
        long cost = receivers * NANOS_PER_RECEIVER
                + pushed.totalBytes(receivers) * NANOS_PER_BYTE
                + pushed.view().hosts().size() * NANOS_PER_INSTANCE;
        return cost < SHORTEST_REST_NANOS ? 0 : Math.min(cost, LONGEST_REST_NANOS);
    }

    @Override
    public void close() {
        dispatcher.close();
    }
}
