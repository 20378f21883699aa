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
 * The events of one reader, as the body of an answer that has no end. Equal events are sent once; a reader who is slower
 * than what happens is told to read all anew instead of getting a long list. Every so often something is sent in any case:
 * so a broken line is noticed on both sides, and the stream ends soon after the right to it. Thread-safe.
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
            // Events within this time are sent together.
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
            // Nobody else hears of it, and a reader without an answer would be counted for ever.
            log.error("A stream of events ends on a defect of the server", e);
            piece = null;
        }
        if (piece == null) {
            close();
        }
        waiter.complete(piece);
    }

    /** The events that the reader may see; null when it may not see any more. */
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

    /** Ends it properly: the reader is told that there is no more. */
    void end() {
        CompletableFuture<byte @Nullable []> waiter;
        synchronized (this) {
            // Both in one step: a reader that asks between them would wait for ever.
            ended = true;
            waiter = waiting;
            waiting = null;
        }
        close();
        if (waiter != null) {
            waiter.complete(null);
        }
    }

    /** Ends it; idempotent. */
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
