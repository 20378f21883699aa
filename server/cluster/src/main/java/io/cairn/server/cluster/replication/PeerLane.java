package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EncodedInstances;
import io.cairn.server.cluster.wire.EntryBatch;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.OwnPublication;
import io.cairn.server.naming.registry.OwnPublications;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The messages to one peer: urgent ones, copies of departed nodes, then changes after the lane's number. One thread takes and sends
 * them, so a slow peer delays this lane alone. Changes are not queued: the lane reads the present state at sending.
 */
final class PeerLane {

    static final int MAX_ENTRIES = 500;

    /** A burst of changes travels together. */
    static final Duration GATHERING = Duration.ofMillis(2);

    /** A further message is refused; its sender treats that as a missing answer. */
    static final int MAX_URGENT = 4_096;

    /** The bound of waiting copies of departed nodes, enough for 250,000 instances. */
    static final long MAX_BULK_BYTES = 64L * 1024 * 1024;

    private static final long NEVER = Long.MAX_VALUE;

    private enum Stage {
        /** The peer has not sent its position in the stream. */
        OPENING,
        FOLLOWING,
        SNAPSHOT
    }

    private final long incarnation;
    private final OwnLog log;
    private final OwnPublications registry;
    private final ClusterCodec codec;
    private final LongSupplier nanoTime;
    private final Object queues = new Object();
    private volatile Runnable wake = () -> {};
    private volatile boolean awaitsChange;

    @GuardedBy("queues")
    private final ArrayDeque<ClusterMessage> urgent = new ArrayDeque<>();

    @GuardedBy("queues")
    private final ArrayDeque<byte[]> bulk = new ArrayDeque<>();

    @GuardedBy("queues")
    private long bulkBytes;

    @GuardedBy("queues")
    private long stream = -1;

    /** The next stage of the stream, applied at the lane's next check; null for no change. */
    @GuardedBy("queues")
    private @Nullable Stage nextStage;

    @GuardedBy("queues")
    private long nextCursor;

    // Used by the thread of the lane alone.
    private Stage stage = Stage.OPENING;
    private final ArrayDeque<byte[]> pieces = new ArrayDeque<>();
    private volatile long cursor;
    private long gatheringUntil = NEVER;
    private int part;
    private long snapshotStart;
    private final LongAdder snapshots = new LongAdder();

    PeerLane(long incarnation, OwnLog log, OwnPublications registry, ClusterCodec codec, LongSupplier nanoTime) {
        this.incarnation = incarnation;
        this.log = log;
        this.registry = registry;
        this.codec = codec;
        this.nanoTime = nanoTime;
    }

    void wakeWith(Runnable now) {
        wake = now;
    }

    /** A change was recorded. Almost free, unless the thread waits for it. */
    void changed() {
        if (awaitsChange) {
            awaitsChange = false;
            wake.run();
        }
    }

    /** Begins a stream; entries wait until its position is known. */
    void open(long number) {
        synchronized (queues) {
            stream = number;
            nextStage = Stage.OPENING;
        }
    }

    /** Sets the peer's position in the stream, or the need of a snapshot. Ignores a late position of another stream. */
    boolean position(ClusterMessage.StreamPosition position) {
        synchronized (queues) {
            if (position.stream() != stream) {
                return false;
            }
            if (position.sequence() == ClusterMessage.StreamPosition.NONE) {
                nextStage = Stage.SNAPSHOT;
            } else {
                nextStage = Stage.FOLLOWING;
                nextCursor = position.sequence();
            }
        }
        wake.run();
        return true;
    }

    void snapshotRequested(ClusterMessage.SnapshotRequest request) {
        synchronized (queues) {
            if (request.stream() != stream || nextStage == Stage.OPENING) {
                return;
            }
            nextStage = Stage.SNAPSHOT;
        }
        wake.run();
    }

    /**
     * Queues an urgent message. A new heartbeat or revision notice replaces a waiting one.
     *
     * @return false when the queue is full
     */
    boolean offer(ClusterMessage message) {
        synchronized (queues) {
            if (message instanceof ClusterMessage.Heartbeat || message instanceof ClusterMessage.RevisionNotice) {
                for (Iterator<ClusterMessage> waiting = urgent.iterator(); waiting.hasNext(); ) {
                    if (waiting.next().getClass() == message.getClass()) {
                        waiting.remove();
                        break;
                    }
                }
            }
            if (urgent.size() >= MAX_URGENT) {
                return false;
            }
            urgent.add(message);
        }
        wake.run();
        return true;
    }

    /**
     * Queues encoded messages behind all urgent ones.
     *
     * @return false, without queueing, when too many bytes wait: the peer is blocked
     */
    boolean offerBulk(List<byte[]> encoded) {
        long bytes = encoded.stream().mapToLong(each -> each.length).sum();
        synchronized (queues) {
            if (bulkBytes + bytes > MAX_BULK_BYTES) {
                return false;
            }
            bulk.addAll(encoded);
            bulkBytes += bytes;
        }
        wake.run();
        return true;
    }

    /** Null when no message waits for {@link #nanosUntilDue}. */
    byte @Nullable [] next() {
        byte[] queued = queued();
        if (queued != null) {
            return queued;
        }
        byte[] encoded =
                switch (stage) {
                    case OPENING -> null;
                    case FOLLOWING -> nextDelta();
                    case SNAPSHOT -> nextPart();
                };
        return encoded == null ? null : firstPiece(encoded);
    }

    private byte @Nullable [] queued() {
        ClusterMessage message;
        byte[] encoded = null;
        synchronized (queues) {
            message = urgent.poll();
            if (message == null) {
                Stage now = nextStage;
                if (now != null) {
                    nextStage = null;
                    enter(now, nextCursor);
                }
                encoded = pieces.poll();
                if (encoded != null) {
                    return encoded;
                }
                encoded = bulk.poll();
                bulkBytes -= encoded == null ? 0 : encoded.length;
            }
        }
        if (message != null) {
            // Fragments of an urgent message would wait for earlier fragments.
            byte[] whole = codec.encode(message);
            if (whole.length <= ClusterCodec.MAX_BYTES) {
                return whole;
            }
            pieces.addAll(codec.pieces(whole));
            return pieces.poll();
        }
        return encoded == null ? null : firstPiece(encoded);
    }

    private byte[] firstPiece(byte[] encoded) {
        List<byte[]> all = codec.pieces(encoded);
        pieces.addAll(all.subList(1, all.size()));
        return all.get(0);
    }

    private void enter(Stage now, long from) {
        stage = now;
        gatheringUntil = NEVER;
        if (now == Stage.FOLLOWING) {
            cursor = from;
        } else if (now == Stage.SNAPSHOT) {
            beginSnapshot();
        }
    }

    private void beginSnapshot() {
        stage = Stage.SNAPSHOT;
        cursor = OwnLog.START;
        part = 0;
        snapshotStart = log.sequence();
        snapshots.increment();
    }

    /** How long the thread may wait unless it is woken. */
    long nanosUntilDue() {
        return gatheringUntil == NEVER ? NEVER : Math.max(0, gatheringUntil - nanoTime.getAsLong());
    }

    private byte @Nullable [] nextDelta() {
        // Set the mark before the check: a change between the two wakes the thread.
        awaitsChange = true;
        long pending = log.sequence() - cursor;
        if (pending <= 0) {
            gatheringUntil = NEVER;
            return null;
        }
        awaitsChange = false;
        if (pending < MAX_ENTRIES) {
            long now = nanoTime.getAsLong();
            if (gatheringUntil == NEVER) {
                gatheringUntil = now + GATHERING.toNanos();
            }
            if (now < gatheringUntil) {
                return null;
            }
        }
        long from = cursor;
        long reached = from;
        long missing = -1;
        OwnLog.Changes changes;
        EntryBatch batch = EntryBatch.ofDelta();
        do {
            changes = log.after(from, MAX_ENTRIES);
            if (from < changes.endsSince()) {
                beginSnapshot();
                return nextPart();
            }
            boolean whole = true;
            for (OwnLog.Change change : changes.entries()) {
                RegistryEntry entry = entry(change);
                if (entry == null && change.sequence() == missing) {
                    // The registry lost it without a record, which is a defect; the copies show the registry.
                    entry = gone(change);
                }
                // An absent publication has ended under a later number. The delta stops before it, so that the copy has
                // at each number the same state as the log. If it is the first one, the log is read again.
                if (entry == null || !batch.add(entry)) {
                    missing = entry == null ? change.sequence() : missing;
                    whole = false;
                    break;
                }
                reached = change.sequence();
            }
            if (whole) {
                reached = changes.to();
            }
        } while (reached == from);
        // The remaining changes have waited long enough.
        gatheringUntil = reached == changes.last() ? NEVER : nanoTime.getAsLong();
        cursor = reached;
        return batch.finishDelta(streamNumber(), incarnation, from, reached);
    }

    /**
     * A snapshot runs through the log. An entry that changes meanwhile moves to the end and occurs again; the receiver replaces its
     * copy only after the last part.
     */
    private byte[] nextPart() {
        OwnLog.Changes changes = log.after(cursor, MAX_ENTRIES);
        if (part > 0 && changes.endsSince() > snapshotStart && changes.endsSince() > cursor) {
            // An end that the receiver would have to know of was forgotten meanwhile.
            beginSnapshot();
            changes = log.after(cursor, MAX_ENTRIES);
        }
        EntryBatch batch = EntryBatch.ofSnapshot();
        boolean fits = true;
        for (OwnLog.Change change : changes.entries()) {
            boolean leftOut = change.state() == OwnLog.State.GONE
                    && !(change.subject() instanceof OwnLog.Subject.Deregistration)
                    && change.sequence() <= snapshotStart;
            RegistryEntry entry = leftOut ? null : entry(change);
            if (entry != null && !batch.add(entry)) {
                fits = false;
                break;
            }
            cursor = change.sequence();
        }
        if (fits) {
            cursor = changes.to();
        }
        boolean last = fits && changes.isAll();
        byte[] encoded = batch.finishSnapshot(
                streamNumber(), incarnation, part, last, last ? cursor : OwnLog.START, changes.endsSince());
        part++;
        if (last) {
            stage = Stage.FOLLOWING;
            gatheringUntil = NEVER;
        }
        return encoded;
    }

    private long streamNumber() {
        synchronized (queues) {
            return stream;
        }
    }

    /** The entry with its present state; null for an ended publication, which has a later change. */
    private @Nullable RegistryEntry entry(OwnLog.Change change) {
        if (change.subject() instanceof OwnLog.Subject.Publication publication) {
            return switch (change.state()) {
                case GONE -> gone(change);
                case MOVED ->
                    new RegistryEntry.Moved(
                            change.sequence(),
                            publication.publisherId(),
                            publication.service(),
                            change.movedTo() == null ? "" : change.movedTo());
                default -> present(change.sequence(), publication);
            };
        }
        if (change.subject() instanceof OwnLog.Subject.Check check) {
            return change.state() == OwnLog.State.GONE
                    ? new RegistryEntry.Unchecked(change.sequence(), check.service(), check.instance())
                    : new RegistryEntry.Checked(
                            change.sequence(),
                            check.service(),
                            check.instance(),
                            change.state() == OwnLog.State.HEALTHY);
        }
        OwnLog.Subject.Deregistration forgotten = (OwnLog.Subject.Deregistration) change.subject();
        return new RegistryEntry.Forgotten(
                change.sequence(), forgotten.service(), forgotten.instance(), change.changedAt());
    }

    private static RegistryEntry gone(OwnLog.Change change) {
        OwnLog.Subject.Publication publication = (OwnLog.Subject.Publication) change.subject();
        return new RegistryEntry.Gone(change.sequence(), publication.publisherId(), publication.service());
    }

    private @Nullable RegistryEntry present(long sequence, OwnLog.Subject.Publication subject) {
        OwnPublication now = registry.publication(subject.publisherId(), subject.service());
        return now == null
                ? null
                : new RegistryEntry.Published(
                        sequence,
                        new MirroredPublication(
                                now.publisher(),
                                subject.service(),
                                now.publishedAt(),
                                EncodedInstances.of(now.instances())));
    }

    long cursor() {
        return cursor;
    }

    long snapshots() {
        return snapshots.sum();
    }
}
