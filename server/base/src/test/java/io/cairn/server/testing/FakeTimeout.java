package io.cairn.server.testing;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;

/** A time-out of a test's timer, which runs it. */
public class FakeTimeout implements Timeout {

    private final Timer timer;
    private final TimerTask task;
    private boolean expired;
    private boolean cancelled;

    public FakeTimeout(Timer timer, TimerTask task) {
        this.timer = timer;
        this.task = task;
    }

    /** Runs the task. */
    public final void expire() throws Exception {
        expired = true;
        task.run(this);
    }

    @Override
    public final Timer timer() {
        return timer;
    }

    @Override
    public final TimerTask task() {
        return task;
    }

    @Override
    public final boolean isExpired() {
        return expired;
    }

    @Override
    public final boolean isCancelled() {
        return cancelled;
    }

    @Override
    public boolean cancel() {
        cancelled = !expired;
        return cancelled;
    }
}
