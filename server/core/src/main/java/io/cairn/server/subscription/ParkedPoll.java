package io.cairn.server.subscription;

import io.cairn.server.auth.Principal;
import io.cairn.server.push.Watcher;

/** A request held until one of its keys changes. */
public interface ParkedPoll extends Watcher {

    Principal principal();

    int listens();

    /** Answers without changes, unless it was answered. Call it on its {@link #loop}. */
    void expire();
}
