package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.MirroredPublication;
import io.cairn.server.naming.MirroredRegistry;
import io.cairn.server.naming.Publisher;
import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
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

    /** Identifies a publication within the copy. */
    private abstract static class Key {

        abstract String publisherId();

        abstract ServiceKey service();

        static Key of(String publisherId, ServiceKey service) {
            return new Named(publisherId, service);
        }

        static Key of(MirroredPublication publication) {
            return of(publication.publisher().id(), publication.service());
        }

        @Override
        public final boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && publisherId().equals(that.publisherId())
                    && service().equals(that.service());
        }

        @Override
        public final int hashCode() {
            return publisherId().hashCode() * 31 + service().hashCode();
        }
    }

    private static final class Named extends Key {

        private final String publisherId;
        private final ServiceKey service;

        Named(String publisherId, ServiceKey service) {
            this.publisherId = publisherId;
            this.service = service;
        }

        @Override
        String publisherId() {
            return publisherId;
        }

        @Override
        ServiceKey service() {
            return service;
        }
    }

    private record CheckKey(ServiceKey service, InstanceKey instance) {}

    /** A publication of the copy, which is its own key there: a key for each would take a tenth of the memory. */
    private static final class Slot extends Key {

        private MirroredPublication publication;
        private long sequence;

        Slot(MirroredPublication publication, long sequence) {
            this.publication = publication;
            this.sequence = sequence;
        }

        @Override
        String publisherId() {
            return publication.publisher().id();
        }

        @Override
        ServiceKey service() {
            return publication.service();
        }
    }

    private record CheckSlot(boolean healthy, long sequence) {}

    /** @param atNanos when it has moved */
    private record Moved(MirroredPublication publication, long atNanos, long untilNanos) {

        static Moved at(MirroredPublication publication, long now) {
            return new Moved(publication, now, now + MOVED_HOLD.toNanos());
        }

        /** As if it had moved now, but not without a limit. */
        Moved again(long now) {
            return now - atNanos > CUT_OFF.toNanos()
                    ? this
                    : new Moved(publication, atNanos, now + MOVED_HOLD.toNanos());
        }
    }

    /** Gathers the parts of a snapshot, or of the copy of a departed node that another node sends. */
    private static final class Parts {

        private final Map<Key, Slot> publications = new HashMap<>();
        private final Map<CheckKey, CheckSlot> checks = new HashMap<>();
        private final Map<Key, RegistryEntry.Moved> moved = new HashMap<>();
        private final List<RegistryEntry.Forgotten> forgotten = new ArrayList<>();
        private int next;

        /** False when a part is missing. */
        boolean add(int part, List<RegistryEntry> entries) {
            if (part != next) {
                return false;
            }
            next++;
            for (RegistryEntry entry : entries) {
                if (entry instanceof RegistryEntry.Published set) {
                    MirroredPublication publication = set.publication();
                    Slot slot = new Slot(publication, set.sequence());
                    // The key is replaced as well, so that it is the same object as the value.
                    publications.remove(slot);
                    publications.put(slot, slot);
                    moved.remove(slot);
                } else if (entry instanceof RegistryEntry.Gone gone) {
                    Key key = Key.of(gone.publisherId(), gone.service());
                    publications.remove(key);
                    moved.remove(key);
                } else if (entry instanceof RegistryEntry.Moved now) {
                    Key key = Key.of(now.publisherId(), now.service());
                    publications.remove(key);
                    moved.put(key, now);
                } else if (entry instanceof RegistryEntry.Checked checked) {
                    checks.put(
                            new CheckKey(checked.service(), checked.instance()),
                            new CheckSlot(checked.healthy(), checked.sequence()));
                } else if (entry instanceof RegistryEntry.Unchecked unchecked) {
                    checks.remove(new CheckKey(unchecked.service(), unchecked.instance()));
                } else if (entry instanceof RegistryEntry.Forgotten now) {
                    forgotten.add(now);
                }
            }
            return true;
        }
    }

    private final NodeId owner;
    private final MirroredRegistry registry;
    private final ClusterClock clock;
    private final RecentDeregistrations deregistrations;
    private final Function<String, Duration> window;
    private final LongSupplier nanoTime;
    private final Events events;

    @GuardedBy("this")
    private final Map<Key, Slot> publications = new HashMap<>();

    @GuardedBy("this")
    private final Map<CheckKey, CheckSlot> checks = new HashMap<>();

    @GuardedBy("this")
    private final Map<Key, Moved> moved = new HashMap<>(0);

    /** Number up to which the copy goes; {@link ClusterMessage.StreamPosition#NONE} when a snapshot is needed. */
    @GuardedBy("this")
    private long sequence = ClusterMessage.StreamPosition.NONE;

    @GuardedBy("this")
    private long digest;

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

    @GuardedBy("this")
    private long departedNanos;

    /**
     * Number of the owner's last change when this node and the owner met again. A connection that had ended by then may be at a third
     * node, whose change arrives later.
     */
    @GuardedBy("this")
    private long metAt = OwnLog.START;

    /** Until when the two count as just met: messages from before that, and heartbeats among them, may arrive first. */
    @GuardedBy("this")
    private long justMetUntilNanos;

    /** Whether the owner departed before all of the copy was here, and another node is about to send what it has. */
    @GuardedBy("this")
    private boolean wanted;

    @GuardedBy("this")
    private boolean windowStarted;

    @GuardedBy("this")
    private long windowStartNanos;

    /** For how long the windows begin later. */
    @GuardedBy("this")
    private long delayNanos;

    @GuardedBy("this")
    private long nextEndNanos;

    @GuardedBy("this")
    private @Nullable Parts parts;

    /** The parts of this copy that other nodes send, after its owner has departed. */
    @GuardedBy("this")
    private final Map<NodeId, Parts> keptElsewhere = new HashMap<>(0);

    /** When the copy last came closer to its owner, or asked for a snapshot. */
    @GuardedBy("this")
    private long progressNanos;

    /** Whether owner and copy had the same entries when they were last compared; null before the first time. */
    @GuardedBy("this")
    private @Nullable Boolean digestsEqual;

    /** When the copy last had all that its owner said it has; when it was made, before the first time. */
    @GuardedBy("this")
    private long inStepNanos;

    /** When the copy last differed; null for never. */
    @GuardedBy("this")
    private @Nullable Long differedNanos;

    /** Whether the copy lacks something that its owner has named. */
    @GuardedBy("this")
    private boolean isBehind;

    /**
     * @param digestsEqual whether owner and copy had the same entries when they were last compared; null before the first time
     * @param behindNanos for how long the copy has not had all that its owner says it has; 0 when it has
     * @param nanosSinceDiffered null when it has never differed
     */
    record Comparison(
            @Nullable Boolean digestsEqual,
            long behindNanos,
            @Nullable Long nanosSinceDiffered) {}

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
        this.registry = registry;
        this.clock = clock;
        this.deregistrations = deregistrations;
        this.window = window;
        this.nanoTime = nanoTime;
        this.events = events;
        this.inStepNanos = nanoTime.getAsLong();
        this.justMetUntilNanos = inStepNanos;
    }

    // --- the stream

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
        stream = number;
        parts = null;
        progressNanos = nanoTime.getAsLong();
        if (awaitsSnapshot || sequence > ownerSequence) {
            // The copy is not one of this owner's changes.
            sequence = ClusterMessage.StreamPosition.NONE;
        }
        awaitsSnapshot = sequence == ClusterMessage.StreamPosition.NONE;
        metAt = orphaned || hasJustMet() ? Math.max(metAt, ownerSequence) : metAt;
        if (orphaned && sequence != ClusterMessage.StreamPosition.NONE) {
            // The owner goes on from here: its own word counts again.
            publications.values().forEach(slot -> registry.set(owner, slot.publication));
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
        // First what is published: an instance that has gone from one publisher to another on its owner is in no list
        // for a moment
        // otherwise, because the entries are in the order of their latest changes. They are about different things, so
        // their order
        // plays no other part.
        applyThose(delta.entries(), true);
        applyThose(delta.entries(), false);
        sequence = Math.max(sequence, delta.to());
        return null;
    }

    @GuardedBy("this")
    private void applyThose(List<RegistryEntry> entries, boolean published) {
        for (RegistryEntry entry : entries) {
            // The copy has the older entries already, and may have seen their end.
            if (entry.sequence() > sequence && entry instanceof RegistryEntry.Published == published) {
                apply(entry);
            }
        }
    }

    @GuardedBy("this")
    private boolean isOfStream(long number, long incarnation) {
        return present && number == stream && incarnation == owner.incarnation();
    }

    @GuardedBy("this")
    private void apply(RegistryEntry entry) {
        if (entry instanceof RegistryEntry.Published set) {
            clock.followStamp(set.publication().publishedAt());
            Key key = Key.of(set.publication());
            moved.remove(key);
            put(key, set.publication(), set.sequence());
        } else if (entry instanceof RegistryEntry.Gone gone) {
            Key key = Key.of(gone.publisherId(), gone.service());
            Slot slot = take(key);
            Moved held = moved.remove(key);
            if (slot != null && hasConnection(slot.publication) && wasAway(gone.sequence())) {
                holdMoved(key, slot.publication);
            } else if (slot != null) {
                registry.remove(owner, slot.publication);
            } else if (held != null) {
                registry.remove(owner, held.publication());
            }
            changed(key);
        } else if (entry instanceof RegistryEntry.Moved now) {
            Key key = Key.of(now.publisherId(), now.service());
            Slot slot = take(key);
            if (slot != null) {
                holdMoved(key, slot.publication);
            }
        } else if (entry instanceof RegistryEntry.Checked checked) {
            CheckKey key = new CheckKey(checked.service(), checked.instance());
            CheckSlot before = checks.put(key, new CheckSlot(checked.healthy(), checked.sequence()));
            digest ^= digestOf(key, checked.sequence()) ^ (before == null ? 0 : digestOf(key, before.sequence()));
            if (before == null || before.healthy() != checked.healthy()) {
                registry.check(checked.service(), checked.instance(), checked.healthy());
            }
        } else if (entry instanceof RegistryEntry.Unchecked unchecked) {
            CheckKey key = new CheckKey(unchecked.service(), unchecked.instance());
            CheckSlot before = checks.remove(key);
            digest ^= before == null ? 0 : digestOf(key, before.sequence());
        } else if (entry instanceof RegistryEntry.Forgotten forgotten) {
            forget(forgotten);
        }
    }

    /** Whether the owner has made the change while the two did not see each other, or may have. */
    @GuardedBy("this")
    private boolean wasAway(long number) {
        return number <= metAt || hasJustMet();
    }

    @GuardedBy("this")
    private boolean hasJustMet() {
        return nanoTime.getAsLong() - justMetUntilNanos < 0;
    }

    /** Whether its client tells by its connection that it is alive. One over HTTP that has ended sends no heartbeats to any node. */
    private static boolean hasConnection(MirroredPublication publication) {
        return publication.publisher().kind() != Publisher.Kind.HTTP;
    }

    @GuardedBy("this")
    private void put(Key key, MirroredPublication publication, long number) {
        Slot slot = publications.get(key);
        if (slot == null) {
            Slot added = new Slot(publication, number);
            publications.put(added, added);
        } else {
            digest ^= digestOf(key, slot.sequence);
            slot.sequence = number;
        }
        digest ^= digestOf(key, number);
        if (slot != null && slot.publication.equals(publication)) {
            return;
        }
        if (slot != null) {
            slot.publication = publication;
        }
        registry.set(owner, publication);
        changed(key);
    }

    private void changed(Key key) {
        events.changed(owner, key.publisherId(), key.service());
    }

    @GuardedBy("this")
    private @Nullable Slot take(Key key) {
        Slot slot = publications.remove(key);
        if (slot != null) {
            digest ^= digestOf(key, slot.sequence);
        }
        return slot;
    }

    @GuardedBy("this")
    private void holdMoved(Key key, MirroredPublication publication) {
        moved.put(key, Moved.at(publication, nanoTime.getAsLong()));
        hold(publication);
        changed(key);
    }

    private void hold(MirroredPublication publication) {
        registry.hold(owner, publication);
        for (RecentDeregistrations.Deregistration each : deregistrations.of(publication.service())) {
            registry.forget(publication.service(), each.instance(), each.changedAt());
        }
    }

    private void forget(RegistryEntry.Forgotten forgotten) {
        clock.followStamp(forgotten.changedAt());
        deregistrations.add(forgotten.service(), forgotten.instance(), forgotten.changedAt());
        registry.forget(forgotten.service(), forgotten.instance(), forgotten.changedAt());
    }

    private static long digestOf(Key key, long number) {
        return EntryDigest.ofPublication(key.publisherId(), key.service(), number);
    }

    private static long digestOf(CheckKey key, long number) {
        return EntryDigest.ofCheck(key.service(), key.instance(), number);
    }

    /** Takes a part of a snapshot; the last one replaces the copy. Returns what to send for it; null when nothing is. */
    synchronized ClusterMessage.@Nullable SnapshotRequest snapshot(ClusterMessage.Snapshot snapshot) {
        if (!isOfStream(snapshot.stream(), snapshot.incarnation())) {
            return null;
        }
        Parts gathered = snapshot.part() == 0 ? new Parts() : parts;
        parts = gathered;
        progressNanos = nanoTime.getAsLong();
        if (gathered == null || !gathered.add(snapshot.part(), snapshot.entries())) {
            parts = null;
            return request();
        }
        if (snapshot.last()) {
            parts = null;
            replace(gathered, snapshot.at(), snapshot.endsSince());
        }
        return null;
    }

    /** First what is new or other, then what is held, then what is gone: no list is shorter for a moment. */
    @GuardedBy("this")
    private void replace(Parts now, long at, long endsSince) {
        // All that has ended after the copy's number is named, unless the log has forgotten some of it.
        boolean endsAreKnown = sequence >= endsSince;
        boolean wasAway = orphaned || wasAway(sequence + 1);
        now.publications.forEach((key, slot) -> {
            Slot before = publications.get(key);
            moved.remove(key);
            clock.followStamp(slot.publication.publishedAt());
            if (before != null && before.publication.equals(slot.publication)) {
                slot.publication = before.publication;
                if (!orphaned) {
                    return;
                }
            }
            registry.set(owner, slot.publication);
            changed(key);
        });
        List<MirroredPublication> gone = new ArrayList<>();
        publications.forEach((key, slot) -> {
            if (!now.publications.containsKey(key)) {
                boolean hasEnded = hasConnection(slot.publication) ? !wasAway : endsAreKnown;
                boolean handedOver = now.moved.containsKey(key) || !hasEnded;
                if (handedOver) {
                    holdMoved(key, slot.publication);
                } else {
                    gone.add(slot.publication);
                    changed(key);
                }
            }
        });
        gone.forEach(publication -> registry.remove(owner, publication));
        now.checks.forEach((key, check) -> {
            CheckSlot before = checks.get(key);
            if (before == null || before.healthy() != check.healthy()) {
                registry.check(key.service(), key.instance(), check.healthy());
            }
        });
        publications.clear();
        publications.putAll(now.publications);
        checks.clear();
        checks.putAll(now.checks);
        digest = 0;
        publications.forEach((key, slot) -> digest ^= digestOf(key, slot.sequence));
        checks.forEach((key, check) -> digest ^= digestOf(key, check.sequence()));
        sequence = at;
        awaitsSnapshot = false;
        orphaned = false;
        now.forgotten.forEach(this::forget);
    }

    /** Compares the copy with what its owner has. Returns what to send for it; null when nothing is. */
    synchronized @Nullable ClusterMessage heartbeat(ClusterMessage.Heartbeat heartbeat) {
        if (!present || heartbeat.stream() < stream) {
            return null;
        }
        isBehind = heartbeat.stream() > stream || awaitsSnapshot || heartbeat.sequence() > sequence;
        if (!isBehind) {
            inStepNanos = nanoTime.getAsLong();
        }
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
            boolean isEqual = heartbeat.digest() == digest && heartbeat.count() == publications.size() + checks.size();
            digestsEqual = isEqual;
            if (!isEqual) {
                differedNanos = nanoTime.getAsLong();
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

    // --- members

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

    /** The group has met again after a split: this node or the owner may have been away, also where its view kept the owner. */
    synchronized void metAgain() {
        justMetUntilNanos = nanoTime.getAsLong() + PATIENCE.toNanos();
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
        delayNanos = hung ? HUNG.toNanos() : 0;
        parts = null;
        windowStarted = false;
        departedNanos = nanoTime.getAsLong();
        wanted = sequence == ClusterMessage.StreamPosition.NONE;
        if (!orphaned) {
            orphaned = true;
            publications.values().forEach(slot -> hold(slot.publication));
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
        if (isCutOff) {
            moved.replaceAll((key, each) -> each.again(now));
        }
        endMoved(now);
        if (isOverdue()) {
            keptElsewhere.clear();
        }
        wanted = wanted && now - departedNanos < WANTED.toNanos();
        if (present || !orphaned) {
            return;
        }
        if (isCutOff && now - departedNanos < CUT_OFF.toNanos()) {
            windowStarted = false;
            return;
        }
        if (!windowStarted) {
            windowStarted = true;
            windowStartNanos = now + delayNanos;
            nextEndNanos = now;
        }
        if (now - nextEndNanos >= 0) {
            endWindows(now);
        }
    }

    @GuardedBy("this")
    private void endMoved(long now) {
        for (Iterator<Moved> all = moved.values().iterator(); all.hasNext(); ) {
            Moved each = all.next();
            if (now - each.untilNanos() >= 0) {
                all.remove();
                registry.release(owner, each.publication());
                changed(Key.of(each.publication()));
            }
        }
    }

    @GuardedBy("this")
    private void endWindows(long now) {
        long next = Long.MAX_VALUE;
        Map<String, Long> ends = new HashMap<>();
        for (Iterator<Map.Entry<Key, Slot>> all = publications.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Key, Slot> each = all.next();
            MirroredPublication publication = each.getValue().publication;
            long end = ends.computeIfAbsent(
                    publication.publisher().client().version(),
                    sdk -> windowStartNanos + window.apply(sdk).toNanos());
            if (now - end >= 0) {
                all.remove();
                // The copy is no longer that of a number; an owner that comes back sends it anew.
                sequence = ClusterMessage.StreamPosition.NONE;
                registry.release(owner, publication);
                changed(each.getKey());
            } else {
                next = Math.min(next, end - now);
            }
        }
        nextEndNanos = next == Long.MAX_VALUE ? now : now + next;
    }

    /** Whether there is nothing of the owner any more, and nothing to come. */
    synchronized boolean isOver() {
        return !present && !wanted && publications.isEmpty() && moved.isEmpty() && keptElsewhere.isEmpty();
    }

    // --- orphans for nodes that join

    /** The part of a departed copy that another node needs. */
    record Kept(long ageMillis, List<RegistryEntry> entries) {}

    /** Up to which change of the departed node the copy goes; {@link ClusterMessage.StreamPosition#NONE} when it is incomplete. */
    synchronized long position() {
        return sequence;
    }

    /** The entries of the departed node that are still held and have changed after that number. */
    synchronized Kept kept(long after) {
        List<RegistryEntry> entries = new ArrayList<>(publications.size());
        for (Slot slot : publications.values()) {
            if (slot.sequence > after && registry.isHeld(owner, slot.publication)) {
                entries.add(new RegistryEntry.Published(slot.sequence, slot.publication));
            }
        }
        return new Kept(windowStarted ? windowAgeMillis() : ClusterMessage.Orphans.NOT_STARTED, entries);
    }

    /** Negative for a window that begins later; never {@link ClusterMessage.Orphans#NOT_STARTED}. */
    @GuardedBy("this")
    private long windowAgeMillis() {
        long age = Duration.ofNanos(nanoTime.getAsLong() - windowStartNanos).toMillis();
        return age == ClusterMessage.Orphans.NOT_STARTED ? 0 : age;
    }

    /** Takes a part of what another node keeps of the departed node; the last one adds what is missing here. */
    synchronized void orphans(NodeId sender, ClusterMessage.Orphans orphans) {
        if (present) {
            return;
        }
        progressNanos = nanoTime.getAsLong();
        Parts gathered = orphans.part() == 0 ? new Parts() : keptElsewhere.get(sender);
        if (gathered == null || !gathered.add(orphans.part(), orphans.entries())) {
            // The sender's view has changed meanwhile; a node that knows both views sends the copy again.
            keptElsewhere.remove(sender);
        } else if (orphans.last()) {
            keptElsewhere.remove(sender);
            adopt(gathered, orphans.age());
        } else {
            keptElsewhere.put(sender, gathered);
        }
    }

    @GuardedBy("this")
    private void adopt(Parts kept, long ageMillis) {
        long now = nanoTime.getAsLong();
        wanted = false;
        if (!orphaned) {
            orphaned = true;
            departedNanos = now;
            windowStarted = ageMillis != ClusterMessage.Orphans.NOT_STARTED;
            windowStartNanos =
                    windowStarted ? now - Duration.ofMillis(ageMillis).toNanos() : now;
        }
        nextEndNanos = now;
        kept.publications.forEach((key, slot) -> {
            Slot known = publications.get(key);
            if (known == null || known.sequence < slot.sequence) {
                // An owner that comes back sends its copy anew: this one is put together from two.
                sequence = ClusterMessage.StreamPosition.NONE;
                publications.remove(key);
                publications.put(slot, slot);
                hold(slot.publication);
                changed(key);
            }
        });
    }

    // --- what is known over a restart of this node

    /**
     * The publication as far as this node shows it, owned or held; null when it does not. What has moved has no number of its own any
     * more.
     */
    synchronized RegistryEntry.@Nullable Published known(String publisherId, ServiceKey service) {
        Key key = Key.of(publisherId, service);
        Slot slot = publications.get(key);
        if (slot != null) {
            return orphaned && !registry.isHeld(owner, slot.publication)
                    ? null
                    : new RegistryEntry.Published(slot.sequence, slot.publication);
        }
        Moved held = moved.get(key);
        return held == null || !registry.isHeld(owner, held.publication())
                ? null
                : new RegistryEntry.Published(0, held.publication());
    }

    /**
     * Holds what this node knows from before its restart, as if the owner had departed now. Does nothing while the owner is a member. As
     * with what a node remembers of itself, each registration counts more, so the time of the registration is not kept.
     *
     * @return how many publications these are
     */
    synchronized int holdKnown(List<RegistryEntry> entries) {
        if (present) {
            return 0;
        }
        Parts known = new Parts();
        for (RegistryEntry entry : entries) {
            if (entry instanceof RegistryEntry.Published set) {
                MirroredPublication publication = set.publication();
                known.add(
                        known.next,
                        List.of(new RegistryEntry.Published(
                                set.sequence(),
                                new MirroredPublication(
                                        publication.publisher(),
                                        publication.service(),
                                        MirroredPublication.BEFORE_ALL,
                                        publication.instances()))));
            }
        }
        boolean isWantedOfOthers = wanted;
        adopt(known, ClusterMessage.Orphans.NOT_STARTED);
        wanted = isWantedOfOthers;
        return known.publications.size();
    }

    // --- what is shown of the copy

    /** Whether the owner has sent all that it owns since it is a member. */
    synchronized boolean isComplete() {
        return present && stream >= 0 && sequence != ClusterMessage.StreamPosition.NONE;
    }

    /** Whether the owner departed before all of the copy was here, and what another node has of it may still come. */
    synchronized boolean isWanted() {
        return !present && wanted;
    }

    synchronized long departedNanos() {
        return departedNanos;
    }

    NodeId owner() {
        return owner;
    }

    synchronized OwnLog.Summary summary() {
        return new OwnLog.Summary(sequence, publications.size() + checks.size(), digest);
    }

    synchronized Comparison comparison() {
        long now = nanoTime.getAsLong();
        return new Comparison(
                digestsEqual,
                isBehind ? now - inStepNanos : 0,
                differedNanos == null ? null : Long.valueOf(now - differedNanos));
    }

    synchronized void forEach(Consumer<MirroredPublication> consumer) {
        publications.values().forEach(slot -> consumer.accept(slot.publication));
    }
}
