package io.cairn.benchmark;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The views that the server has pushed on all connections of a run. Safe to call from all event loops. */
final class PushCount {
    private static final long QUIET_MILLIS = 1_000;
    private static final long LONGEST_MILLIS = 60_000;

    private final LongAdder pushes = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void pushed(int messageBytes) {
        pushes.increment();
        bytes.add(messageBytes);
    }

    long pushes() {
        return pushes.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    /** Waits until a second passes without a push: a subscription brings a view of its own, when the server likes. */
    void awaitQuiet() throws InterruptedException {
        long waited = 0;
        for (long before = -1; before != pushes(); waited += QUIET_MILLIS) {
            if (waited > LONGEST_MILLIS) {
                throw new BenchmarkException(
                        "the server does not stop pushing within " + LONGEST_MILLIS / 1000 + " s, without a change");
            }
            before = pushes();
            TimeUnit.MILLISECONDS.sleep(QUIET_MILLIS);
        }
    }
}
