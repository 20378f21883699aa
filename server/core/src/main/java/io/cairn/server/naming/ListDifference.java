package io.cairn.server.naming;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The difference between two lists of one service that have most of their instances in common, in the same order. An instance that has
 * another place is among the removed and the added ones.
 *
 * @param added instances, or places of instances, that the list before does not have
 * @param changed the new states of instances that are shown in another state than before
 * @param removed the former states
 */
record ListDifference(
        List<RegisteredInstance> added, List<RegisteredInstance> changed, List<RegisteredInstance> removed) {

    /** So many instances that were added or removed side by side are found. */
    private static final int LONGEST_RUN = 64;

    /**
     * Takes as long as comparing the references.
     *
     * @param atMost number of instances that may differ
     * @return null when more differ, or they are in another order
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
