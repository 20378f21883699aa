package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import io.cairn.server.timer.LoopTask;
import io.netty.util.Timeout;
import io.netty.util.Timer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One receiver's pushes. A key has at most one pending push, with its newest state, so a slow receiver costs one entry for each
 * watched key. A sent push is retried until it is acknowledged; a receiver that never acknowledges is closed.
 *
 * <p>For the receiver's event loop only. The queue has one time-out on the timer wheel, which an acknowledgement does not move, so
 * that a steady flow does not load the wheel. When it fires on an empty queue, the receiver may drop the queue.
 */
public final class PushQueue {

    private static final long MAX_BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(300);

    /**
     * After this time an unacknowledged push no longer counts against the limit if others are pending. The Go SDK does not
     * acknowledge pushes of forgotten keys; some hundreds of those would otherwise delay all others until their time-outs.
     */
    static final long PLACE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Receiver receiver;
    private final int maxInFlight;
    private final PushBudget budget;
    private final Timer timer;
    private final LongSupplier nanoTime;
    private final @Nullable AckCoalescer answers;
    private @Nullable Map<Object, Waiting> waiting;
    private final Map<String, InFlight> inFlight = new LinkedHashMap<>(4);
    private @Nullable Timeout timeout;
    /** Null without a wait; see {@link #whenSettled}. */
    private @Nullable Map<Object, List<Runnable>> settling;

    private int awaitingAnswer;
    // Independent reasons for pending pushes; several may apply.
    /** The transport is not writable. */
    private boolean blocked;
    /** Whether a large push waits for the shared budget. */
    private boolean awaitingBudget;
    /** The unacknowledged pushes have reached the limit. */
    private boolean awaitingPlace;

    private long blockedUntilNanos;
    private long placeNanos;
    private long wakeNanos;

    /** The receiver of one queue. */
    public interface Receiver {

        /** The event loop of the queue. */
        Executor loop();

        boolean isClosed();

        /** Whether the transport is writable; when it becomes so again, {@link PushQueue#drain} must be called. */
        boolean isReady();

        void send(Payload payload);

        /** Closes the receiver, which has not acknowledged or read for too long. */
        void drop(String reason);

        /** The queue has been empty for a while without a time-out, so it can be dropped. */
        void idle();
    }

    /**
     * Call it on the receiver's event loop.
     *
     * @param maxInFlight unacknowledged pushes younger than {@value #PLACE_NANOS} nanoseconds; further ones are pending, one for
     *     each key
     * @param budget shared with all receivers
     */
    public PushQueue(Receiver receiver, int maxInFlight, PushBudget budget, Timer timer) {
        this(receiver, maxInFlight, budget, timer, System::nanoTime, AckCoalescer.ofThisLoop());
    }

    /**
     * @param nanoTime replaces {@link System#nanoTime} in tests
     * @param answers receives the number of awaited acknowledgements
     */
    PushQueue(
            Receiver receiver,
            int maxInFlight,
            PushBudget budget,
            Timer timer,
            LongSupplier nanoTime,
            @Nullable AckCoalescer answers) {
        this.receiver = receiver;
        this.maxInFlight = maxInFlight;
        this.budget = budget;
        this.timer = timer;
        this.nanoTime = nanoTime;
        this.answers = answers;
    }

    /** Adds a push in place of its key's pending or unacknowledged push. */
    public void add(Object key, Push push, int variant) {
        Map<Object, Waiting> map = waiting;
        if (map == null) {
            if (canSend() && charge(push, variant)) {
                send(key, push, variant, 0);
                return;
            }
            map = new LinkedHashMap<>();
            waiting = map;
        }
        map.put(key, new Waiting(push, variant));
        drain();
    }

    /** Drops the key's push: it is neither sent nor retried. */
    public void forget(Object key) {
        Map<Object, Waiting> map = waiting;
        if (map != null && map.remove(key) != null && map.isEmpty()) {
            waiting = null;
        }
        inFlight.values().removeIf(push -> push.key.equals(key) && forget(push));
        drain();
        settled(key);
    }

    /** Calls back when the key has no pending or unacknowledged push: at once without one, at the latest at {@link #clear}. */
    public void whenSettled(Object key, Runnable callback) {
        if (!holds(key)) {
            callback.run();
            return;
        }
        Map<Object, List<Runnable>> map = settling;
        if (map == null) {
            map = new HashMap<>();
            settling = map;
        }
        map.computeIfAbsent(key, first -> new ArrayList<>(1)).add(callback);
    }

    private void settled(Object key) {
        Map<Object, List<Runnable>> map = settling;
        if (map == null || holds(key)) {
            return;
        }
        List<Runnable> callbacks = map.remove(key);
        if (map.isEmpty()) {
            settling = null;
        }
        if (callbacks != null) {
            callbacks.forEach(Runnable::run);
        }
    }

    /** Whether the key has a pending or unacknowledged push. */
    public boolean holds(Object key) {
        Map<Object, Waiting> map = waiting;
        return map != null && map.containsKey(key) || inFlight.values().stream().anyMatch(push -> push.key.equals(key));
    }

    /** Sends pending pushes until the transport is not writable or a limit is reached. */
    public void drain() {
        Map<Object, Waiting> map = waiting;
        if (map == null) {
            return;
        }
        Iterator<Map.Entry<Object, Waiting>> next = map.entrySet().iterator();
        while (next.hasNext() && canSend()) {
            Map.Entry<Object, Waiting> entry = next.next();
            if (!charge(entry.getValue().push, entry.getValue().variant)) {
                // Small pushes behind it need no room in the budget.
                continue;
            }
            next.remove();
            send(entry.getKey(), entry.getValue().push, entry.getValue().variant, 0);
        }
        if (map.isEmpty()) {
            waiting = null;
        } else if (receiver.isClosed()) {
            return;
        } else if (!receiver.isReady()) {
            noteBlocked();
        } else if (awaitingAnswer >= maxInFlight && !awaitingPlace) {
            awaitingPlace = true;
            placeNanos = nanoTime.getAsLong() + PLACE_NANOS;
            wakeAt(placeNanos);
        }
    }

    /** Excludes long unacknowledged pushes from the limit, so that pending ones can be sent. They are retried as usual. */
    private void freePlaces(long nowNanos) {
        awaitingPlace = false;
        if (waiting == null) {
            return;
        }
        for (InFlight push : inFlight.values()) {
            if (push.state == PushState.SENT && push.sentNanos() + PLACE_NANOS - nowNanos <= 0) {
                become(push, PushState.SLOW);
            }
        }
    }

    /** Moves a push to a later state, which does not count against the limit. */
    private void become(InFlight push, PushState later) {
        if (push.state == PushState.SENT) {
            await(-1);
        }
        push.state = later;
    }

    /** If the transport stays unwritable, the receiver is closed, because its state would become too old. */
    private void noteBlocked() {
        if (!blocked) {
            blocked = true;
            blockedUntilNanos = nanoTime.getAsLong() + MAX_BLOCKED_NANOS;
            wakeAt(blockedUntilNanos);
        }
    }

    /** Takes the push's bytes from the budget; without room, {@link #drain} runs once there is. */
    private boolean charge(Push push, int variant) {
        int bytes = push.sizeBytes(variant);
        if (bytes <= PushBudget.SMALL_BYTES) {
            return true;
        }
        if (!awaitingBudget && budget.tryReserve(bytes)) {
            return true;
        }
        if (!awaitingBudget) {
            awaitingBudget = true;
            budget.await(this::onBudget);
        }
        return false;
    }

    /** Returns the bytes of {@link #charge}, once. */
    private void release(InFlight push) {
        if (push.charged) {
            push.charged = false;
            budget.release(push.push.sizeBytes(push.variant));
        }
    }

    /** Called on the thread that has returned bytes. False if the receiver's loop has ended. */
    private boolean onBudget() {
        try {
            receiver.loop().execute(() -> {
                awaitingBudget = false;
                drain();
                if (!awaitingBudget) {
                    // Bytes may remain, also if the receiver is closed, so the next receiver tries.
                    budget.release(0);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void await(int change) {
        awaitingAnswer += change;
        if (answers != null) {
            answers.await(change);
        }
    }

    private boolean canSend() {
        return receiver.isReady() && awaitingAnswer < maxInFlight;
    }

    private void send(Object key, Push push, int variant, int retries) {
        if (retries == 0 && !inFlight.isEmpty()) {
            inFlight.values().removeIf(older -> older.key.equals(key) && forget(older));
        }
        long dueNanos =
                nanoTime.getAsLong() + push.kind().settings().ackTimeout().toNanos();
        InFlight older = inFlight.put(push.requestId(), new InFlight(key, push, variant, retries, dueNanos));
        if (older != null) {
            // The same state under another key: the receiver resubscribed before it acknowledged.
            forget(older);
            settled(older.key);
        }
        await(1);
        wakeAt(dueNanos);
        blocked = false;
        push.kind().meters().sent();
        receiver.send(push.payload(variant));
        push.kind().sent().sent(key, receiver);
    }

    /**
     * Handles an acknowledgement.
     *
     * @param requestId of the push; null for the oldest push of that reply type
     * @return false if no push awaited it
     */
    public boolean answered(@Nullable String requestId, String replyType, boolean success) {
        String id = requestId != null ? requestId : oldest(replyType);
        InFlight answered = id == null ? null : inFlight.get(id);
        if (answered == null) {
            return false;
        }
        if (answers != null && answered.state == PushState.SENT) {
            answers.arrived();
        }
        if (success) {
            inFlight.remove(id);
            forget(answered);
            answered.push.kind().meters().acknowledged(answered.push.committedNanos());
            if (inFlight.isEmpty()) {
                blocked = false;
            }
            drain();
            // Last, because it may add the next push.
            answered.push.acknowledged();
            settled(answered.key);
        } else if (answered.state != PushState.AWAITING_RETRY && failed(answered, nanoTime.getAsLong())) {
            wakeAt(answered.dueNanos);
        }
        return true;
    }

    /** Excludes a push from limit and budget; always true. */
    private boolean forget(InFlight push) {
        become(push, PushState.ENDED);
        release(push);
        return true;
    }

    private @Nullable String oldest(String replyType) {
        for (Map.Entry<String, InFlight> entry : inFlight.entrySet()) {
            if (entry.getValue().push.replyType().equals(replyType)) {
                return entry.getKey();
            }
        }
        return null;
    }

    /** Schedules a retry; false at the maximum, when the receiver is closed. */
    private boolean failed(InFlight push, long nowNanos) {
        PushSettings settings = push.push.kind().settings();
        PushMeters meters = push.push.kind().meters();
        meters.failed();
        if (push.retries >= settings.maxRetries()) {
            meters.dropped();
            receiver.drop("it did not acknowledge a push within " + settings.maxRetries() + " repetitions");
            return false;
        }
        // A push that awaits its retry does not count against the limit: otherwise a client that never acknowledges
        // some keys, as the Go SDK with forgotten ones, would not get the others.
        become(push, PushState.AWAITING_RETRY);
        release(push);
        push.dueNanos = nowNanos
                + Math.min(
                        settings.maxRetryDelay().toNanos(),
                        settings.retryDelay().toNanos() * (push.retries + 1));
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // This time-out, not one like it
    private void onTimer(Timeout fired) {
        if (timeout != fired) {
            // It fired while it was being replaced or cancelled.
            return;
        }
        timeout = null;
        if (receiver.isClosed()) {
            return;
        }
        long now = nanoTime.getAsLong();
        if (blocked && blockedUntilNanos - now <= 0) {
            Map<Object, Waiting> unsent = waiting;
            if (unsent != null && !unsent.isEmpty()) {
                unsent.values().iterator().next().push.kind().meters().dropped();
            }
            receiver.drop("it has read nothing of its stream for " + TimeUnit.NANOSECONDS.toSeconds(MAX_BLOCKED_NANOS)
                    + " s");
            return;
        }
        if (awaitingPlace && placeNanos - now <= 0) {
            freePlaces(now);
        }
        if (inFlight.isEmpty()) {
            awaitingPlace = false;
            if (blocked) {
                wakeAt(blockedUntilNanos);
            } else if (waiting == null) {
                receiver.idle();
            }
            return;
        }
        List<InFlight> again = new ArrayList<>();
        for (InFlight push : inFlight.values()) {
            if (push.dueNanos - now > 0) {
                continue;
            }
            if (push.state != PushState.AWAITING_RETRY) {
                if (!failed(push, now)) {
                    return;
                }
            } else if (!receiver.isReady()) {
                noteBlocked();
                push.dueNanos = now + push.push.kind().settings().retryDelay().toNanos();
            } else if (push.charged || charge(push.push, push.variant)) {
                push.charged = push.push.sizeBytes(push.variant) > PushBudget.SMALL_BYTES;
                again.add(push);
            } else {
                push.dueNanos = now + push.push.kind().settings().retryDelay().toNanos();
            }
        }
        for (InFlight push : again) {
            if (receiver.isClosed()) {
                // The previous push could not be written, and the receiver was closed; the queue is cleared.
                return;
            }
            inFlight.remove(push.push.requestId());
            // The new attempt keeps the charged bytes.
            push.charged = false;
            send(push.key, push.push, push.variant, push.retries + 1);
        }
        wakeForEarliest();
        drain();
    }

    private void wakeForEarliest() {
        long now = nanoTime.getAsLong();
        long earliest = awaitingPlace ? placeNanos - now : Long.MAX_VALUE;
        for (InFlight push : inFlight.values()) {
            earliest = Math.min(earliest, push.dueNanos - now);
        }
        if (earliest < Long.MAX_VALUE) {
            wakeAt(now + earliest);
        }
    }

    /** Runs {@link #onTimer} at that time or before. */
    private void wakeAt(long dueNanos) {
        Timeout present = timeout;
        if (present != null) {
            if (dueNanos - wakeNanos >= 0) {
                return;
            }
            present.cancel();
        }
        wakeNanos = dueNanos;
        timeout = timer.newTimeout(
                new LoopTask(receiver.loop(), this::onTimer),
                Math.max(0, dueNanos - nanoTime.getAsLong()),
                TimeUnit.NANOSECONDS);
    }

    private void cancelTimer() {
        Timeout present = timeout;
        if (present != null) {
            present.cancel();
            timeout = null;
        }
    }

    /** Drops all pushes of the closed receiver. */
    public void clear() {
        waiting = null;
        awaitingPlace = false;
        inFlight.values().forEach(this::forget);
        inFlight.clear();
        cancelTimer();
        Map<Object, List<Runnable>> map = settling;
        settling = null;
        if (map != null) {
            map.values().forEach(callbacks -> callbacks.forEach(Runnable::run));
        }
    }

    /** Pending and unacknowledged pushes, for tests and meters. */
    public int size() {
        return (waiting == null ? 0 : waiting.size()) + inFlight.size();
    }

    /** The states of a sent push, in order; some may be skipped. */
    private enum PushState {
        /** Unacknowledged; counts against the limit. */
        SENT,
        /** Unacknowledged for more than {@link #PLACE_NANOS} with other pending pushes; does not count against the limit. */
        SLOW,
        /** Refused, or not acknowledged in time; the retry is another object. */
        AWAITING_RETRY,
        /** Acknowledged, replaced or dropped. */
        ENDED
    }

    private record Waiting(Push push, int variant) {}

    private static final class InFlight {

        private final Object key;
        private final Push push;
        private final int variant;
        private final int retries;
        private boolean charged;
        private PushState state = PushState.SENT;
        private long dueNanos;

        InFlight(Object key, Push push, int variant, int retries, long dueNanos) {
            this.key = key;
            this.push = push;
            this.variant = variant;
            this.retries = retries;
            this.dueNanos = dueNanos;
            this.charged = push.sizeBytes(variant) > PushBudget.SMALL_BYTES;
        }

        /** Valid while unacknowledged. */
        long sentNanos() {
            return dueNanos - push.kind().settings().ackTimeout().toNanos();
        }
    }
}
