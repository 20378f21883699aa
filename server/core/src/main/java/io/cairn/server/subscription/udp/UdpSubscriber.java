package io.cairn.server.subscription.udp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.auth.Principal;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.push.Push;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.subscription.Selection;
import io.cairn.server.subscription.ServicePush;
import io.cairn.server.subscription.ServicePusher;
import io.cairn.server.subscription.Subscriber;
import io.cairn.server.timer.LoopTask;
import io.netty.util.Timeout;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client that listed a service and receives its changes at a UDP port. At most one push is unacknowledged: a newer one replaces
 * it. The pushes belong to the channel's event loop; the lock protects time and user of the last list.
 */
final class UdpSubscriber implements Watcher, Subscriber.Described {

    private static final Logger log = LoggerFactory.getLogger(UdpSubscriber.class);

    private static final int MAX_SENDS = 2;
    /** A client without acknowledgements gets no further pushes until it lists again: its address may be false. */
    private static final int MAX_SILENT_PUSHES = 2;

    private final UdpSubscribers home;
    private final Key key;
    private final String agent;
    private final String app;
    private final long expiryNanos;

    @GuardedBy("this")
    private @Nullable WatchedKey<Selection> watched;

    @GuardedBy("this")
    private long lastListedNanos;

    private volatile long lastListedMillis;

    /** Written with this lock held, read without it. */
    private volatile boolean closed;

    @GuardedBy("this")
    private Principal listedBy = Principal.ANONYMOUS;

    private final AtomicInteger silentPushes = new AtomicInteger();

    private @Nullable Datagram inFlight;
    private @Nullable PushMeters meters;
    private long changedNanos;
    private int sends;
    private @Nullable Timeout timeout;
    /** The version of the last pushed list + 1; 0 once the client has it. Written on the loop. */
    private volatile long unseen;

    private List<Runnable> settling = List.of();

    record Key(Selection selection, InetSocketAddress address) {

        String ip() {
            return address.getAddress().getHostAddress();
        }

        int port() {
            return address.getPort();
        }

        /** The name of clients without a connection in versions 2 and 3 of the HTTP API. */
        String clientId() {
            return ip() + ':' + port() + "#true";
        }
    }

    /** @param nowMillis the same moment as the nanoseconds, in epoch milliseconds */
    UdpSubscriber(
            UdpSubscribers home, Key key, String agent, String app, long expiryNanos, long nowNanos, long nowMillis) {
        this.home = home;
        this.key = key;
        this.agent = agent;
        this.app = app;
        this.expiryNanos = expiryNanos;
        this.lastListedNanos = nowNanos;
        this.lastListedMillis = nowMillis;
    }

    Key key() {
        return key;
    }

    synchronized void watches(WatchedKey<Selection> now) {
        watched = now;
    }

    /** @param shown all listed instances */
    void answered(ServicePusher pusher, ServiceView shown) {
        WatchedKey<Selection> present;
        synchronized (this) {
            present = watched;
        }
        if (present != null) {
            pusher.answered(present, this, shown);
            long seen = shown.snapshot().version() + 1;
            if (unseen != 0 && seen >= unseen) {
                onLoop(() -> {
                    if (seen >= unseen) {
                        settled();
                    }
                });
            }
        }
    }

    /** A client that sends no acknowledgement is settled by its next list. */
    @Override
    public void whenSettled(WatchedKey<?> key, Runnable callback) {
        onLoop(() -> {
            if (closed || unseen == 0) {
                callback.run();
            } else {
                settling = new ArrayList<>(settling);
                settling.add(callback);
            }
        });
    }

    private void onLoop(Runnable task) {
        try {
            loop().execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loop of the UDP subscribers has ended with the server", e);
        }
    }

    private void settled() {
        unseen = 0;
        List<Runnable> callbacks = settling;
        settling = List.of();
        callbacks.forEach(Runnable::run);
    }

    /** False when it has expired. */
    synchronized boolean listedAgain(Principal by, long nowNanos, long nowMillis) {
        if (closed) {
            return false;
        }
        lastListedNanos = nowNanos;
        lastListedMillis = nowMillis;
        listedBy = by;
        silentPushes.set(0);
        return true;
    }

    /** In epoch milliseconds. */
    long lastListedMillis() {
        return lastListedMillis;
    }

    /** The time until it expires; 0 when it just did, or is closed. */
    synchronized long closeIfOverdue(long nowNanos) {
        if (closed) {
            // Closed by endUnless: a second close would count one watcher less twice.
            return 0;
        }
        long left = lastListedNanos + expiryNanos - nowNanos;
        if (left > 0) {
            return left;
        }
        close();
        return 0;
    }

    /** Ends the subscription if its last caller lost the right to the service; returns whether it did. */
    synchronized boolean endUnless(BiPredicate<Principal, WatchedKey<?>> maySee) {
        WatchedKey<Selection> present = watched;
        if (closed || present == null || maySee.test(listedBy, present)) {
            return false;
        }
        close();
        return true;
    }

    @GuardedBy("this")
    private void close() {
        closed = true;
        if (watched != null) {
            watched.closed();
        }
        if (unseen != 0) {
            onLoop(this::settled);
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public Executor loop() {
        return home.loop();
    }

    @Override
    public Subscriber describe(String clusters) {
        return new Subscriber(key.clientId(), key.ip(), key.port(), agent, app, clusters);
    }

    @Override
    public String address() {
        return key.ip();
    }

    @Override
    public void changed(WatchedKey<?> changed, Push push) {
        if (closed || !(push instanceof ServicePush service)) {
            return;
        }
        unseen = service.view().snapshot().version() + 1;
        if (silentPushes.get() >= MAX_SILENT_PUSHES) {
            return;
        }
        Datagram datagram = service.view().answer(ServiceView.Form.UDP, home::datagram);
        done();
        if (datagram.bytes() == null) {
            return;
        }
        inFlight = datagram;
        meters = push.kind().meters();
        changedNanos = push.committedNanos();
        sends = 0;
        send(datagram);
    }

    private void send(Datagram datagram) {
        sends++;
        if (meters != null) {
            meters.sent();
        }
        home.send(this, datagram);
        timeout = home.afterAckTimeout(new LoopTask(loop(), fired -> unanswered(datagram)));
    }

    private void unanswered(Datagram datagram) {
        if (inFlight == null || inFlight.id() != datagram.id()) {
            return;
        }
        if (meters != null) {
            meters.failed();
        }
        if (sends < MAX_SENDS && !closed) {
            send(datagram);
        } else {
            silentPushes.incrementAndGet();
            done();
        }
    }

    void acknowledged() {
        silentPushes.set(0);
        if (meters != null) {
            meters.acknowledged(changedNanos);
        }
        done();
        settled();
    }

    private void done() {
        if (inFlight != null) {
            home.forget(this, inFlight);
            inFlight = null;
        }
        if (timeout != null) {
            timeout.cancel();
            timeout = null;
        }
    }
}
