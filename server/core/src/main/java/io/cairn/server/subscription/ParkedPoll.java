package io.cairn.server.subscription;

import io.cairn.server.auth.Principal;
import io.cairn.server.push.Watcher;

/** A request that is held until one of its keys changes. */
public interface ParkedPoll extends Watcher {

    /** The caller that has sent it. */
    Principal principal();

    /** Answers that nothing has changed in time, unless it was answered before. Call it on its {@link #loop}. */
    void expire();
}
