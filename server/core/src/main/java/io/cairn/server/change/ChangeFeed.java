package io.cairn.server.change;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Announces changes to the parts of this node, after they are durable and readable. A follower that misses an
 * announcement finds the current state by comparing digests. Thread-safe.
 */
public final class ChangeFeed {

    private final List<Consumer<ConfigChanged>> followers = new CopyOnWriteArrayList<>();

    /** Calls the follower for every later change, on the announcing thread: it must be quick and must not throw. */
    public void follow(Consumer<ConfigChanged> follower) {
        followers.add(follower);
    }

    /** Announces changes that every read on this node already shows. */
    public void announce(List<ConfigChanged> changes) {
        for (ConfigChanged change : changes) {
            for (Consumer<ConfigChanged> follower : followers) {
                follower.accept(change);
            }
        }
    }
}
