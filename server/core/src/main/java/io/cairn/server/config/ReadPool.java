package io.cairn.server.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Threads for reads of the database, off the event loops. */
public final class ReadPool {

    private final Executor threads;

    /** @param threads a small bounded pool, which refuses when full */
    public ReadPool(Executor threads) {
        this.threads = threads;
    }

    /** Fails as the work does, and with {@code BUSY} for too many reads. */
    public <T> CompletionStage<T> read(Supplier<T> work) {
        try {
            return CompletableFuture.supplyAsync(work, threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY, "Too many reads are waiting for the database; try again shortly", e));
        }
    }
}
