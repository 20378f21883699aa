package io.cairn.server.subscription;

import io.cairn.server.auth.Principal;
import io.cairn.server.push.Watcher;

/** A request that is held until something of what it asks about changes. */
public interface ParkedPoll extends Watcher {

    /** Who has sent it. */
    Principal principal();

    /** Answers that nothing has changed in time, unless it was answered before; to be called on its {@link #loop}. */
    void expire();
}
