package io.cairn.server.timer;

import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * A task for an event loop. {@link WheelTimer} executes the due tasks of one loop together, so it wakes the loop once; other timers
 * execute each by itself. A task for an ended loop is dropped.
 *
 * @param task receives the expired time-out
 */
public record LoopTask(Executor loop, Consumer<Timeout> task) implements TimerTask {

    @Override
    public void run(Timeout fired) {
        execute(loop, () -> task.accept(fired));
    }

    static void execute(Executor loop, Runnable work) {
        try {
            loop.execute(work);
        } catch (RejectedExecutionException e) {
            // The loop has ended.
        }
    }
}
