package io.cairn.server.storage;

import io.cairn.api.error.CairnException;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A command, its result once it ran, and whoever waits for it. */
final class PendingWrite<R> {

    private static final Logger log = LoggerFactory.getLogger(StoreWriter.class);

    private final StoreCommand<R> command;
    private final int weight;
    private final long sinceNanos = System.nanoTime();
    private final CompletableFuture<R> future = new CompletableFuture<>();
    private @Nullable R result;

    PendingWrite(StoreCommand<R> command) {
        this.command = command;
        this.weight = command.weightBytes();
    }

    /** About how many bytes it keeps in memory. */
    int weight() {
        return weight;
    }

    /** Whether it may take minutes. */
    boolean takesLong() {
        return command.takesLong();
    }

    /** Whether it may share a group with commands that only read, and with no other. */
    boolean readsOnly() {
        return command.readsOnly();
    }

    /** How long somebody waits for it already. */
    long ageNanos(long nanoTime) {
        return nanoTime - sinceNanos;
    }

    /** Completed on the writer's thread or on one of the fence, or with a failure on the thread that watches it. */
    CompletableFuture<R> future() {
        return future;
    }

    void expect(WriteTransaction transaction) {
        command.expect(transaction);
    }

    void execute(WriteTransaction transaction) throws SQLException {
        result = command.execute(transaction);
    }

    /** Shows what is stored; false when that failed, and what is shown must be compared with the store. */
    @SuppressWarnings("NullAway") // set by execute(), which ran before the commit
    boolean committed() {
        try {
            command.committed(result);
            return true;
        } catch (RuntimeException | Error e) {
            // It is stored, so nobody may be told that it failed.
            log.error("A committed write could not be shown", e);
            return false;
        }
    }

    @SuppressWarnings("NullAway") // as above
    void complete() {
        future.complete(result);
    }

    @SuppressWarnings("NullAway") // as above
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
