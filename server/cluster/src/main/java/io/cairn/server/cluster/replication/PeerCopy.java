package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.MirroredPublication;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The copy of what one other node owns, and what has to be shown of that node beyond it: publications that have moved until their new
 * owner has them, and after the node has departed all of the copy, as orphans, until its clients are elsewhere. Thread-safe; calls the
 * registry with its lock held, so that the registry gets the changes in the order of the stream.
 */
final class PeerCopy {

    /**
     * For how long a publication that has moved waits for its new owner: longer than a hung node is found out, so that an owner that
     * hangs before it has told all others is excluded first, and the next owner adopts what is held.
     */
    static final Duration MOVED_HOLD = Duration.ofSeconds(15);

    /** A copy that does not come closer to its owner for this time asks for a snapshot. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** For at most this time all that is held stays because this node is cut off from another one. */
    static final Duration CUT_OFF = Duration.ofMinutes(10);

    /** For this time a node that joins waits for what another node has of a node that departed meanwhile. */
    static final Duration WANTED = Duration.ofSeconds(5);

    /**
     * For this time longer the publications of a node that hung are held: its clients find that out by time-outs, official ones after 15
     * to 22 s on a machine with other work, and some try that node once more. The connections of a node that has died break at once.
     */
    static final Duration HUNG = Duration.ofSeconds(15);

    /** How a copy tells its node what has happened. */
    interface Events {
        /** The copy had another digest at the same number. */
        void diverged(NodeId owner);

        /**
         * The result of {@link PeerCopy#known} for the publication may have changed. Called with the lock of the copy
         * held.
         */
        default void changed(NodeId owner, String publisherId, ServiceKey service) {}
    }

    private final NodeId owner;
    private final LongSupplier nanoTime;
    private final Events events;

    @GuardedBy("this")
    private final CopyContents contents;

    @GuardedBy("this")
    private final OrphanWindows windows;

    @GuardedBy("this")
    private final KeptElsewhere keptElsewhere = new KeptElsewhere();

    @GuardedBy("this")
    private final MissedChanges missed;

    @GuardedBy("this")
    private final CopyComparison.History comparisons;

    /** Number up to which the copy goes; {@link ClusterMessage.StreamPosition#NONE} when a snapshot is needed. */
    @GuardedBy("this")
    private long sequence = ClusterMessage.StreamPosition.NONE;

    /** Whether a snapshot is to come; what comes before it is passed over. */
    @GuardedBy("this")
    private boolean awaitsSnapshot;

    /** Number of the stream that the owner opened last. */
    @GuardedBy("this")
    private long stream = -1;

    /** Whether the owner is a member of the present view. */
    @GuardedBy("this")
    private boolean present;

    /** Whether the publications are held as orphans. */
    @GuardedBy("this")
    private boolean orphaned;

    /** Whether the owner departed before all of the copy was here, and another node is about to send what it has. */
    @GuardedBy("this")
    private boolean wanted;

    @GuardedBy("this")
    private @Nullable GatheredEntries parts;

    /** When the copy last came closer to its owner, or asked for a snapshot. */
    @GuardedBy("this")
    private long progressNanos;

    /**
     * @param window for how long an instance is kept whose node has departed, by the SDK of its client
     */
    PeerCopy(
            NodeId owner,
            MirroredRegistry registry,
            ClusterClock clock,
            RecentDeregistrations deregistrations,
            Function<String, Duration> window,
            LongSupplier nanoTime,
            Events events) {
        this.owner = owner;
        this.nanoTime = nanoTime;
        this.events = events;
        this.contents = new CopyContents(owner, registry, clock, deregistrations, events);
        this.windows = new OrphanWindows(window);
        this.missed = new MissedChanges(nanoTime.getAsLong());
        this.comparisons = new CopyComparison.History(nanoTime.getAsLong());
    }

    /**
     * The owner opens a stream.
     *
     * @return from where it goes on
     */
    synchronized ClusterMessage.@Nullable StreamPosition opened(ClusterMessage.Hello hello) {
        return !present || hello.stream() < stream ? null : open(hello.stream(), hello.sequence());
    }

    @GuardedBy("this")
    private ClusterMessage.StreamPosition open(long number, long ownerSequence) {
        parts = null;
        progressNanos = nanoTime.getAsLong();
        if (stream >= 0 && number > stream) {
            // The owner has lost this node from its view, which may not have been noticed here.
            missed.met(progressNanos);
        }
        stream = number;
        if (awaitsSnapshot || sequence > ownerSequence) {
            // The copy is not one of this owner's changes.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
        awaitsSnapshot = sequence == ClusterMessage.StreamPosition.NONE;
        missed.opened(ownerSequence, orphaned, progressNanos);
        if (orphaned && sequence != ClusterMessage.StreamPosition.NONE) {
            // The owner goes on from here: its own word counts again.
            contents.confirmAll();
            orphaned = false;
        }
        return new ClusterMessage.StreamPosition(stream, owner.incarnation(), sequence);
    }

    /** Applies what has changed. Returns what to send for it; null when nothing is. */
    synchronized ClusterMessage.@Nullable SnapshotRequest delta(ClusterMessage.Delta delta) {
        if (!isOfStream(delta.stream(), delta.incarnation())) {
            return null;
        }
        if (awaitsSnapshot) {
            return isOverdue() ? request() : null;
        }
        if (delta.from() > sequence) {
            return request();
        }
        progressNanos = nanoTime.getAsLong();
        contents.apply(delta.entries(), sequence, missed, progressNanos);
        sequence = Math.max(sequence, delta.to());
        return null;
    }

    @GuardedBy("this")
    private boolean isOfStream(long number, long incarnation) {
        return present && number == stream && incarnation == owner.incarnation();
    }

    /** Takes a part of a snapshot; the last one replaces the copy. Returns what to send for it; null when nothing is. */
    synchronized ClusterMessage.@Nullable SnapshotRequest snapshot(ClusterMessage.Snapshot snapshot) {
        if (!isOfStream(snapshot.stream(), snapshot.incarnation())) {
            return null;
        }
        GatheredEntries gathered = snapshot.part() == 0 ? new GatheredEntries() : parts;
        parts = gathered;
        progressNanos = nanoTime.getAsLong();
        if (gathered == null || !gathered.add(snapshot.part(), snapshot.entries())) {
            parts = null;
            return request();
        }
        if (snapshot.last()) {
            parts = null;
            replaceBy(gathered, snapshot.at(), snapshot.endsSince());
        }
        return null;
    }

    @GuardedBy("this")
    private void replaceBy(GatheredEntries snapshot, long at, long endsSince) {
        // All that has ended after the copy's number is named, unless the log has forgotten some of it.
        boolean endsAreKnown = sequence >= endsSince;
        boolean isMissed = orphaned || missed.mayHave(sequence + 1, progressNanos);
        contents.replaceBy(snapshot, endsAreKnown, isMissed, orphaned, progressNanos);
        sequence = at;
        awaitsSnapshot = false;
        orphaned = false;
    }

    /** Compares the copy with what its owner has. Returns what to send for it; null when nothing is. */
    synchronized @Nullable ClusterMessage heartbeat(ClusterMessage.Heartbeat heartbeat) {
        if (!present || heartbeat.stream() < stream) {
            return null;
        }
        comparisons.position(
                heartbeat.stream() > stream || awaitsSnapshot || heartbeat.sequence() > sequence, nanoTime.getAsLong());
        if (heartbeat.stream() > stream) {
            // This node has lost its owner from the view and got it back, and the owner has not seen that. Or the hello
            // was lost.
            return open(heartbeat.stream(), heartbeat.sequence());
        }
        if (awaitsSnapshot || parts != null) {
            return isOverdue() ? request() : null;
        }
        if (heartbeat.sequence() == sequence) {
            progressNanos = nanoTime.getAsLong();
            boolean isEqual = heartbeat.digest() == contents.digest() && heartbeat.count() == contents.count();
            comparisons.digests(isEqual, progressNanos);
            if (!isEqual) {
                events.diverged(owner);
                return request();
            }
            return null;
        }
        // A copy that is further than this heartbeat has overtaken it.
        return heartbeat.sequence() > sequence && isOverdue() ? request() : null;
    }

    @GuardedBy("this")
    private boolean isOverdue() {
        return nanoTime.getAsLong() - progressNanos >= PATIENCE.toNanos();
    }

    /** Asks for a snapshot. The copy stays as it is until the snapshot replaces it. */
    @GuardedBy("this")
    private ClusterMessage.SnapshotRequest request() {
        progressNanos = nanoTime.getAsLong();
        awaitsSnapshot = true;
        return new ClusterMessage.SnapshotRequest(stream);
    }

    /** The owner is a member of the present view. */
    synchronized void arrived() {
        present = true;
        stream = -1;
        parts = null;
        keptElsewhere.clear();
        progressNanos = nanoTime.getAsLong();
        if (orphaned) {
            metAgain();
        }
    }

    /**
     * This node or the owner may have been away, also where its view kept the owner: the group has met again after a split, or this node
     * did not run for some seconds. What happened meanwhile arrives from several nodes in any order.
     */
    synchronized void metAgain() {
        missed.met(nanoTime.getAsLong());
    }

    /** As {@link #departed(boolean)}, of an owner that did not hang. */
    synchronized void departed() {
        departed(false);
    }

    /**
     * The owner has left the view: all of the copy is kept as orphans.
     *
     * @param hung whether the owner was silent for seconds before
     */
    synchronized void departed(boolean hung) {
        if (!present) {
            return;
        }
        present = false;
        parts = null;
        windows.departed(nanoTime.getAsLong(), hung ? HUNG : Duration.ZERO);
        wanted = sequence == ClusterMessage.StreamPosition.NONE;
        if (!orphaned) {
            orphaned = true;
            contents.holdAll();
        }
    }

    /**
     * Ends what is held for too long. While this node is cut off from a node that is alive nothing ends: the client may be there. When
     * it sees that node again, it waits as long as if all had just happened, because the messages are still to come.
     *
     * @param isCutOff whether a node that is not in the view is alive
     */
    synchronized void expire(boolean isCutOff) {
        long now = nanoTime.getAsLong();
        contents.endMoved(now, isCutOff);
        if (isOverdue()) {
            keptElsewhere.clear();
        }
        wanted = wanted && now - windows.departedNanos() < WANTED.toNanos();
        if (!present && orphaned && windows.areDue(now, isCutOff) && contents.endOrphans(windows, now)) {
            // The copy is no longer that of a number; an owner that comes back sends it anew.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
    }

    /** Whether there is nothing of the owner any more, and nothing to come. */
    synchronized boolean isOver() {
        return !present && !wanted && contents.isEmpty() && keptElsewhere.isEmpty();
    }

    /** The part of a departed copy that another node needs. */
    record Kept(long ageMillis, List<RegistryEntry> entries) {}

    /** Up to which change of the departed node the copy goes; {@link ClusterMessage.StreamPosition#NONE} when it is incomplete. */
    synchronized long position() {
        return sequence;
    }

    /** The entries of the departed node that are still held and have changed after that number. */
    synchronized Kept kept(long after) {
        return new Kept(windows.ageMillis(nanoTime.getAsLong()), contents.held(after));
    }

    /** Takes a part of what another node keeps of the departed node; the last one adds what is missing here. */
    synchronized void orphans(NodeId sender, ClusterMessage.Orphans orphans) {
        if (present) {
            return;
        }
        progressNanos = nanoTime.getAsLong();
        GatheredEntries kept = keptElsewhere.take(sender, orphans);
        if (kept != null) {
            adopt(kept, orphans.age());
        }
    }

    @GuardedBy("this")
    private void adopt(GatheredEntries kept, long ageMillis) {
        long now = nanoTime.getAsLong();
        wanted = false;
        if (!orphaned) {
            orphaned = true;
            windows.departedBefore(now, ageMillis);
        }
        windows.added(now);
        if (contents.adopt(kept)) {
            // An owner that comes back sends its copy anew: this one is put together from two.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
    }

    /**
     * The publication as far as this node shows it, owned or held; null when it does not. What has moved has no number of its own any
     * more.
     */
    synchronized RegistryEntry.@Nullable Published known(String publisherId, ServiceKey service) {
        return contents.known(publisherId, service, orphaned);
    }

    /**
     * Holds what this node knows from before its restart, as if the owner had departed now. Does nothing while the owner is a member. As
     * with what a node remembers of itself, each registration counts more, so the time of the registration is not kept.
     *
     * @return how many publications these are
     */
    synchronized int holdKnown(List<RegistryEntry> known) {
        if (present) {
            return 0;
        }
        List<RegistryEntry> older = new ArrayList<>(known.size());
        for (RegistryEntry entry : known) {
            if (entry instanceof RegistryEntry.Published set) {
                older.add(new RegistryEntry.Published(set.sequence(), beforeAll(set.publication())));
            }
        }
        GatheredEntries gathered = new GatheredEntries();
        gathered.add(0, older);
        boolean isWantedOfOthers = wanted;
        adopt(gathered, ClusterMessage.Orphans.NOT_STARTED);
        wanted = isWantedOfOthers;
        return gathered.entries().count();
    }

    private static MirroredPublication beforeAll(MirroredPublication known) {
        return new MirroredPublication(
                known.publisher(), known.service(), MirroredPublication.BEFORE_ALL, known.instances());
    }

    /** Whether the owner has sent all that it owns since it is a member. */
    synchronized boolean isComplete() {
        return present && stream >= 0 && sequence != ClusterMessage.StreamPosition.NONE;
    }

    /** Whether the owner departed before all of the copy was here, and what another node has of it may still come. */
    synchronized boolean isWanted() {
        return !present && wanted;
    }

    synchronized long departedNanos() {
        return windows.departedNanos();
    }

    NodeId owner() {
        return owner;
    }

    synchronized OwnLog.Summary summary() {
        return new OwnLog.Summary(sequence, contents.count(), contents.digest());
    }

    synchronized CopyComparison comparison() {
        return comparisons.at(nanoTime.getAsLong());
    }

    synchronized void forEach(Consumer<MirroredPublication> consumer) {
        contents.forEach(consumer);
    }
}
