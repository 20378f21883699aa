package io.cairn.server.change;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Announces durable and readable changes to the parts of this node. A follower that misses one compares digests. */
public final class ChangeFeed {

    private final List<Consumer<ConfigChanged>> followers = new CopyOnWriteArrayList<>();

    /** The follower runs on the announcing thread: it must be quick and must not throw. */
    public void follow(Consumer<ConfigChanged> follower) {
        followers.add(follower);
    }

    /** Announces changes that every read here already shows. */
    public void announce(List<ConfigChanged> changes) {
        for (ConfigChanged change : changes) {
            for (Consumer<ConfigChanged> follower : followers) {
                follower.accept(change);
            }
        }
    }
}
