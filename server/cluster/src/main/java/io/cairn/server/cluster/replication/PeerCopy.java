package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The copy of another node's entries, with moved publications until their new owner has them. After the departure of the node it
 * holds all of the copy as orphans, until the clients are elsewhere. Calls the registry with its lock held, so that the registry
 * gets the changes in the order of the stream.
 */
final class PeerCopy {

    /**
     * How long a moved publication waits for its new owner. Longer than the detection of a hang: an owner that hangs before it has
     * notified all others is excluded first, and the next owner adopts the held publications.
     */
    static final Duration MOVED_HOLD = Duration.ofSeconds(15);

    /** A copy without progress for this time requests a snapshot. */
    static final Duration PATIENCE = Duration.ofSeconds(3);

    /** The longest hold while this node is cut off from another, or admits no clients. */
    static final Duration CUT_OFF = Duration.ofMinutes(10);

    /** How long a joining node waits for another node's copy of a node that departed meanwhile. */
    static final Duration WANTED = Duration.ofSeconds(5);

    /**
     * The additional hold for a hung node: its clients detect the hang by time-outs, official ones after 15 to 22 s on a busy
     * machine, and some retry that node once. Connections of a dead node break at once.
     */
    static final Duration HUNG = Duration.ofSeconds(15);

    interface Events {
        void diverged(NodeId owner);

        /** The result of {@link PeerCopy#known} may have changed. Called with the lock of the copy held. */
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

    /** The number of the copy; {@link ClusterMessage.StreamPosition#NONE} when it needs a snapshot. */
    @GuardedBy("this")
    private long sequence = ClusterMessage.StreamPosition.NONE;

    /** Whether a snapshot is to come; earlier messages are ignored. */
    @GuardedBy("this")
    private boolean awaitsSnapshot;

    @GuardedBy("this")
    private long stream = -1;

    @GuardedBy("this")
    private boolean present;

    @GuardedBy("this")
    private boolean orphaned;

    /** Whether the owner departed before the copy was complete, and another node is about to send its copy. */
    @GuardedBy("this")
    private boolean wanted;

    @GuardedBy("this")
    private @Nullable GatheredEntries parts;

    /** The time of the last progress or request of a snapshot. */
    @GuardedBy("this")
    private long progressNanos;

    /** @param window how long an instance of a departed node is kept, by the SDK of its client */
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

    synchronized ClusterMessage.@Nullable StreamPosition opened(ClusterMessage.Hello hello) {
        return !present || hello.stream() < stream ? null : open(hello.stream(), hello.sequence());
    }

    @GuardedBy("this")
    private ClusterMessage.StreamPosition open(long number, long ownerSequence) {
        parts = null;
        progressNanos = nanoTime.getAsLong();
        if (stream >= 0 && number > stream) {
            // The owner lost this node from its view, perhaps unnoticed here.
            missed.met(progressNanos);
        }
        stream = number;
        if (awaitsSnapshot || sequence > ownerSequence) {
            // The copy does not belong to this owner's numbers.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
        awaitsSnapshot = sequence == ClusterMessage.StreamPosition.NONE;
        missed.opened(ownerSequence, orphaned, progressNanos);
        if (orphaned && sequence != ClusterMessage.StreamPosition.NONE) {
            contents.confirmAll();
            orphaned = false;
        }
        return new ClusterMessage.StreamPosition(stream, owner.incarnation(), sequence);
    }

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

    /** Adds a part of a snapshot; the last part replaces the copy. Returns the answer to send, or null. */
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
        // The snapshot names all ends after the copy's number, unless the log has lost some.
        boolean endsAreKnown = sequence >= endsSince;
        boolean isMissed = orphaned || missed.mayHave(sequence + 1, progressNanos);
        contents.replaceBy(snapshot, endsAreKnown, isMissed, orphaned, progressNanos);
        sequence = at;
        awaitsSnapshot = false;
        orphaned = false;
    }

    /** Compares the copy with the owner's heartbeat. Returns the answer to send, or null. */
    synchronized @Nullable ClusterMessage heartbeat(ClusterMessage.Heartbeat heartbeat) {
        if (!present || heartbeat.stream() < stream) {
            return null;
        }
        comparisons.position(
                heartbeat.stream() > stream || awaitsSnapshot || heartbeat.sequence() > sequence, nanoTime.getAsLong());
        if (heartbeat.stream() > stream) {
            // This node lost its owner from the view and met it again, unnoticed by the owner. Or the hello was lost.
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

    /** The copy stays until the snapshot replaces it. */
    @GuardedBy("this")
    private ClusterMessage.SnapshotRequest request() {
        progressNanos = nanoTime.getAsLong();
        awaitsSnapshot = true;
        return new ClusterMessage.SnapshotRequest(stream);
    }

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
     * The group met again after a split, or this node did not run for some seconds: node or owner may have been away, also inside
     * one view. The events of that time arrive from several nodes in any order.
     */
    synchronized void metAgain() {
        missed.met(nanoTime.getAsLong());
    }

    synchronized void departed() {
        departed(false);
    }

    /**
     * The owner left the view: the copy becomes orphans.
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
     * Ends publications after their hold. While this node is cut off from a living node nothing ends: the client may be there. When
     * it meets that node again, all holds restart, because messages are still to come.
     *
     * @param isHeld whether nothing ends: a node outside the view is alive, or this node admits no clients yet or stops
     */
    synchronized void expire(boolean isHeld) {
        long now = nanoTime.getAsLong();
        contents.endMoved(now, isHeld);
        if (isOverdue()) {
            keptElsewhere.clear();
        }
        wanted = wanted && now - windows.departedNanos() < WANTED.toNanos();
        windows.returned(now, contents.returned());
        if (!present && orphaned && windows.areDue(now, isHeld) && contents.endOrphans(windows, now)) {
            // The copy has no number now; a returning owner sends it again.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
    }

    /** Whether there is nothing of the owner any more, and nothing to come. */
    synchronized boolean isOver() {
        return !present && !wanted && contents.isEmpty() && keptElsewhere.isEmpty();
    }

    record Kept(long ageMillis, List<RegistryEntry> entries) {}

    /** The number of the last change in the copy of a departed node; {@link ClusterMessage.StreamPosition#NONE} when incomplete. */
    synchronized long position() {
        return sequence;
    }

    synchronized Kept kept(long after) {
        return new Kept(windows.ageMillis(nanoTime.getAsLong()), contents.held(after));
    }

    /** Adds a part of another node's copy of the departed node; the last part adds the missing entries. */
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
            // This copy consists of two, so a returning owner sends its copy again.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
    }

    /** The shown publication, owned or held, or null. A moved one has no number of its own. */
    synchronized RegistryEntry.@Nullable Published known(String publisherId, ServiceKey service) {
        return contents.known(publisherId, service, orphaned);
    }

    /**
     * Holds entries from before this node's restart, as if the owner had departed now; no effect while the owner is a member. Each
     * new registration replaces them, whatever their time was.
     *
     * @return the number of held publications
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

    synchronized boolean isComplete() {
        return present && stream >= 0 && sequence != ClusterMessage.StreamPosition.NONE;
    }

    /** Whether the owner departed before the copy was complete, and another node's copy may still arrive. */
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
