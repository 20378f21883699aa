package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way to one receiver. A key waits at most once, in its newest state, so a receiver that reads slowly
 * costs one entry for each key it watches; what was sent is repeated until it is acknowledged, and a receiver that never
 * acknowledges is closed.
 *
 * <p>Used on the receiver's event loop alone. Holds nothing while nothing is on its way.
 */
public final class PushQueue {

    private final Receiver receiver;
    private final PushSettings settings;
    private final PushMeters meters;
    private final Timer timer;
    private @Nullable Map<Watched<?>, Waiting> waiting;
    private @Nullable Map<String, InFlight> inFlight;
    private @Nullable Timeout timeout;

    /** Where the pushes of one queue go. */
    public interface Receiver {

        /** The event loop that the queue is used on. */
        Executor loop();

        boolean isClosed();

        /** Whether the transport takes more at the moment; when it does again, {@link PushQueue#drain} is to be called. */
        boolean isReady();

        void send(Payload payload);

        /** Gives the receiver up: it did not acknowledge for too long. */
        void drop(String reason);
    }

    public PushQueue(Receiver receiver, PushSettings settings, PushMeters meters, Timer timer) {
        this.receiver = receiver;
        this.settings = settings;
        this.meters = meters;
        this.timer = timer;
    }

    /** Adds a push; an older one of the same key that still waits, or is unanswered, is forgotten. */
    public void add(Watched<?> watched, Push push, int spelling) {
        Map<Watched<?>, Waiting> map = waiting;
        if (map == null) {
            if (canSend()) {
                send(watched, push, spelling, 0);
                armTimer();
                return;
            }
            map = new LinkedHashMap<>();
            waiting = map;
        }
        map.put(watched, new Waiting(push, spelling));
        drain();
    }

    /** Sends what waits, as far as the transport takes it. */
    public void drain() {
        Map<Watched<?>, Waiting> map = waiting;
        if (map == null) {
            return;
        }
        Iterator<Map.Entry<Watched<?>, Waiting>> next = map.entrySet().iterator();
        while (next.hasNext() && canSend()) {
            Map.Entry<Watched<?>, Waiting> entry = next.next();
            next.remove();
            send(entry.getKey(), entry.getValue().push, entry.getValue().spelling, 0);
        }
        if (map.isEmpty()) {
            waiting = null;
        }
        armTimer();
    }

    private boolean canSend() {
        Map<String, InFlight> unanswered = inFlight;
        return receiver.isReady() && (unanswered == null || unanswered.size() < settings.maxInFlight());
    }

    private void send(Watched<?> watched, Push push, int spelling, int retries) {
        Map<String, InFlight> unanswered = inFlight;
        if (unanswered == null) {
            unanswered = new LinkedHashMap<>(4);
            inFlight = unanswered;
        } else if (retries == 0) {
            unanswered.values().removeIf(older -> older.watched == watched);
        }
        unanswered.put(
                push.requestId(),
                new InFlight(
                        watched,
                        push,
                        spelling,
                        retries,
                        System.nanoTime() + settings.ackTimeout().toNanos()));
        meters.sent();
        receiver.send(push.payload(spelling));
    }

    /**
     * Takes a receiver's answer.
     *
     * @param requestId of the push it answers; null when the client names none: then it answers the oldest of its kind
     * @return false when nothing was waiting for it
     */
    public boolean answered(@Nullable String requestId, String replyType, boolean success) {
        Map<String, InFlight> unanswered = inFlight;
        if (unanswered == null) {
            return false;
        }
        String id = requestId != null ? requestId : oldest(unanswered, replyType);
        InFlight answered = id == null ? null : unanswered.get(id);
        if (answered == null) {
            return false;
        }
        if (success) {
            unanswered.remove(id);
            meters.acknowledged(answered.push.committedNanos());
            if (unanswered.isEmpty()) {
                inFlight = null;
                cancelTimer();
            }
            drain();
        } else {
            retryLater(answered, System.nanoTime());
            armTimer();
        }
        return true;
    }

    private static @Nullable String oldest(Map<String, InFlight> unanswered, String replyType) {
        for (Map.Entry<String, InFlight> entry : unanswered.entrySet()) {
            if (entry.getValue().push.replyType().equals(replyType)) {
                return entry.getKey();
            }
        }
        return null;
    }

    private void retryLater(InFlight failed, long nowNanos) {
        meters.failed();
        failed.awaitsRetry = true;
        failed.dueNanos = nowNanos + settings.retryDelay().toNanos() * (failed.retries + 1);
    }

    private void onTimer() {
        timeout = null;
        Map<String, InFlight> unanswered = inFlight;
        if (unanswered == null || receiver.isClosed()) {
            return;
        }
        long now = System.nanoTime();
        List<InFlight> again = new ArrayList<>();
        for (InFlight push : unanswered.values()) {
            if (push.dueNanos - now > 0) {
                continue;
            }
            if (!push.awaitsRetry) {
                if (push.retries >= settings.maxRetries()) {
                    meters.dropped();
                    receiver.drop("it did not acknowledge a push within " + settings.maxRetries() + " repetitions");
                    return;
                }
                retryLater(push, now);
            } else if (receiver.isReady()) {
                again.add(push);
            } else {
                push.dueNanos = now + settings.retryDelay().toNanos();
            }
        }
        for (InFlight push : again) {
            unanswered.remove(push.push.requestId());
            send(push.watched, push.push, push.spelling, push.retries + 1);
        }
        armTimer();
    }

    /** Hangs on the wheel when something is unanswered; one time-out serves the whole queue. */
    private void armTimer() {
        Map<String, InFlight> unanswered = inFlight;
        if (timeout != null || unanswered == null) {
            return;
        }
        long due = Long.MAX_VALUE;
        long now = System.nanoTime();
        for (InFlight push : unanswered.values()) {
            due = Math.min(due, push.dueNanos - now);
        }
        timeout = timer.newTimeout(fired -> toLoop(), Math.max(0, due), TimeUnit.NANOSECONDS);
    }

    private void toLoop() {
        try {
            receiver.loop().execute(this::onTimer);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it the connection.
            timeout = null;
        }
    }

    private void cancelTimer() {
        Timeout present = timeout;
        if (present != null) {
            present.cancel();
            timeout = null;
        }
    }

    /** Forgets everything; the receiver is gone. */
    public void clear() {
        waiting = null;
        inFlight = null;
        cancelTimer();
    }

    /** Keys waiting or unanswered, for tests and meters. */
    public int size() {
        return (waiting == null ? 0 : waiting.size()) + (inFlight == null ? 0 : inFlight.size());
    }

    private record Waiting(Push push, int spelling) {}

    private static final class InFlight {

        private final Watched<?> watched;
        private final Push push;
        private final int spelling;
        private final int retries;
        private boolean awaitsRetry;
        private long dueNanos;

        InFlight(Watched<?> watched, Push push, int spelling, int retries, long dueNanos) {
            this.watched = watched;
            this.push = push;
            this.spelling = spelling;
            this.retries = retries;
            this.dueNanos = dueNanos;
        }
    }
}
