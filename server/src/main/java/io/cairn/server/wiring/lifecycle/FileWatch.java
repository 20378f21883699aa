package io.cairn.server.wiring.lifecycle;

import io.netty.util.Timer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks files in an interval, until it is closed; never concurrently. */
final class FileWatch implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(FileWatch.class);

    private final Runnable check;
    private final Duration interval;
    private final Timer timer;
    private final Executor pool;
    private volatile boolean closed;

    /**
     * @param check checks the files; may block
     * @param pool runs it
     */
    FileWatch(Runnable check, Duration interval, Timer timer, Executor pool) {
        this.check = check;
        this.interval = interval;
        this.timer = timer;
        this.pool = pool;
        checkLater();
    }

    private void checkLater() {
        if (closed) {
            return;
        }
        timer.newTimeout(
                timeout -> {
                    if (!closed) {
                        check();
                    }
                },
                interval.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private void check() {
        try {
            pool.execute(() -> {
                try {
                    check.run();
                } finally {
                    checkLater();
                }
            });
        } catch (RejectedExecutionException e) {
            log.debug("Files are looked at another time: too much else is under way");
            checkLater();
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
