package io.cairn.server.subscription;

import io.cairn.server.push.Watcher;

/** A request that is held until something of what it asks about changes. */
public interface ParkedPoll extends Watcher {

    /** Answers that nothing has changed in time, unless it was answered before; to be called on its {@link #loop}. */
    void expire();
}
