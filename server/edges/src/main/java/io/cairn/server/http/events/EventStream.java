package io.cairn.server.http.events;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.auth.AccessPolicy;
import io.cairn.server.auth.Denial;
import io.cairn.server.auth.Identity;
import io.cairn.server.http.HttpBody;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of one reader as a body without end. Equal events are sent once; a slow reader is asked to read again instead of
 * receiving a long list. A heartbeat makes both sides notice a broken connection, and the stream ends soon after the right to it.
 */
public final class EventStream implements HttpBody {

    static final int MAX_PENDING = 200;
    private static final long GATHER_MILLIS = 50;
    private static final String HELLO = LiveEvent.text("hello", new JsonOutput(8));
    private static final String RELOAD = LiveEvent.text("reload", new JsonOutput(8));
    private static final String HEARTBEAT = ": still here\n\n";
    private static final Logger log = LoggerFactory.getLogger(EventStream.class);

    private final EventHub hub;
    private final AccessPolicy policy;
    private final Supplier<Identity> who;
    private final Namespace namespace;
    private final @Nullable ConfigKey listenersOf;
    private final Timer timer;
    private final long heartbeatMillis;

    @GuardedBy("this")
    private final Set<LiveEvent> pending = new LinkedHashSet<>();

    @GuardedBy("this")
    private @Nullable CompletableFuture<byte @Nullable []> waiting;

    @GuardedBy("this")
    private @Nullable Timeout timeout;

    @GuardedBy("this")
    private boolean gathering;

    @GuardedBy("this")
    private boolean overflown;

    @GuardedBy("this")
    private boolean greeted;

    @GuardedBy("this")
    private boolean ended;

    EventStream(
            EventHub hub,
            AccessPolicy policy,
            Supplier<Identity> who,
            Namespace namespace,
            @Nullable ConfigKey listenersOf,
            Timer timer,
            long heartbeatMillis) {
        this.hub = hub;
        this.policy = policy;
        this.who = who;
        this.namespace = namespace;
        this.listenersOf = listenersOf;
        this.timer = timer;
        this.heartbeatMillis = heartbeatMillis;
    }

    @Override
    public long length() {
        return UNKNOWN_LENGTH;
    }

    @Override
    public boolean isEndless() {
        return true;
    }

    boolean wantsListenersOf(ConfigKey key) {
        return key.equals(listenersOf);
    }

    synchronized void offer(LiveEvent event) {
        if (ended || overflown || !event.isFor(namespace)) {
            return;
        }
        pending.add(event);
        if (pending.size() > MAX_PENDING) {
            pending.clear();
            overflown = true;
        }
        if (waiting != null && !gathering) {
            // Gathers events for this time.
            wakeAfter(GATHER_MILLIS);
            gathering = true;
        }
    }

    @Override
    public synchronized CompletionStage<byte @Nullable []> next() {
        if (ended) {
            return CompletableFuture.completedFuture(null);
        }
        if (!greeted) {
            greeted = true;
            return CompletableFuture.completedFuture(HELLO.getBytes(StandardCharsets.UTF_8));
        }
        CompletableFuture<byte @Nullable []> next = new CompletableFuture<>();
        waiting = next;
        gathering = !pending.isEmpty() || overflown;
        wakeAfter(gathering ? GATHER_MILLIS : heartbeatMillis);
        return next;
    }

    @GuardedBy("this")
    private void wakeAfter(long millis) {
        if (timeout != null) {
            timeout.cancel();
        }
        timeout = timer.newTimeout(fired -> send(), millis, TimeUnit.MILLISECONDS);
    }

    private void send() {
        CompletableFuture<byte @Nullable []> waiter;
        List<LiveEvent> events;
        boolean all;
        synchronized (this) {
            waiter = waiting;
            if (waiter == null || ended) {
                return;
            }
            waiting = null;
            gathering = false;
            events = new ArrayList<>(pending);
            pending.clear();
            all = overflown;
            overflown = false;
        }
        byte[] piece;
        try {
            piece = piece(all, events);
        } catch (RuntimeException | Error e) {
            // No other code reports it, and the stream would stay open.
            log.error("A stream of events ends on a defect of the server", e);
            piece = null;
        }
        if (piece == null) {
            close();
        }
        waiter.complete(piece);
    }

    /** The events that the reader may see, or null. */
    private byte @Nullable [] piece(boolean all, List<LiveEvent> events) {
        Identity reader = who.get();
        if (reader instanceof Denial) {
            return null;
        }
        StringBuilder text = new StringBuilder();
        if (all) {
            text.append(RELOAD);
        }
        for (LiveEvent event : events) {
            if (event.mayBeSeen(policy, reader)) {
                text.append(event.text());
            }
        }
        return (text.isEmpty() ? HEARTBEAT : text.toString()).getBytes(StandardCharsets.UTF_8);
    }

    /** Ends the stream; the reader sees the end. */
    void end() {
        CompletableFuture<byte @Nullable []> waiter;
        synchronized (this) {
            // In one step: a reader between the two would wait forever.
            ended = true;
            waiter = waiting;
            waiting = null;
        }
        close();
        if (waiter != null) {
            waiter.complete(null);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            ended = true;
            pending.clear();
            if (timeout != null) {
                timeout.cancel();
            }
        }
        hub.closed(this);
    }
}
