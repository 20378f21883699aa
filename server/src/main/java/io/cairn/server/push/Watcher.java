package io.cairn.server.push;

import java.util.concurrent.Executor;

/** Something that hears of changes: a long connection, a parked poll. */
public interface Watcher {

    /** True once it will never hear of anything again; watch lists then forget it by themselves. */
    boolean isClosed();

    /** The event loop on which {@link #changed} must be called. */
    Executor loop();

    /** Takes note of a change and delivers it when it can; must not block. */
    void changed(Watched<?> watched, Push push);
}
