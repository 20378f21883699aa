package io.cairn.server.naming.view;

import io.cairn.api.naming.InstanceKey;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The list of a service with the latest registration of each instance. */
public final class MergedInstances {

    /** Each added instance is searched in the whole list; for more of them a map is cheaper. */
    private static final int FEW = 8;

    private MergedInstances() {}

    /**
     * Each instance once.
     *
     * @param joined the publications' instances
     * @param distinct a former distinct list. A large service's list differs little from it, and needs no map of all
     * @return {@code joined} if already distinct
     */
    public static RegisteredInstance[] of(RegisteredInstance[] joined, RegisteredInstance @Nullable [] distinct) {
        if (joined.length <= 1 || distinct != null && isDistinctAfter(distinct, joined)) {
            return joined;
        }
        Map<InstanceKey, RegisteredInstance> all = new LinkedHashMap<>(joined.length * 4 / 3 + 1);
        for (RegisteredInstance each : joined) {
            all.merge(
                    each.published().key(),
                    each,
                    (one, other) -> one.publishedAt() > other.publishedAt() ? one : other);
        }
        return all.size() == joined.length ? joined : all.values().toArray(new RegisteredInstance[0]);
    }

    private static boolean isDistinctAfter(RegisteredInstance[] distinct, RegisteredInstance[] joined) {
        ListDifference difference = ListDifference.between(distinct, joined, FEW);
        return difference != null && areNamedOnce(difference.added(), joined);
    }

    private static boolean areNamedOnce(List<RegisteredInstance> added, RegisteredInstance[] joined) {
        if (added.isEmpty()) {
            return true;
        }
        Map<InstanceKey, RegisteredInstance> byKey = new HashMap<>();
        for (RegisteredInstance each : added) {
            if (byKey.put(each.published().key(), each) != null) {
                return false;
            }
        }
        for (RegisteredInstance each : joined) {
            RegisteredInstance same = byKey.get(each.published().key());
            if (same != null && same != each) {
                return false;
            }
        }
        return true;
    }
}
