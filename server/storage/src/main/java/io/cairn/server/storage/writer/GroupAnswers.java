package io.cairn.server.storage.writer;

import io.cairn.server.change.VisibilityBarrier;
import java.util.List;

/** Shows, answers and announces a stored group's commands, in this order. For the writer's thread. */
final class GroupAnswers {

    private final VisibilityBarrier barrier;

    /** @param barrier decides when callers of a group with revisions are answered */
    GroupAnswers(VisibilityBarrier barrier) {
        this.barrier = barrier;
    }

    /** Shows stored commands to reads; false after a failure. */
    static boolean show(List<PendingWrite<?>> group) {
        boolean shown = true;
        for (PendingWrite<?> pending : group) {
            shown &= pending.committed();
        }
        return shown;
    }

    /** Notes the last revision before a group that excludes other nodes' commits. */
    void begun(long lastRevision) {
        barrier.begun(lastRevision);
    }

    /** Answers commands without revisions, which need no other node. */
    static void answer(List<PendingWrite<?>> group) {
        for (PendingWrite<?> pending : group) {
            pending.complete();
        }
        announce(group);
    }

    /** Does not wait for the barrier: the next group begins at once. */
    void answer(List<PendingWrite<?>> group, long lastRevision) {
        // A copy: the next group uses the list.
        List<PendingWrite<?>> waiting = List.copyOf(group);
        barrier.committed(lastRevision, () -> waiting.forEach(PendingWrite::complete));
        announce(group);
    }

    /** Last, so that a change with many watchers does not delay its author's answer. */
    private static void announce(List<PendingWrite<?>> group) {
        for (PendingWrite<?> pending : group) {
            pending.announce();
        }
    }
}
