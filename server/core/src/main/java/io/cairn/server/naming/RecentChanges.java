package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The instances of a service that have changed in its last versions. Immutable and thread-safe. */
final class RecentChanges {

    /** The whole list of a smaller service is short. */
    static final int SMALLEST_LIST = 64;

    private static final int MOST = 512;
    /** A delta of more than this share of the list is hardly worth its while. */
    private static final int SHARE = 4;

    private final long since;
    private final int size;
    private final List<Step> steps;

    /** The changes that made one version of the one before it. */
    private record Step(long version, List<RegisteredInstance> set, List<InstanceKey> gone) {

        int size() {
            return set.size() + gone.size();
        }
    }

    /**
     * The changes since a version. An instance that was removed and added again is only in the set.
     *
     * @param set instances that were added or have changed, as they are now
     */
    record Changed(List<RegisteredInstance> set, List<InstanceKey> gone) {}

    private RecentChanges(long since, int size, List<Step> steps) {
        this.since = since;
        this.size = size;
        this.steps = steps;
    }

    /** Nothing is known of the versions before that one. */
    static RecentChanges from(long version) {
        return new RecentChanges(version, 0, List.of());
    }

    /** These changes and those of the next version. */
    RecentChanges then(long version, RegisteredInstance[] before, RegisteredInstance[] now) {
        int most = Math.min(MOST, now.length / SHARE);
        ListDifference difference = ListDifference.between(before, now, most);
        if (difference == null) {
            return from(version);
        }
        List<RegisteredInstance> set = new ArrayList<>(difference.changed());
        set.addAll(difference.added());
        Step step = new Step(
                version,
                set,
                difference.removed().stream().map(one -> one.published().key()).toList());
        if (step.size() == 0) {
            return this;
        }
        int kept = size + step.size();
        int first = 0;
        while (kept > most && first < steps.size()) {
            kept -= steps.get(first++).size();
        }
        List<Step> all = new ArrayList<>(steps.size() - first + 1);
        all.addAll(steps.subList(first, steps.size()));
        all.add(step);
        return new RecentChanges(first == 0 ? since : steps.get(first - 1).version(), kept, all);
    }

    /** The oldest version since which the changes are known. */
    long since() {
        return since;
    }

    /** The changes since that version; null when it is too old. */
    @Nullable
    Changed since(long version) {
        if (version < since) {
            return null;
        }
        Map<InstanceKey, @Nullable RegisteredInstance> last = new LinkedHashMap<>();
        for (Step step : steps) {
            if (step.version() > version) {
                step.gone().forEach(key -> last.put(key, null));
                step.set().forEach(one -> last.put(one.published().key(), one));
            }
        }
        List<RegisteredInstance> set = new ArrayList<>();
        List<InstanceKey> gone = new ArrayList<>();
        last.forEach((key, one) -> {
            if (one == null) {
                gone.add(key);
            } else {
                set.add(one);
            }
        });
        return new Changed(set, gone);
    }
}
