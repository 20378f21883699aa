package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.server.cluster.wire.ClusterCodec;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.EncodedInstances;
import io.cairn.server.cluster.wire.EntryBatch;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.MirroredPublication;
import io.cairn.server.naming.OwnPublication;
import io.cairn.server.naming.OwnPublications;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All that is sent to one peer, in the order in which it is sent: urgent messages, copies of departed nodes, then what has changed here
 * after the number up to which this lane has sent. One thread takes the messages and sends them, so a slow peer holds up this lane
 * alone. The changes are not queued: the lane holds a number, and reads the present state when it is about to send it.
 */
final class PeerLane {

    static final int MAX_ENTRIES = 500;

    /** A burst of changes travels together. */
    static final Duration GATHERING = Duration.ofMillis(2);

    /** How many urgent messages may wait. A further one is refused; its sender treats that as an answer that did not come. */
    static final int MAX_URGENT = 4_096;

    /** How much of the copies of departed nodes may wait: those of 250,000 instances. */
    static final long MAX_BULK_BYTES = 64L * 1024 * 1024;

    private static final long NEVER = Long.MAX_VALUE;

    private enum Stage {
        /** The peer has not said yet from where the stream goes on. */
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

    /** Where the stream is to go on, as soon as the thread of the lane looks; null when it goes on where it is. */
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

    /** @param incarnation of this node */
    PeerLane(long incarnation, OwnLog log, OwnPublications registry, ClusterCodec codec, LongSupplier nanoTime) {
        this.incarnation = incarnation;
        this.log = log;
        this.registry = registry;
        this.codec = codec;
        this.nanoTime = nanoTime;
    }

    /** Sets what is called when a waiting thread has something to do. */
    void wakeWith(Runnable now) {
        wake = now;
    }

    /** A change was recorded. Does next to nothing unless the thread waits for it. */
    void changed() {
        if (awaitsChange) {
            awaitsChange = false;
            wake.run();
        }
    }

    /** Begins a stream; nothing of the registry is sent until its position is known. */
    void open(long number) {
        synchronized (queues) {
            stream = number;
            nextStage = Stage.OPENING;
        }
    }

    /** The peer goes on from that number of the stream, or needs a snapshot. A position in another stream is late, and is passed over. */
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

    /** Begins a snapshot, unless the request is about an earlier stream. */
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
     * Queues an urgent message. Of heartbeats and revision notices the newest takes the place of one that waits.
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
     * Queues encoded messages that may wait until all urgent ones are sent.
     *
     * @return false when so much waits already that none of them is queued: the peer takes nothing
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

    /** The next message to send; null when there is none now, for {@link #nanosUntilDue}. */
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
            // Pieces of an urgent message would have to wait for those of an earlier message.
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
        // First the mark, then the look: a change between the two wakes the thread.
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
                    // The registry has lost it without a record, which is a defect; the copies show what the registry
                    // has.
                    entry = gone(change);
                }
                // A publication that is no longer there has ended under a later number. This delta stops before it, so
                // that the
                // copy has at each number what the log had at it. Where it is the first one, the log is read again.
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
     * A snapshot goes through the log from its beginning to its end. An entry that changes meanwhile moves to the end and is met
     * again; the receiver replaces its copy only when the end has come.
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

    /** The entry with its present state; null when the publication has ended, of which a later change tells. */
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

    /** Up to which number the changes are sent. */
    long cursor() {
        return cursor;
    }

    /** How many snapshots this lane has begun. */
    long snapshots() {
        return snapshots.sum();
    }
}
