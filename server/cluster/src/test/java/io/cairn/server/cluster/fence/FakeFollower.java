package io.cairn.server.cluster.fence;

import io.cairn.server.change.RevisionFollower;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;

/** A follower that shows what the test says. */
final class FakeFollower implements RevisionFollower {

    final List<Long> woken = new ArrayList<>();
    private final List<LongConsumer> listeners = new CopyOnWriteArrayList<>();
    private long applied;

    @Override
    public void wake(long revision) {
        woken.add(revision);
    }

    @Override
    public long appliedRevision() {
        return applied;
    }

    @Override
    public void onApplied(LongConsumer listener) {
        listeners.add(listener);
    }

    void apply(long revision) {
        applied = revision;
        listeners.forEach(listener -> listener.accept(revision));
    }
}
