package io.cairn.server.storage.writer;

import io.cairn.api.error.CairnException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command with its result and its caller. */
final class PendingWrite<R> {

    private static final Logger log = LoggerFactory.getLogger(PendingWrite.class);

    private final StoreCommand<R> command;
    private final int weight;
    private final long sinceNanos = System.nanoTime();
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private final AtomicBoolean isClaimed = new AtomicBoolean();
    private @Nullable R result;

    PendingWrite(StoreCommand<R> command) {
        this.command = command;
        this.weight = command.weightBytes();
    }

    int weight() {
        return weight;
    }

    boolean takesLong() {
        return command.takesLong();
    }

    /** Whether it only reads, and shares groups only with such commands. */
    boolean readsOnly() {
        return command.readsOnly();
    }

    /** Whether the calling thread must run it; true once. */
    boolean claim() {
        return isClaimed.compareAndSet(false, true);
    }

    /** The time of the caller's wait. */
    long ageNanos(long nanoTime) {
        return nanoTime - sinceNanos;
    }

    /** Completes on the writer's or the barrier's thread; fails on the watching thread, too. */
    CompletableFuture<R> future() {
        return future;
    }

    void expect(WriteTransaction transaction) {
        command.expect(transaction);
    }

    void execute(WriteTransaction transaction) throws SQLException {
        result = command.execute(transaction);
    }

    /** Shows the result; false after a failure, when memory must be compared with the store. */
    @SuppressWarnings("NullAway") // Set by execute(), which ran before the commit
    boolean committed() {
        try {
            command.committed(result);
            return true;
        } catch (RuntimeException | Error e) {
            // It is stored, so the caller must not get a failure.
            log.error("A committed write could not be shown", e);
            return false;
        }
    }

    @SuppressWarnings("NullAway")
    void complete() {
        future.complete(result);
    }

    @SuppressWarnings("NullAway")
    void announce() {
        try {
            command.announce(result);
        } catch (RuntimeException | Error e) {
            log.error("A committed write could not be announced", e);
        }
    }

    void fail(CairnException failure) {
        future.completeExceptionally(failure);
    }
}
