package io.cairn.server.cluster.visibility;

import io.cairn.server.change.RevisionFollower;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A follower that shows what the test says. */
final class FakeFollower implements RevisionFollower {

    final List<Long> woken = new ArrayList<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private long applied;
    private long state;

    @Override
    public void wake(long revision) {
        woken.add(revision);
    }

    @Override
    public long appliedRevision() {
        return applied;
    }

    @Override
    public void follow(Listener listener) {
        listeners.add(listener);
    }

    @Override
    public long lastCommit() {
        return 1 + state;
    }

    @Override
    public boolean hasSeen(long commit) {
        return commit == lastCommit();
    }

    void apply(long revision) {
        applied = revision;
        listeners.forEach(listener -> listener.applied(revision));
    }

    void goBack(long revision) {
        applied = revision;
        state++;
        listeners.forEach(listener -> listener.wentBack(revision));
    }
}
