package io.cairn.server.cluster.replication;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.node.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a copy that the registry shows: the entries of the owner, and moved publications until their new owner has them.
 * Guarded by the lock of the copy.
 */
final class CopyContents {

    private final NodeId owner;
    private final MirroredRegistry registry;
    private final ClusterClock clock;
    private final RecentDeregistrations deregistrations;
    private final PeerCopy.Events events;
    private final CopiedEntries entries = new CopiedEntries();
    private final MovedPublications moved = new MovedPublications();

    CopyContents(
            NodeId owner,
            MirroredRegistry registry,
            ClusterClock clock,
            RecentDeregistrations deregistrations,
            PeerCopy.Events events) {
        this.owner = owner;
        this.registry = registry;
        this.clock = clock;
        this.deregistrations = deregistrations;
        this.events = events;
    }

    /**
     * Applies changes after a number. The copy has older entries, and may have seen their end.
     *
     * @param missed detects changes from a time without contact
     */
    void apply(List<RegistryEntry> changed, long after, MissedChanges missed, long now) {
        // Publications first: an instance that changed its publisher would be missing for a moment, because entries
        // have the order of their latest changes. Their subjects differ, so the order has no other effect.
        for (RegistryEntry entry : changed) {
            if (entry.sequence() > after && entry instanceof RegistryEntry.Published set) {
                publish(set);
            }
        }
        for (RegistryEntry entry : changed) {
            if (entry.sequence() > after && !(entry instanceof RegistryEntry.Published)) {
                apply(entry, missed, now);
            }
        }
    }

    private void publish(RegistryEntry.Published set) {
        PublicationKey key = PublicationKey.of(set.publication());
        clock.followStamp(set.publication().publishedAt());
        moved.remove(key);
        if (entries.put(key, set.publication(), set.sequence())) {
            set(key, set.publication());
        }
    }

    private void apply(RegistryEntry entry, MissedChanges missed, long now) {
        if (entry instanceof RegistryEntry.Gone gone) {
            end(gone, missed.mayHave(gone.sequence(), now), now);
        } else if (entry instanceof RegistryEntry.Moved to) {
            PublicationKey key = PublicationKey.of(to.publisherId(), to.service());
            CopiedEntries.Slot slot = entries.take(key);
            if (slot != null) {
                holdMoved(key, slot.publication(), now);
            }
        } else if (entry instanceof RegistryEntry.Checked checked) {
            if (entries.check(checked)) {
                registry.check(checked.service(), checked.instance(), checked.healthy());
            }
        } else if (entry instanceof RegistryEntry.Unchecked unchecked) {
            entries.uncheck(unchecked);
        } else if (entry instanceof RegistryEntry.Forgotten forgotten) {
            forget(forgotten);
        }
    }

    private void end(RegistryEntry.Gone gone, boolean isMissed, long now) {
        PublicationKey key = PublicationKey.of(gone.publisherId(), gone.service());
        CopiedEntries.Slot slot = entries.take(key);
        MirroredPublication held = moved.remove(key);
        if (slot != null && isMissed && hasConnection(slot.publication())) {
            holdMoved(key, slot.publication(), now);
        } else if (slot != null) {
            registry.remove(owner, slot.publication());
        } else if (held != null) {
            registry.remove(owner, held);
        }
        changed(key);
    }

    /** Whether a connection proves that its client is alive. After its end an HTTP client sends no heartbeats to any node. */
    private static boolean hasConnection(MirroredPublication publication) {
        return publication.publisher().kind() != Publisher.Kind.HTTP;
    }

    private void forget(RegistryEntry.Forgotten forgotten) {
        clock.followStamp(forgotten.changedAt());
        deregistrations.add(forgotten.service(), forgotten.instance(), forgotten.changedAt());
        registry.forget(forgotten.service(), forgotten.instance(), forgotten.changedAt());
    }

    /**
     * Replaces all by a snapshot: first new and changed entries, then held, then ended ones, so that no list is shorter for a
     * moment.
     *
     * @param endsAreKnown whether the snapshot names all ends since the copy
     * @param isMissed whether changes may be from a time without contact
     * @param orphaned whether the publications are held as orphans
     */
    void replaceBy(GatheredEntries snapshot, boolean endsAreKnown, boolean isMissed, boolean orphaned, long now) {
        snapshot.entries().publications().forEach(slot -> replace(slot, orphaned));
        List<MirroredPublication> gone = new ArrayList<>();
        for (CopiedEntries.Slot slot : entries.publications()) {
            if (!snapshot.entries().has(slot)) {
                boolean hasEnded = hasConnection(slot.publication()) ? !isMissed : endsAreKnown;
                if (snapshot.hasMoved(slot) || !hasEnded) {
                    holdMoved(slot, slot.publication(), now);
                } else {
                    gone.add(slot.publication());
                    changed(slot);
                }
            }
        }
        gone.forEach(publication -> registry.remove(owner, publication));
        snapshot.entries().checks().forEach((key, check) -> {
            CopiedEntries.CheckSlot before = entries.checks().get(key);
            if (before == null || before.healthy() != check.healthy()) {
                registry.check(key.service(), key.instance(), check.healthy());
            }
        });
        entries.replaceBy(snapshot.entries());
        snapshot.forgotten().forEach(this::forget);
    }

    private void replace(CopiedEntries.Slot slot, boolean orphaned) {
        CopiedEntries.Slot before = entries.get(slot);
        clock.followStamp(slot.publication().publishedAt());
        moved.remove(slot);
        if (before != null && before.publication().equals(slot.publication())) {
            slot.shares(before.publication());
            if (!orphaned) {
                return;
            }
        }
        set(slot, slot.publication());
    }

    private void set(PublicationKey key, MirroredPublication publication) {
        registry.set(owner, publication);
        changed(key);
    }

    private void changed(PublicationKey key) {
        events.changed(owner, key.publisherId(), key.service());
    }

    private void holdMoved(PublicationKey key, MirroredPublication publication, long now) {
        moved.add(key, publication, now);
        hold(publication);
        changed(key);
    }

    private void hold(MirroredPublication publication) {
        registry.hold(owner, publication);
        for (RecentDeregistrations.Deregistration each : deregistrations.of(publication.service())) {
            registry.forget(publication.service(), each.instance(), each.changedAt());
        }
    }

    private void release(MirroredPublication publication) {
        registry.release(owner, publication);
        changed(PublicationKey.of(publication));
    }

    void holdAll() {
        entries.publications().forEach(slot -> hold(slot.publication()));
    }

    void confirmAll() {
        entries.publications().forEach(slot -> registry.set(owner, slot.publication()));
    }

    /** Holds later entries that another node keeps of the departed owner, or this node knows; true when any are added. */
    boolean adopt(GatheredEntries kept) {
        boolean hasAdopted = false;
        for (CopiedEntries.Slot slot : kept.entries().publications()) {
            CopiedEntries.Slot known = entries.get(slot);
            if (known == null || known.sequence() < slot.sequence()) {
                hasAdopted = true;
                entries.put(slot);
                hold(slot.publication());
                changed(slot);
            }
        }
        return hasAdopted;
    }

    /**
     * Ends moved publications after their wait.
     *
     * @param isHeld as for {@link PeerCopy#expire}; then all waits restart
     */
    void endMoved(long now, boolean isHeld) {
        if (isHeld) {
            moved.extend(now);
        }
        moved.end(now, this::release);
    }

    /** Ends the orphans whose window has ended; true when there is one. */
    boolean endOrphans(OrphanWindows windows, long now) {
        return windows.end(now, entries, publication -> {
            registry.lose(owner, publication);
            changed(PublicationKey.of(publication));
        });
    }

    long returned() {
        return registry.returned();
    }

    /** The publications that are still held and have changed after that number. */
    List<RegistryEntry> held(long after) {
        List<RegistryEntry> held = new ArrayList<>(entries.publications().size());
        for (CopiedEntries.Slot slot : entries.publications()) {
            if (slot.sequence() > after && registry.isHeld(owner, slot.publication())) {
                held.add(new RegistryEntry.Published(slot.sequence(), slot.publication()));
            }
        }
        return held;
    }

    RegistryEntry.@Nullable Published known(String publisherId, ServiceKey service, boolean orphaned) {
        PublicationKey key = PublicationKey.of(publisherId, service);
        CopiedEntries.Slot slot = entries.get(key);
        if (slot != null) {
            return orphaned && !registry.isHeld(owner, slot.publication())
                    ? null
                    : new RegistryEntry.Published(slot.sequence(), slot.publication());
        }
        MirroredPublication held = moved.get(key);
        return held == null || !registry.isHeld(owner, held) ? null : new RegistryEntry.Published(0, held);
    }

    boolean isEmpty() {
        return entries.publications().isEmpty() && moved.isEmpty();
    }

    int count() {
        return entries.count();
    }

    long digest() {
        return entries.digest();
    }

    void forEach(Consumer<MirroredPublication> consumer) {
        entries.publications().forEach(slot -> consumer.accept(slot.publication()));
    }
}
