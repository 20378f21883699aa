package io.cairn.server.naming.view;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two mostly equal lists of a service, in the same order. A moved instance is both removed and added.
 *
 * @param added new instances or places
 * @param changed new states of changed instances
 * @param removed former states
 */
record ListDifference(
        List<RegisteredInstance> added, List<RegisteredInstance> changed, List<RegisteredInstance> removed) {

    /** The longest detected run of added or removed instances. */
    private static final int LONGEST_RUN = 64;

    /**
     * Costs a comparison of references.
     *
     * @param atMost differences
     * @return null for more, or another order
     */
    static @Nullable ListDifference between(RegisteredInstance[] before, RegisteredInstance[] now, int atMost) {
        ListDifference found = new ListDifference(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        int i = 0;
        int j = 0;
        while (i < before.length && j < now.length) {
            RegisteredInstance former = before[i];
            RegisteredInstance present = now[j];
            if (former == present || isSame(former, present)) {
                found.compare(former, present);
                i++;
                j++;
                continue;
            }
            int run = 1;
            int longest = Math.min(LONGEST_RUN, atMost - found.size());
            while (run <= longest && !isAt(before, i + run, present) && !isAt(now, j + run, former)) {
                run++;
            }
            if (run <= longest && isAt(before, i + run, present)) {
                found.removed.addAll(Arrays.asList(before).subList(i, i + run));
                i += run;
            } else if (run <= longest) {
                found.added.addAll(Arrays.asList(now).subList(j, j + run));
                j += run;
            } else {
                found.removed.add(former);
                found.added.add(present);
                i++;
                j++;
            }
            if (found.size() > atMost) {
                return null;
            }
        }
        if (before.length - i + now.length - j + found.size() > atMost) {
            return null;
        }
        found.removed.addAll(Arrays.asList(before).subList(i, before.length));
        found.added.addAll(Arrays.asList(now).subList(j, now.length));
        return found;
    }

    private static boolean isAt(RegisteredInstance[] list, int place, RegisteredInstance wanted) {
        return place < list.length && isSame(list[place], wanted);
    }

    private static boolean isSame(RegisteredInstance one, RegisteredInstance other) {
        return one.published().key().equals(other.published().key());
    }

    private void compare(RegisteredInstance former, RegisteredInstance present) {
        if (!Objects.equals(former.shown(), present.shown())) {
            changed.add(present);
        }
    }

    private int size() {
        return added.size() + changed.size() + removed.size();
    }
}
