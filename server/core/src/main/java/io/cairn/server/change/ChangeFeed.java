package io.cairn.server.change;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Tells the parts of this node what has changed, after it is durable and readable. An announcement only wakes: whoever
 * missed one finds the present state by comparing digests. Thread-safe.
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
