package io.cairn.server.xds.view;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All resources of a type in a view at one revision, with the changes before. */
public record TypeTable(Map<String, TableEntry> entries, ChangeLog.Part log) {

    public static final TypeTable EMPTY = new TypeTable(Map.of(), ChangeLog.Part.NONE);

    /** @param exact false when a removed name may be missing, because the log is too short */
    public record Difference(Map<String, TableEntry> changed, Set<String> removed, boolean exact) {

        boolean isEmpty() {
            return changed.isEmpty() && removed.isEmpty() && exact;
        }
    }

    public @Nullable TableEntry get(String name) {
        return entries.get(name);
    }

    public Collection<TableEntry> covered(Subscription subscription) {
        List<TableEntry> covered = new ArrayList<>();
        if (subscription.isWildcard()) {
            for (Map.Entry<String, TableEntry> each : entries.entrySet()) {
                if (subscription.covers(each.getKey(), each.getValue())) {
                    covered.add(each.getValue());
                }
            }
        } else {
            for (String name : subscription.names()) {
                TableEntry entry = entries.get(name);
                if (entry != null) {
                    covered.add(entry);
                }
            }
        }
        return covered;
    }

    /** Whether all names removed after that revision are known. */
    public boolean reachesBackTo(long revision) {
        return revision >= log.completeAfter();
    }

    public boolean hasChangedSince(long revision, Subscription subscription) {
        if (!reachesBackTo(revision)) {
            return !changesSince(revision, subscription).isEmpty();
        }
        for (int i = log.length() - 1; i >= 0 && log.revision(i) > revision; i--) {
            if (subscription.isAbout(log.name(i), log.isForAll(i))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the name is known to have changed after that revision. */
    public boolean hasChangedSince(long revision, String name) {
        for (int i = log.length() - 1; i >= 0 && log.revision(i) > revision; i--) {
            if (log.name(i).equals(name)) {
                return true;
            }
        }
        return false;
    }

    /** The subscription's changes after that revision. */
    public Difference changesSince(long revision, Subscription subscription) {
        return reachesBackTo(revision) ? logged(revision, subscription) : comparedWith(revision, subscription);
    }

    private Difference logged(long revision, Subscription subscription) {
        Map<String, TableEntry> changed = new LinkedHashMap<>();
        Set<String> removed = new HashSet<>(0);
        for (int i = log.length() - 1; i >= 0 && log.revision(i) > revision; i--) {
            String name = log.name(i);
            if (subscription.isAbout(name, log.isForAll(i))) {
                TableEntry entry = entries.get(name);
                if (entry != null && subscription.covers(name, entry)) {
                    changed.put(name, entry);
                } else {
                    removed.add(name);
                }
            }
        }
        return new Difference(changed, removed, true);
    }

    private Difference comparedWith(long revision, Subscription subscription) {
        Map<String, TableEntry> changed = new LinkedHashMap<>();
        for (TableEntry entry : covered(subscription)) {
            if (entry.revision() > revision) {
                changed.put(entry.resource().name(), entry);
            }
        }
        Set<String> removed = new HashSet<>(0);
        for (String name : subscription.names()) {
            if (!entries.containsKey(name)) {
                removed.add(name);
            }
        }
        return new Difference(changed, removed, !subscription.isWildcard());
    }
}
