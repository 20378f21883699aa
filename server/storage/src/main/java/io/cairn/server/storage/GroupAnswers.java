package io.cairn.server.storage;

import io.cairn.server.change.CommitFence;
import java.util.List;

/** Shows, answers and announces the commands of a group that is stored, in this order. Used by the writer's thread alone. */
final class GroupAnswers {

    private final CommitFence fence;

    /** @param fence decides when the callers of a group that took revisions are answered */
    GroupAnswers(CommitFence fence) {
        this.fence = fence;
    }

    /** Has reads show what is stored; false when that failed for a command. */
    static boolean show(List<PendingWrite<?>> group) {
        boolean shown = true;
        for (PendingWrite<?> pending : group) {
            shown &= pending.committed();
        }
        return shown;
    }

    /** Answers what has taken no revision; no other node has to show anything for it. */
    static void answer(List<PendingWrite<?>> group) {
        for (PendingWrite<?> pending : group) {
            pending.complete();
        }
        announce(group);
    }

    /** The thread does not wait for the fence: the next group begins at once. */
    void answer(List<PendingWrite<?>> group, long lastRevision) {
        // A copy: the list is used for the next group.
        List<PendingWrite<?>> fenced = List.copyOf(group);
        fence.committed(lastRevision, () -> fenced.forEach(PendingWrite::complete));
        announce(group);
    }

    /** Comes last, so that a change with very many watchers does not delay the answer to its author. */
    private static void announce(List<PendingWrite<?>> group) {
        for (PendingWrite<?> pending : group) {
            pending.announce();
        }
    }
}
