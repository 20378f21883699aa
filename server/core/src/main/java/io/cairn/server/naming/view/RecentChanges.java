package io.cairn.server.naming.view;

import io.cairn.api.naming.InstanceKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The instances changed in a service's last versions. */
final class RecentChanges {

    /** A smaller service's whole list is short. */
    static final int SMALLEST_LIST = 64;

    private static final int MOST = 512;
    /** Beyond this share of the list a delta has little use. */
    private static final int SHARE = 4;

    private final long since;
    private final int size;
    private final List<Step> steps;

    /** The changes of one version. */
    private record Step(long version, List<RegisteredInstance> set, List<InstanceKey> gone) {

        int size() {
            return set.size() + gone.size();
        }
    }

    /**
     * Changes since a version.
     *
     * @param set added or changed instances, also removed and added again
     */
    record Changed(List<RegisteredInstance> set, List<InstanceKey> gone) {}

    private RecentChanges(long since, int size, List<Step> steps) {
        this.since = since;
        this.size = size;
        this.steps = steps;
    }

    /** Without knowledge of earlier versions. */
    static RecentChanges from(long version) {
        return new RecentChanges(version, 0, List.of());
    }

    /** With the next version's changes. */
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

    /** The oldest version with known changes since. */
    long since() {
        return since;
    }

    /** Null for a too old version. */
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
