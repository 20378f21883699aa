package io.cairn.server.subscription.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.subscription.ConfigSightings;
import io.cairn.server.subscription.history.ClientEvent.Kind;
import io.micrometer.core.instrument.Counter;
import io.netty.util.Timer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the events of this node's clients in files. Events wait in a queue for at most {@value #PAUSE_MILLIS} ms, until one thread
 * writes all of them; beyond {@value #MOST_WAITING} configurations they are dropped, counted, and shown as missing.
 *
 * <p>Thread-safe. {@link #find} blocks on the disk, the other methods return at once.
 */
public final class ClientHistory implements ConfigSightings, AutoCloseable {

    private static final int MOST_WAITING = 500_000;
    private static final long PAUSE_MILLIS = 200;
    /** From events that the disk refused to the next write. */
    private static final long RETRY_MILLIS = 10_000;

    private static final Logger log = LoggerFactory.getLogger(ClientHistory.class);

    private final @Nullable HistoryFiles files;
    private final Timer timer;
    private final Executor executor;
    private final Clock clock;
    private final Counter dropped;
    private final Queue<Seen> waiting = new ConcurrentLinkedQueue<>();
    /** The configurations of waiting events. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicLong missing = new AtomicLong();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final AtomicBoolean refused = new AtomicBoolean();
    /** Used with the lock of {@link #known}, as {@link #closed}. */
    private long retryAtMillis = Long.MIN_VALUE;

    private boolean closed;
    /** The connections with events, which have an end. Weak for events that arrive after it. Used with its own lock held. */
    private final Map<ClientConnection, SeenClient> known = new WeakHashMap<>();

    /**
     * An event on its way to the files.
     *
     * @param connection null for a client that polls
     * @param polling null for a client with a connection
     */
    private record Seen(
            long atMillis,
            Kind kind,
            @Nullable ClientConnection connection,
            @Nullable SeenClient polling,
            List<ConfigKey> keys,
            List<? extends @Nullable ContentDigest> digests) {

        /** Its part of the queue's limit. */
        int count() {
            return Math.max(1, keys.size());
        }
    }

    /**
     * Keeps no events with a limit of 0 bytes, or in a folder that cannot be used, which the log names.
     *
     * @param executor writes; blocks on the disk
     * @param dropped counts events that were not kept
     */
    public ClientHistory(
            Path folder, HistoryLimits limits, Clock clock, Timer timer, Executor executor, Counter dropped) {
        this.files = files(folder, limits, clock);
        this.clock = clock;
        this.timer = timer;
        this.executor = executor;
        this.dropped = dropped;
    }

    private static @Nullable HistoryFiles files(Path folder, HistoryLimits limits, Clock clock) {
        if (limits.maxBytes() == 0) {
            return null;
        }
        try {
            return new HistoryFiles(folder, limits, clock);
        } catch (IOException e) {
            log.warn(
                    "No events of clients are kept, because {} cannot be used: {}; make it writable and restart, or set"
                            + " cairn.config.client-history.max-size=0",
                    folder,
                    e.toString());
            return null;
        }
    }

    @Override
    public void listened(
            ClientConnection connection, List<ConfigKey> keys, List<? extends @Nullable ContentDigest> held) {
        add(Kind.LISTENED, connection, keys, held);
    }

    @Override
    public void notified(ClientConnection connection, ConfigKey key) {
        add(Kind.NOTIFIED, connection, List.of(key), List.of());
    }

    @Override
    public void followed(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest) {
        add(Kind.FOLLOWED, connection, List.of(key), Collections.singletonList(digest));
    }

    @Override
    public void behind(ClientConnection connection, ConfigKey key, @Nullable ContentDigest digest) {
        add(Kind.BEHIND, connection, List.of(key), Collections.singletonList(digest));
    }

    /** As for a connection, of a client that polls. */
    void listened(SeenClient client, List<ConfigKey> keys, List<? extends @Nullable ContentDigest> held) {
        add(Kind.LISTENED, null, client, keys, held);
    }

    /** As for a connection, of a client that polls. */
    void notified(SeenClient client, ConfigKey key) {
        add(Kind.NOTIFIED, null, client, List.of(key), List.of());
    }

    /** As for a connection, of a client that polls. */
    void followed(SeenClient client, ConfigKey key, @Nullable ContentDigest digest) {
        add(Kind.FOLLOWED, null, client, List.of(key), Collections.singletonList(digest));
    }

    boolean isKept() {
        return files != null;
    }

    /** That many events were not kept. */
    void lost(int count) {
        if (files != null) {
            missing.addAndGet(count);
            dropped.increment(count);
        }
    }

    /** A connection has ended. */
    public void left(ClientConnection connection) {
        add(Kind.LEFT, connection, List.of(), List.of());
    }

    private void add(
            Kind kind,
            ClientConnection connection,
            List<ConfigKey> keys,
            List<? extends @Nullable ContentDigest> digests) {
        add(kind, connection, null, keys, digests);
    }

    private void add(
            Kind kind,
            @Nullable ClientConnection connection,
            @Nullable SeenClient polling,
            List<ConfigKey> keys,
            List<? extends @Nullable ContentDigest> digests) {
        if (files == null) {
            return;
        }
        Seen seen = new Seen(clock.millis(), kind, connection, polling, keys, digests);
        if (size.get() >= MOST_WAITING && kind != Kind.LEFT) {
            lost(seen.count());
            return;
        }
        size.addAndGet(seen.count());
        waiting.add(seen);
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            timer.newTimeout(fired -> write(), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void write() {
        try {
            executor.execute(this::writeWaiting);
        } catch (RejectedExecutionException e) {
            log.debug("Events of clients are written later, because the executor is busy", e);
            scheduled.set(false);
        }
    }

    private void writeWaiting() {
        scheduled.set(false);
        synchronized (known) {
            long lost = missing.getAndSet(0);
            if (files == null || waiting.isEmpty() && lost == 0) {
                return;
            }
            int[] taken = {0};
            boolean isLater = closed || clock.millis() < retryAtMillis;
            if (isLater) {
                missing.addAndGet(lost + drop());
                return;
            }
            try {
                files.append(writer -> {
                    if (lost > 0) {
                        writer.missing(clock.millis(), lost);
                    }
                    for (Seen next = waiting.poll(); next != null; next = waiting.poll()) {
                        taken[0] += next.count();
                        write(next, writer);
                    }
                });
                if (refused.compareAndSet(true, false)) {
                    log.info("The events of clients are kept again");
                }
            } catch (IOException e) {
                dropped.increment(taken[0]);
                missing.addAndGet(lost + taken[0] + drop());
                retryAtMillis = clock.millis() + RETRY_MILLIS;
                if (refused.compareAndSet(false, true)) {
                    log.warn(
                            "The events of clients are not kept until the disk takes them (cairn.config.client-history): {}",
                            e.toString());
                }
            } finally {
                size.addAndGet(-taken[0]);
            }
        }
    }

    /** Drops the waiting events, and returns their number. */
    private int drop() {
        int count = 0;
        for (Seen next = waiting.poll(); next != null; next = waiting.poll()) {
            count += next.count();
        }
        size.addAndGet(-count);
        dropped.increment(count);
        return count;
    }

    private void write(Seen seen, Segment.Writer writer) {
        if (seen.kind() == Kind.LEFT) {
            SeenClient left = known.remove(seen.connection());
            if (left != null) {
                writer.left(seen.atMillis(), left);
            }
            return;
        }
        SeenClient polling = seen.polling();
        SeenClient client = polling != null
                ? polling
                : known.computeIfAbsent(Objects.requireNonNull(seen.connection()), SeenClient::of);
        switch (seen.kind()) {
            case LISTENED -> writer.listened(seen.atMillis(), client, seen.keys(), seen.digests());
            case NOTIFIED ->
                writer.notified(seen.atMillis(), client, seen.keys().get(0));
            case FOLLOWED, BEHIND ->
                writer.holds(
                        seen.kind(),
                        seen.atMillis(),
                        client,
                        seen.keys().get(0),
                        seen.digests().get(0));
            case LEFT, MISSING -> throw new IllegalStateException("not an event with configurations: " + seen.kind());
        }
    }

    /**
     * The newest events of the filter with all that were added before this call, the newest first, at most that many.
     *
     * @throws IOException if a file cannot be read
     */
    public List<ClientEvent> find(EventFilter filter, int atMost) throws IOException {
        writeWaiting();
        return files == null ? List.of() : files.find(filter, atMost);
    }

    /** Writes the waiting events; later ones are lost. */
    @Override
    public void close() {
        writeWaiting();
        synchronized (known) {
            closed = true;
        }
        if (files != null) {
            files.close();
        }
    }
}
