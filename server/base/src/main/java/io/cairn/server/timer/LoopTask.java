package io.cairn.server.timer;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A task that is to run on an event loop. {@link WheelTimer} hands those of one loop that are due at the same moment over
 * together, which wakes the loop once; any other timer hands over each by itself. What is for a loop that has ended is
 * dropped, for what it was about has ended with it.
 *
 * @param loop where it runs
 * @param task is given the time-out that went off
 */
public record LoopTask(Executor loop, Consumer<Timeout> task) implements TimerTask {

    @Override
    public void run(Timeout fired) {
        hand(loop, () -> task.accept(fired));
    }

    static void hand(Executor loop, Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException e) {
            // The loop has ended.
        }
    }
}
