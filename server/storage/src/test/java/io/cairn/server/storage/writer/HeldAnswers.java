package io.cairn.server.storage.writer;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.change.Visibility;
import io.cairn.server.change.VisibilityBarrier;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A barrier that answers a group when the test releases it. */
final class HeldAnswers implements VisibilityBarrier {

    /**
     * A group that is committed.
     *
     * @param thread the one that has committed it
     */
    record Group(long lastRevision, Runnable completion, Thread thread) {}

    private final BlockingQueue<Group> committed = new LinkedBlockingQueue<>();
    private final Queue<Group> taken = new ArrayDeque<>();

    @Override
    public void committed(long lastRevision, Runnable completion) {
        committed.add(new Group(lastRevision, completion, Thread.currentThread()));
    }

    @Override
    public @Nullable Visibility visibility(long revision) {
        return null;
    }

    /** Waits for the next group. */
    Group next() throws InterruptedException {
        Group group = committed.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (group == null) {
            throw new AssertionError("no group was committed within 60 s");
        }
        taken.add(group);
        return group;
    }

    /** Answers the groups that were taken, in their order. */
    void release() {
        for (Group group = taken.poll(); group != null; group = taken.poll()) {
            group.completion().run();
        }
    }

    boolean isEmpty() {
        return committed.isEmpty();
    }
}
