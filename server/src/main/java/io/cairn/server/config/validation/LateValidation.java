package io.cairn.server.config.validation;

import io.cairn.server.config.PublishConfig;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at contents after they were stored and answered, on one thread; a line in the log tells of a malformed one, with
 * its key and place and never its text. Thread-safe. When much waits, contents are passed over and counted.
 */
public final class LateValidation implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LateValidation.class);
    private static final int MAX_WAITING = 256;
    private static final long MAX_WAITING_BYTES = 32L << 20;

    private final ContentValidator validator = new ContentValidator();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final AtomicLong passedOver = new AtomicLong();
    private final AtomicLong malformed = new AtomicLong();
    private final ThreadPoolExecutor worker;

    public LateValidation() {
        worker = new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), work -> {
            Thread thread = new Thread(work, "cairn-validation");
            thread.setDaemon(true);
            return thread;
        });
        worker.allowCoreThreadTimeOut(true);
    }

    /** Contents that nobody looked at because too many waited. */
    public long passedOver() {
        return passedOver.get();
    }

    /** Malformed contents that were found. */
    public long malformed() {
        return malformed.get();
    }

    /** Has the content looked at some time later; never waits. */
    void offer(PublishConfig stored) {
        int bytes = stored.utf8().length;
        if (waitingBytes.addAndGet(bytes) > MAX_WAITING_BYTES) {
            waitingBytes.addAndGet(-bytes);
            passedOver.incrementAndGet();
            return;
        }
        try {
            worker.execute(() -> look(stored));
        } catch (RejectedExecutionException e) {
            waitingBytes.addAndGet(-bytes);
            passedOver.incrementAndGet();
        }
    }

    private void look(PublishConfig stored) {
        try {
            validator
                    .check(stored.attributes().type(), new String(stored.utf8(), StandardCharsets.UTF_8))
                    .ifPresent(problem -> {
                        malformed.incrementAndGet();
                        LOG.warn(
                                "{} is stored but is not well-formed {}: line {}, column {}",
                                stored.key(),
                                stored.attributes().type().wireName(),
                                problem.line(),
                                problem.column());
                    });
        } catch (RuntimeException e) {
            LOG.error("{} could not be validated", stored.key(), e);
        } finally {
            waitingBytes.addAndGet(-stored.utf8().length);
        }
    }

    /** What waits is passed over. */
    @Override
    public void close() {
        worker.shutdownNow();
    }
}
