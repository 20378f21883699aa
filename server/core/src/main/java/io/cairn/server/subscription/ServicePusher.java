package io.cairn.server.subscription;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceListener;
import io.cairn.server.naming.ServiceView;
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
 * Brings changed services to their subscribers: the first change at once, those that follow while the same service was
 * just brought together, after a rest that grows with what bringing it costs. Thread-safe.
 */
public final class ServicePusher implements ServiceListener, AutoCloseable {

    /** The cost of a push, measured roughly: a share for each receiver and one for each byte it gets. */
    private static final long NANOS_PER_RECEIVER = 10_000;

    private static final long NANOS_PER_BYTE = 2;
    /** Shorter rests are not worth a timer. */
    private static final long SHORTEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** By then a client has surely taken in the answer to its subscription. */
    private static final long ANSWER_TAKEN_MILLIS = 500;

    private final NamingService naming;
    private final ServiceSubscriptions subscriptions;
    private final PushDispatcher<Selection> dispatcher;
    private final RequestIds requestIds;
    private final PushKind kind;
    private final Timer timer;
    private final String serverIp;

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
        this.requestIds = requestIds;
        this.kind = kind;
        this.timer = timer;
        this.serverIp = serverIp;
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

    /** Brings everything to everybody, after pushes were switched on again. */
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
            watched.shown(view);
        }
        return ServicePush.of(kind, view, this::encoded, changedNanos);
    }

    private ServicePush.Encoded encoded(ServiceView view) {
        return view.answer(
                ServiceView.Form.GRPC_PUSH, shown -> ServicePush.Encoded.of(shown, requestIds.next(), serverIp));
    }

    /**
     * Sees to it that a new subscriber ends on the newest state: it is brought once more when the answer to the
     * subscription must have been taken in. For that answer may be lost on the client in two ways, both seen with official
     * Java clients: it travels beside the push of a change right after it, and the one taken in last is kept; and after a
     * reconnect the client subscribes anew without looking at the answer.
     *
     * @param answered what the subscriber was answered, but for its labels
     */
    public void subscribed(WatchedKey<Selection> watched, ClientConnection connection, ServiceView answered) {
        subscribed(watched, connection, () -> subscriptions.isSubscribed(watched, connection), answered);
    }

    /**
     * As {@link #subscribed(Watched, ClientConnection, ServiceView)}, for any watcher.
     *
     * @param isSubscribed whether it still is, asked when it would be brought the list
     */
    public void subscribed(
            WatchedKey<Selection> watched, Watcher watcher, BooleanSupplier isSubscribed, ServiceView answered) {
        answered(watched, watcher, answered);
        timer.newTimeout(
                fired -> {
                    // Where pushes are switched off, it is brought with all others once they are on again.
                    if (naming.switches().pushEnabled() && isSubscribed.getAsBoolean()) {
                        dispatcher.bringTo(watched, watcher);
                    }
                },
                ANSWER_TAKEN_MILLIS,
                TimeUnit.MILLISECONDS);
    }

    /**
     * Keeps in mind what a watcher was answered that asks by itself.
     *
     * @param answered all instances of the selection, healthy or not, whatever labels the watcher has
     */
    public void answered(WatchedKey<Selection> watched, Watcher watcher, ServiceView answered) {
        if (watched.lastShown() == answered) {
            return;
        }
        // A change must not be brought between the look and what follows from it.
        synchronized (watched) {
            if (!(watched.lastShown() instanceof ServiceView last)) {
                if (watched.isOnlyWatcher(watcher)) {
                    watched.shown(answered);
                }
            } else if (!answered.showsTheSameAs(last)) {
                // It knows a state that the others were not told yet: should the service go back to what they know
                // before they are, it must be brought all the same.
                watched.forgetShown();
            } else {
                // The next who is answered it need not compare.
                watched.shown(answered);
            }
        }
    }

    private static long restNanos(Push push, int receivers) {
        long cost = receivers * (NANOS_PER_RECEIVER + push.sizeBytes() * NANOS_PER_BYTE);
        return cost < SHORTEST_REST_NANOS ? 0 : Math.min(cost, LONGEST_REST_NANOS);
    }

    @Override
    public void close() {
        dispatcher.close();
    }
}
