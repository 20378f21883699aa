package io.cairn.server.push;

import io.cairn.api.wire.Payload;
import io.cairn.server.timer.LoopTask;
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
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is on its way to one receiver. A key waits at most once, in its newest state, so a receiver that reads slowly
 * costs one entry for each key it watches; what was sent is repeated until it is acknowledged, and a receiver that never
 * acknowledges is closed.
 *
 * <p>Used on the receiver's event loop alone. One time-out on the wheel serves the whole queue, and an answer leaves it
 * where it is: what is pushed steadily costs the wheel nothing. When it goes off with nothing on its way, the receiver is
 * told that it can do without the queue.
 */
public final class PushQueue {

    private static final long MAX_BLOCKED_NANOS = TimeUnit.SECONDS.toNanos(300);

    /**
     * After which an unanswered push takes no place any more where others wait for one: the Go SDK answers for no key that it
     * no longer listens to, and some hundreds of those would hold up all others until their time-outs.
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
    private int awaitingAnswer;
    // Three reasons for which pushes wait. They are independent: any of them may hold at the same time.
    /** The transport takes nothing. */
    private boolean blocked;
    /** The budget that all receivers share has no room for a large push. */
    private boolean awaitingBudget;
    /** As many pushes are unanswered as may be. */
    private boolean awaitingPlace;

    private long blockedUntilNanos;
    private long placeNanos;
    private long wakeNanos;

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

        /** Nothing has been on its way for a while, and no time-out is left: the queue holds nothing worth keeping. */
        void idle();
    }

    /**
     * To be called on the receiver's event loop.
     *
     * @param maxInFlight unanswered pushes of the last {@value #PLACE_NANOS} nanoseconds; further ones wait, one for each key
     * @param budget shared with all other receivers
     */
    public PushQueue(Receiver receiver, int maxInFlight, PushBudget budget, Timer timer) {
        this(receiver, maxInFlight, budget, timer, System::nanoTime, AckCoalescer.ofThisLoop());
    }

    /**
     * @param nanoTime what {@link System#nanoTime} tells
     * @param answers is told how many are awaited
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

    /** Adds a push; an older one of the same key that still waits, or is unanswered, is forgotten. */
    public void add(Object key, Push push, int spelling) {
        Map<Object, Waiting> map = waiting;
        if (map == null) {
            if (canSend() && charge(push)) {
                send(key, push, spelling, 0);
                return;
            }
            map = new LinkedHashMap<>();
            waiting = map;
        }
        map.put(key, new Waiting(push, spelling));
        drain();
    }

    /** Takes back what waits or is unanswered of that key: it is neither sent nor repeated any more. */
    public void forget(Object key) {
        Map<Object, Waiting> map = waiting;
        if (map != null && map.remove(key) != null && map.isEmpty()) {
            waiting = null;
        }
        inFlight.values().removeIf(push -> push.key.equals(key) && forget(push));
        drain();
    }

    /** Whether a push of that key waits or is unanswered. */
    public boolean holds(Object key) {
        Map<Object, Waiting> map = waiting;
        return map != null && map.containsKey(key) || inFlight.values().stream().anyMatch(push -> push.key.equals(key));
    }

    /** Sends what waits, as far as the transport takes it. */
    public void drain() {
        Map<Object, Waiting> map = waiting;
        if (map == null) {
            return;
        }
        Iterator<Map.Entry<Object, Waiting>> next = map.entrySet().iterator();
        while (next.hasNext() && canSend()) {
            Map.Entry<Object, Waiting> entry = next.next();
            if (!charge(entry.getValue().push)) {
                // Small ones behind it need not wait for room.
                continue;
            }
            next.remove();
            send(entry.getKey(), entry.getValue().push, entry.getValue().spelling, 0);
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

    /** Those that have long been unanswered make room for what waits; they are repeated and missed as all others. */
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

    /** Changes the state of a push to a later one; none of these takes a place. */
    private void become(InFlight push, PushState later) {
        if (push.state == PushState.SENT) {
            await(-1);
        }
        push.state = later;
    }

    /** The transport takes nothing: when that lasts, the receiver is given up rather than kept in the past. */
    private void noteBlocked() {
        if (!blocked) {
            blocked = true;
            blockedUntilNanos = nanoTime.getAsLong() + MAX_BLOCKED_NANOS;
            wakeAt(blockedUntilNanos);
        }
    }

    /** Takes the push's bytes from the budget; where there is no room, {@link #drain} runs once there is. */
    private boolean charge(Push push) {
        if (push.sizeBytes() <= PushBudget.SMALL_BYTES) {
            return true;
        }
        if (!awaitingBudget && budget.take(push.sizeBytes())) {
            return true;
        }
        if (!awaitingBudget) {
            awaitingBudget = true;
            budget.await(this::onBudget);
        }
        return false;
    }

    /** Gives back what {@link #charge} took for this one, once. */
    private void release(InFlight push) {
        if (push.charged) {
            push.charged = false;
            budget.release(push.push.sizeBytes());
        }
    }

    /** By the thread that gave room back. False when the receiver's loop has ended. */
    private boolean onBudget() {
        try {
            receiver.loop().execute(() -> {
                awaitingBudget = false;
                drain();
                if (!awaitingBudget) {
                    // There may be room for others too; and whoever is gone must not keep its turn to itself.
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

    private void send(Object key, Push push, int spelling, int retries) {
        if (retries == 0 && !inFlight.isEmpty()) {
            inFlight.values().removeIf(older -> older.key.equals(key) && forget(older));
        }
        long dueNanos =
                nanoTime.getAsLong() + push.kind().settings().ackTimeout().toNanos();
        InFlight older = inFlight.put(push.requestId(), new InFlight(key, push, spelling, retries, dueNanos));
        if (older != null) {
            // The same state under another key: its receiver left and came back before it answered.
            forget(older);
        }
        await(1);
        wakeAt(dueNanos);
        blocked = false;
        push.kind().meters().sent();
        receiver.send(push.payload(spelling));
    }

    /**
     * Takes a receiver's answer.
     *
     * @param requestId of the push it answers; null when the client names none: then it answers the oldest of its kind
     * @return false when nothing was waiting for it
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
            // Last, for it may add the next push.
            answered.push.acknowledged();
        } else if (answered.state != PushState.AWAITING_RETRY && failed(answered, nanoTime.getAsLong())) {
            wakeAt(answered.dueNanos);
        }
        return true;
    }

    /** Takes a push out of the count; always true. */
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

    /** Has the push repeated later; false when it was repeated often enough and the receiver is given up. */
    private boolean failed(InFlight push, long nowNanos) {
        PushSettings settings = push.push.kind().settings();
        PushMeters meters = push.push.kind().meters();
        meters.failed();
        if (push.retries >= settings.maxRetries()) {
            meters.dropped();
            receiver.drop("it did not acknowledge a push within " + settings.maxRetries() + " repetitions");
            return false;
        }
        // While it waits to be repeated it takes no place: a client that never answers for one key, as the Go SDK for
        // those it no longer listens to, must still hear of the others.
        become(push, PushState.AWAITING_RETRY);
        release(push);
        push.dueNanos = nowNanos
                + Math.min(
                        settings.maxRetryDelay().toNanos(),
                        settings.retryDelay().toNanos() * (push.retries + 1));
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // this time-out, not one like it
    private void onTimer(Timeout fired) {
        if (timeout != fired) {
            // It went off while it was being replaced or cancelled.
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
            } else if (push.charged || charge(push.push)) {
                push.charged = push.push.sizeBytes() > PushBudget.SMALL_BYTES;
                again.add(push);
            } else {
                push.dueNanos = now + push.push.kind().settings().retryDelay().toNanos();
            }
        }
        for (InFlight push : again) {
            if (receiver.isClosed()) {
                // By the one before, whose bytes could not be written: all has been forgotten.
                return;
            }
            inFlight.remove(push.push.requestId());
            // The one that takes its place keeps what was charged.
            push.charged = false;
            send(push.key, push.push, push.spelling, push.retries + 1);
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

    /** Sees to it that {@link #onTimer} runs then or before. */
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

    /** Forgets everything; the receiver is gone. */
    public void clear() {
        waiting = null;
        awaitingPlace = false;
        inFlight.values().forEach(this::forget);
        inFlight.clear();
        cancelTimer();
    }

    /** Keys waiting or unanswered, for tests and meters. */
    public int size() {
        return (waiting == null ? 0 : waiting.size()) + inFlight.size();
    }

    /** The states of a push that was sent, in their order; each may be left out. */
    private enum PushState {
        /** Its answer is awaited; it takes one of the places. */
        SENT,
        /** Its answer is awaited for more than {@link #PLACE_NANOS} and other pushes wait; it takes no place any more. */
        SLOW,
        /** Its receiver has refused it, or has not answered in time; it is sent again when it is due, as another object. */
        AWAITING_RETRY,
        /** It was acknowledged, replaced or taken back. */
        ENDED
    }

    private record Waiting(Push push, int spelling) {}

    private static final class InFlight {

        private final Object key;
        private final Push push;
        private final int spelling;
        private final int retries;
        private boolean charged;
        private PushState state = PushState.SENT;
        private long dueNanos;

        InFlight(Object key, Push push, int spelling, int retries, long dueNanos) {
            this.key = key;
            this.push = push;
            this.spelling = spelling;
            this.retries = retries;
            this.dueNanos = dueNanos;
            this.charged = push.sizeBytes() > PushBudget.SMALL_BYTES;
        }

        /** While its answer is awaited. */
        long sentNanos() {
            return dueNanos - push.kind().settings().ackTimeout().toNanos();
        }
    }
}
