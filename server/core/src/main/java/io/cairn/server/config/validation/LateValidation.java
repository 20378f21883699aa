package io.cairn.server.config.validation;

import io.cairn.server.config.PublishConfig;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Validates stored contents after the answer, on one thread. Logs a warning for an invalid one with key and place, never its text.
 * Skips and counts contents beyond its queue.
 */
public final class LateValidation implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LateValidation.class);
    private static final int MAX_WAITING = 256;
    private static final long MAX_WAITING_BYTES = 32L << 20;

    private final ContentChecks checks;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicLong passedOver = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final ThreadPoolExecutor worker;

    public LateValidation(ContentChecks checks) {
        this.checks = checks;
        worker = new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), work -> {
            Thread thread = new Thread(work, "cairn-validation");
            thread.setDaemon(true);
            return thread;
        });
        worker.allowCoreThreadTimeOut(true);
    }

    /** The number of skipped contents. */
    public long passedOver() {
        return passedOver.get();
    }

    /** The number of invalid contents. */
    public long malformed() {
        return malformed.get();
    }

    /** Queues the content; never waits. */
    void offer(PublishConfig stored) {
        int bytes = stored.utf8().length;
        if (waitingBytes.addAndGet(bytes) > MAX_WAITING_BYTES) {
            waitingBytes.addAndGet(-bytes);
            passedOver.incrementAndGet();
            return;
        }
        try {
            worker.execute(() -> validate(stored));
        } catch (RejectedExecutionException e) {
            waitingBytes.addAndGet(-bytes);
            passedOver.incrementAndGet();
        }
    }

    private void validate(PublishConfig stored) {
        try {
            validateNow(stored);
        } catch (RuntimeException e) {
            LOG.error("The content of {} could not be validated", stored.key(), e);
        } finally {
            waitingBytes.addAndGet(-stored.utf8().length);
        }
    }

    /** Validates on the calling thread. Blocks. */
    public void validateNow(PublishConfig stored) {
        checks.find(stored).ifPresent(finding -> {
            malformed.incrementAndGet();
            LOG.warn("{} is stored but {}", stored.key(), finding.wordsWithoutContent());
        });
    }

    /** Skips the queued contents. */
    @Override
    public void close() {
        worker.shutdownNow();
    }
}
