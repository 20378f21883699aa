package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Synchronizes the desired state of many keys with a server. A key is marked when its state may differ from the server's;
 * the owner then sends the state of that moment. Each key has at most one request in progress, so the server receives its
 * states in order. Failed requests are repeated with growing pauses.
 */
public final class Steps<K> {

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final int MOST_UNDERWAY = 50;

    private final Link link;
    private final Threads threads;
    private final Duration patience;
    private final String done;
    private final Sender<K> sender;

    @GuardedBy("this")
    private final Map<K, Step> steps = new HashMap<>();

    @GuardedBy("this")
    private final Set<K> ready = new LinkedHashSet<>();

    private final AtomicInteger calls = new AtomicInteger();

    @GuardedBy("this")
    private int underway;

    @FunctionalInterface
    public interface Sender<K> {

        /** @return fails when the server did not accept the state */
        CompletableFuture<?> send(K key, Connection connection);
    }

    private static final class Step {

        private final RetryPause pause = new RetryPause();
        private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
        private boolean marked;
        private boolean underway;
        /** The server rejected the last request permanently; it is repeated nevertheless. */
        private boolean refused;

        private @Nullable Future<?> retry;
    }

    /** @param done the state after a successful step, for messages, such as {@code registered} */
    public Steps(Link link, Threads threads, Duration patience, String done, Sender<K> sender) {
        this.link = link;
        this.threads = threads;
        this.patience = patience;
        this.done = done;
        this.sender = sender;
    }

    public void mark(K key) {
        synchronized (this) {
            markNow(key);
        }
        go();
    }

    public void markAll(Iterable<K> keys) {
        synchronized (this) {
            keys.forEach(this::markNow);
        }
        go();
    }

    /**
     * @return completes when the server has this or a later state; fails when the server rejects it permanently, or with
     *     {@code UNAVAILABLE} after {@code patience}, while the attempts continue
     */
    public CompletableFuture<Void> marked(K key) {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        Future<?> end = threads.timer().schedule(() -> expire(key, waiting), patience.toNanos(), TimeUnit.NANOSECONDS);
        waiting.whenComplete((ok, failure) -> end.cancel(false));
        synchronized (this) {
            markNow(key).waiting.add(waiting);
        }
        if (link.closed()) {
            closed(new CairnException(ErrorCode.UNAVAILABLE, "The client is closed"));
        }
        go();
        return waiting;
    }

    /** Whether the server has the state of every key, except for rejected keys. */
    public synchronized boolean inStep() {
        return steps.values().stream().noneMatch(step -> step.underway || step.marked && !step.refused);
    }

    public void closed(CairnException over) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        synchronized (this) {
            steps.values().forEach(step -> {
                all.addAll(step.waiting);
                step.waiting.clear();
            });
            ready.clear();
        }
        all.forEach(waiting -> waiting.completeExceptionally(over));
    }

    @GuardedBy("this")
    private Step markNow(K key) {
        Step step = steps.computeIfAbsent(key, same -> new Step());
        step.marked = true;
        step.refused = false;
        Future<?> retry = step.retry;
        if (retry != null) {
            retry.cancel(false);
            step.retry = null;
        }
        if (!step.underway) {
            ready.add(key);
        }
        return step;
    }

    private void expire(K key, CompletableFuture<Void> waiting) {
        synchronized (this) {
            Step step = steps.get(key);
            if (step != null) {
                step.waiting.removeIf(one -> one == waiting);
            }
        }
        CairnException why = link.lastFailure().orElse(null);
        waiting.completeExceptionally(new CairnException(
                ErrorCode.UNAVAILABLE,
                key + " is not " + done + " after " + patience.toMillis() + " ms"
                        + (why == null ? "" : ": " + why.getMessage()),
                why));
    }

    /** A loop, because a request may complete at once and start the next, which would deepen the stack. */
    private void go() {
        if (calls.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (takeOne()) {
                // ends when no key is ready or the limit is reached
            }
            seen = calls.addAndGet(-seen);
        } while (seen != 0);
    }

    private boolean takeOne() {
        Connection connection = link.connection();
        K key;
        Step step;
        List<CompletableFuture<Void>> waiting;
        synchronized (this) {
            Iterator<K> next = ready.iterator();
            if (connection == null || underway >= MOST_UNDERWAY || !next.hasNext()) {
                return false;
            }
            key = next.next();
            next.remove();
            step = steps.computeIfAbsent(key, same -> new Step());
            step.marked = false;
            step.underway = true;
            waiting = List.copyOf(step.waiting);
            underway++;
        }
        send(key, connection).whenComplete((ok, failure) -> end(key, step, connection, waiting, failure));
        return true;
    }

    private CompletableFuture<?> send(K key, Connection connection) {
        try {
            return sender.send(key, connection);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void end(
            K key,
            Step step,
            Connection connection,
            List<CompletableFuture<Void>> waiting,
            @Nullable Throwable failure) {
        CairnException why = failure == null ? null : Refusals.of(failure);
        boolean over = why == null || Refusals.isDefinite(why);
        synchronized (this) {
            underway--;
            step.underway = false;
            // An internal error of the server does not count as a rejection.
            step.refused = why != null && over && why.code() != ErrorCode.INTERNAL;
            if (over) {
                step.waiting.removeIf(one -> waiting.stream().anyMatch(sent -> sent == one));
            }
            if (why == null) {
                step.pause.reset();
                if (step.marked || link.connection() != connection) {
                    markNow(key);
                } else if (step.waiting.isEmpty()) {
                    steps.remove(key, step);
                }
            } else if (step.marked) {
                markNow(key);
            } else {
                step.marked = true;
                step.retry = threads.timer()
                        .schedule(() -> mark(key), step.pause.next().toMillis(), TimeUnit.MILLISECONDS);
            }
        }
        if (why != null && !link.closed()) {
            LOG.log(
                    step.pause.failures() <= 1 ? System.Logger.Level.WARNING : System.Logger.Level.DEBUG,
                    key + " is not " + done + " yet: " + why.getMessage());
        }
        for (CompletableFuture<Void> one : over ? waiting : List.<CompletableFuture<Void>>of()) {
            if (why == null) {
                one.complete(null);
            } else {
                one.completeExceptionally(why);
            }
        }
        go();
    }
}
