package io.cairn.server.cluster.replication;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.cluster.wire.RegistryEntry;
import io.cairn.server.naming.registry.MirroredPublication;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The publications and checks of one node with the numbers of their changes, and their digest. Not thread-safe. */
final class CopiedEntries {

    private final Map<PublicationKey, Slot> publications = new HashMap<>();
    private final Map<CheckKey, CheckSlot> checks = new HashMap<>();
    private long digest;

    /** A publication as its own key: separate keys would take a tenth of the memory. */
    static final class Slot extends PublicationKey {

        private MirroredPublication publication;
        private long sequence;

        Slot(MirroredPublication publication, long sequence) {
            this.publication = publication;
            this.sequence = sequence;
        }

        MirroredPublication publication() {
            return publication;
        }

        long sequence() {
            return sequence;
        }

        /** Shares one object between two equal publications. */
        void shares(MirroredPublication equal) {
            publication = equal;
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

    record CheckKey(ServiceKey service, InstanceKey instance) {}

    record CheckSlot(boolean healthy, long sequence) {}

    @Nullable
    Slot get(PublicationKey key) {
        return publications.get(key);
    }

    boolean has(PublicationKey key) {
        return publications.containsKey(key);
    }

    Collection<Slot> publications() {
        return Collections.unmodifiableCollection(publications.values());
    }

    Map<CheckKey, CheckSlot> checks() {
        return Collections.unmodifiableMap(checks);
    }

    int count() {
        return publications.size() + checks.size();
    }

    long digest() {
        return digest;
    }

    /** Returns false for an equal publication. */
    boolean put(PublicationKey key, MirroredPublication publication, long number) {
        Slot slot = publications.get(key);
        digest ^= digestOf(key, number);
        if (slot == null) {
            Slot added = new Slot(publication, number);
            publications.put(added, added);
            return true;
        }
        digest ^= digestOf(key, slot.sequence);
        slot.sequence = number;
        if (slot.publication.equals(publication)) {
            return false;
        }
        slot.publication = publication;
        return true;
    }

    /** Replaces the key, too, so that it is the same object as the value. */
    void put(Slot slot) {
        take(slot);
        digest ^= digestOf(slot, slot.sequence);
        publications.put(slot, slot);
    }

    @Nullable
    Slot take(PublicationKey key) {
        Slot slot = publications.remove(key);
        if (slot != null) {
            digest ^= digestOf(key, slot.sequence);
        }
        return slot;
    }

    void takeIf(Predicate<Slot> condition) {
        publications.values().removeIf(slot -> {
            boolean isTaken = condition.test(slot);
            if (isTaken) {
                digest ^= digestOf(slot, slot.sequence);
            }
            return isTaken;
        });
    }

    /** False when the health is that of before. */
    boolean check(RegistryEntry.Checked checked) {
        CheckKey key = new CheckKey(checked.service(), checked.instance());
        CheckSlot before = checks.put(key, new CheckSlot(checked.healthy(), checked.sequence()));
        digest ^= digestOf(key, checked.sequence()) ^ (before == null ? 0 : digestOf(key, before.sequence()));
        return before == null || before.healthy() != checked.healthy();
    }

    void uncheck(RegistryEntry.Unchecked unchecked) {
        CheckKey key = new CheckKey(unchecked.service(), unchecked.instance());
        CheckSlot before = checks.remove(key);
        digest ^= before == null ? 0 : digestOf(key, before.sequence());
    }

    void replaceBy(CopiedEntries other) {
        publications.clear();
        publications.putAll(other.publications);
        checks.clear();
        checks.putAll(other.checks);
        digest = other.digest;
    }

    private static long digestOf(PublicationKey key, long number) {
        return EntryDigest.ofPublication(key.publisherId(), key.service(), number);
    }

    private static long digestOf(CheckKey key, long number) {
        return EntryDigest.ofCheck(key.service(), key.instance(), number);
    }
}
