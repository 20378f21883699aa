package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.RegistryEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Gathers the parts of a snapshot, or of another node's copy of a departed node. Not thread-safe. */
final class GatheredEntries {

    private final CopiedEntries entries = new CopiedEntries();
    private final Set<PublicationKey> moved = new HashSet<>();
    private final List<RegistryEntry.Forgotten> forgotten = new ArrayList<>();
    private int next;

    /** False when a part is missing. */
    boolean add(int part, List<RegistryEntry> added) {
        if (part != next) {
            return false;
        }
        next++;
        added.forEach(this::add);
        return true;
    }

    private void add(RegistryEntry entry) {
        if (entry instanceof RegistryEntry.Published set) {
            CopiedEntries.Slot slot = new CopiedEntries.Slot(set.publication(), set.sequence());
            entries.put(slot);
            moved.remove(slot);
        } else if (entry instanceof RegistryEntry.Gone gone) {
            PublicationKey key = PublicationKey.of(gone.publisherId(), gone.service());
            entries.take(key);
            moved.remove(key);
        } else if (entry instanceof RegistryEntry.Moved now) {
            PublicationKey key = PublicationKey.of(now.publisherId(), now.service());
            entries.take(key);
            moved.add(key);
        } else if (entry instanceof RegistryEntry.Checked checked) {
            entries.check(checked);
        } else if (entry instanceof RegistryEntry.Unchecked unchecked) {
            entries.uncheck(unchecked);
        } else if (entry instanceof RegistryEntry.Forgotten now) {
            forgotten.add(now);
        }
    }

    CopiedEntries entries() {
        return entries;
    }

    boolean hasMoved(PublicationKey key) {
        return moved.contains(key);
    }

    List<RegistryEntry.Forgotten> forgotten() {
        return forgotten;
    }
}
