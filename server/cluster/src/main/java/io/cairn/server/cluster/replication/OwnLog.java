package io.cairn.server.cluster.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.registry.OwnChanges;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * This node's publications in the order of their last changes, each change with the next sequence number. The log keeps no values:
 * it has the number of each publication's latest change, and a sender reads the present state from the registry. So its size is
 * bounded by the registry of this node. Ended publications leave a tombstone, for 10 minutes and at most 100,000 of them; a
 * follower further behind gets a snapshot.
 *
 * <p>Its lock is a leaf.
 */
public final class OwnLog implements OwnChanges {

    static final int MAX_TOMBSTONES = 100_000;
    static final Duration TOMBSTONE_AGE = Duration.ofMinutes(10);

    static final long START = 0;

    /** The subject of an entry of the log. */
    sealed interface Subject {

        ServiceKey service();

        record Publication(String publisherId, ServiceKey service) implements Subject {}

        record Check(ServiceKey service, InstanceKey instance) implements Subject {}

        record Deregistration(ServiceKey service, InstanceKey instance) implements Subject {}
    }

    enum State {
        /** A publication whose instances the registry has. */
        PUBLISHED,
        HEALTHY,
        UNHEALTHY,
        GONE,
        MOVED;

        /** False for a tombstone. */
        boolean isOwned() {
            return this != GONE && this != MOVED;
        }
    }

    private static final class Entry {

        private final Subject subject;
        private State state;
        private long sequence;
        private @Nullable String movedTo;
        /** The time, for a deregistration. */
        private long changedAt;

        Entry(Subject subject) {
            this.subject = subject;
            this.state = State.GONE;
        }
    }

    private record Tombstone(Entry entry, long sequence, long sinceNanos) {}

    record Change(
            Subject subject,
            State state,
            long sequence,
            @Nullable String movedTo,
            long changedAt) {}

    /**
     * @param to the number up to which these are all changes
     * @param last the number of the last change of all
     * @param endsSince later ends are all known
     */
    record Changes(List<Change> entries, long to, long last, long endsSince) {

        boolean isAll() {
            return to == last;
        }
    }

    public record Summary(long sequence, long count, long digest) {}

    private final ClusterClock clock;
    private final LongSupplier nanoTime;
    private final RecentDeregistrations deregistrations;
    private final List<Runnable> followers = new CopyOnWriteArrayList<>();

    @GuardedBy("lock")
    private final Map<Subject, Entry> entries = new HashMap<>();

    @GuardedBy("lock")
    private final ArrayDeque<Tombstone> tombstones = new ArrayDeque<>();

    // The places of the order, in two arrays. A place is void when its entry has another number.
    @GuardedBy("lock")
    private Entry[] order = new Entry[64];

    @GuardedBy("lock")
    private long[] numbers = new long[64];

    @GuardedBy("lock")
    private int places;

    @GuardedBy("lock")
    private long sequence = START;

    @GuardedBy("lock")
    private long count;

    @GuardedBy("lock")
    private long digest;

    /** Number of the last change of which no tombstone is left. */
    @GuardedBy("lock")
    private long trimmed = START;

    private final Object lock = new Object();

    OwnLog(ClusterClock clock, LongSupplier nanoTime, RecentDeregistrations deregistrations) {
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.deregistrations = deregistrations;
    }

    /** Sets a callback for each change, with the locks of the change held; it must return at once. */
    void follow(Runnable changed) {
        followers.add(changed);
    }

    void unfollow(Runnable changed) {
        followers.remove(changed);
    }

    @Override
    public void published(String publisherId, ServiceKey service) {
        record(new Subject.Publication(publisherId, service), State.PUBLISHED, null, 0);
    }

    @Override
    public void withdrawn(String publisherId, ServiceKey service) {
        record(new Subject.Publication(publisherId, service), State.GONE, null, 0);
    }

    @Override
    public void moved(String publisherId, ServiceKey service, String to) {
        record(new Subject.Publication(publisherId, service), State.MOVED, to, 0);
    }

    @Override
    public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {
        record(new Subject.Check(service, instance), healthy ? State.HEALTHY : State.UNHEALTHY, null, 0);
    }

    @Override
    public void unchecked(ServiceKey service, InstanceKey instance) {
        record(new Subject.Check(service, instance), State.GONE, null, 0);
    }

    @Override
    public void forgotten(ServiceKey service, InstanceKey instance) {
        long changedAt = clock.stamp();
        deregistrations.add(service, instance, changedAt);
        record(new Subject.Deregistration(service, instance), State.GONE, null, changedAt);
    }

    @Override
    public long deregisteredAt(ServiceKey service, InstanceKey instance) {
        return deregistrations.changedAt(service, instance);
    }

    private void record(Subject subject, State state, @Nullable String movedTo, long changedAt) {
        synchronized (lock) {
            Entry entry = entries.get(subject);
            boolean ends = !state.isOwned();
            if (entry == null) {
                if (ends && !(subject instanceof Subject.Deregistration)) {
                    // The followers have never had it.
                    return;
                }
                entry = new Entry(subject);
                entries.put(subject, entry);
            } else if (ends && !entry.state.isOwned() && !(subject instanceof Subject.Deregistration)) {
                return;
            }
            if (entry.state.isOwned()) {
                count--;
                digest ^= digestOf(entry);
            }
            entry.state = state;
            entry.movedTo = movedTo;
            entry.changedAt = changedAt;
            entry.sequence = ++sequence;
            if (state.isOwned()) {
                count++;
                digest ^= digestOf(entry);
            }
            append(entry);
            if (ends) {
                long now = nanoTime.getAsLong();
                tombstones.add(new Tombstone(entry, sequence, now));
                trim(now);
            }
        }
        for (Runnable follower : followers) {
            follower.run();
        }
    }

    private static long digestOf(Entry entry) {
        return entry.subject instanceof Subject.Publication publication
                ? EntryDigest.ofPublication(publication.publisherId(), publication.service(), entry.sequence)
                : EntryDigest.ofCheck(
                        entry.subject.service(), ((Subject.Check) entry.subject).instance(), entry.sequence);
    }

    @GuardedBy("lock")
    private void append(Entry entry) {
        if (places == order.length) {
            compact();
        }
        order[places] = entry;
        numbers[places] = entry.sequence;
        places++;
    }

    /** Removes void places, and doubles the size when less than half of it is free then. */
    @GuardedBy("lock")
    private void compact() {
        int kept = 0;
        for (int i = 0; i < places; i++) {
            if (order[i].sequence == numbers[i]) {
                order[kept] = order[i];
                numbers[kept] = numbers[i];
                kept++;
            }
        }
        Arrays.fill(order, kept, places, null);
        places = kept;
        if (kept > order.length / 2) {
            order = Arrays.copyOf(order, order.length * 2);
            numbers = Arrays.copyOf(numbers, numbers.length * 2);
        }
    }

    @GuardedBy("lock")
    private void trim(long now) {
        for (Tombstone oldest = tombstones.peek();
                oldest != null
                        && (tombstones.size() > MAX_TOMBSTONES || now - oldest.sinceNanos() > TOMBSTONE_AGE.toNanos());
                oldest = tombstones.peek()) {
            tombstones.remove();
            Entry entry = oldest.entry();
            if (entry.sequence == oldest.sequence()) {
                entries.remove(entry.subject);
                trimmed = entry.sequence;
                entry.sequence = -1;
            }
        }
    }

    /**
     * The changes after a number, in order.
     *
     * @param most how many at most
     */
    Changes after(long cursor, int most) {
        synchronized (lock) {
            trim(nanoTime.getAsLong());
            int place = Arrays.binarySearch(numbers, 0, places, cursor + 1);
            place = place < 0 ? -place - 1 : place;
            List<Change> changes = new ArrayList<>(Math.min(most, places - place));
            for (; place < places && changes.size() < most; place++) {
                Entry entry = order[place];
                if (entry.sequence == numbers[place]) {
                    changes.add(new Change(entry.subject, entry.state, entry.sequence, entry.movedTo, entry.changedAt));
                }
            }
            boolean all = place == places;
            long to = all ? sequence : changes.get(changes.size() - 1).sequence();
            return new Changes(changes, to, sequence, trimmed);
        }
    }

    public long sequence() {
        synchronized (lock) {
            return sequence;
        }
    }

    public Summary summary() {
        synchronized (lock) {
            trim(nanoTime.getAsLong());
            return new Summary(sequence, count, digest);
        }
    }

    int tombstones() {
        synchronized (lock) {
            return tombstones.size();
        }
    }
}
