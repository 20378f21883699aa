package io.cairn.server.rpc.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.CatchUp;
import io.cairn.server.change.RevisionGate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of configurations that may name the least revision to show. The answer to such a read names the shown revision, for later
 * reads at other nodes; other answers keep their bytes. A node that may show less than another reads the store first.
 */
final class RevisionReads {

    private final RevisionGate gate;

    RevisionReads(RevisionGate gate) {
        this.gate = gate;
    }

    /**
     * Reads at once, or after the store where this node may show less than another. Without access to the store, the answer has its
     * possible age in seconds.
     *
     * @param minRevision as {@link #answer}, for messages that name one
     * @param later runs a delayed read
     */
    CompletionStage<Payload> answerInStep(
            @Nullable String minRevision,
            Executor later,
            Supplier<CompletionStage<Payload>> read,
            Function<CairnException, Payload> refused) {
        CatchUp catchUp = gate.catchUp();
        if (minRevision != null || catchUp.isInStep()) {
            return answer(minRevision, later, read, refused);
        }
        CompletableFuture<Long> checked = catchUp.beforeRead().toCompletableFuture();
        return checked.isDone()
                ? marked(checked.join(), read.get())
                : checked.thenComposeAsync(seconds -> marked(seconds, read.get()), later);
    }

    private static CompletionStage<Payload> marked(long staleSeconds, CompletionStage<Payload> answer) {
        return staleSeconds == 0
                ? answer
                : answer.thenApply(payload -> payload.with(RevisionHeaders.STALE, Long.toString(staleSeconds)));
    }

    /**
     * Reads the store for a listen with differences.
     *
     * @param isNew whether the content may be from another node; else it is from this one, which reads only where it may show less
     *     than another
     * @return null when the read has no use
     */
    @Nullable
    CompletionStage<Boolean> checkForListen(boolean isNew) {
        CatchUp catchUp = gate.catchUp();
        if (!isNew && catchUp.isInStep()) {
            return null;
        }
        CompletableFuture<Boolean> check = catchUp.beforeListen().toCompletableFuture();
        return check.isDone() && !check.join() ? null : check;
    }

    /**
     * Reads once the node shows the revision.
     *
     * @param minRevision null if absent
     * @param later runs a delayed read
     * @param refused makes the answer of a failure
     */
    CompletionStage<Payload> answer(
            @Nullable String minRevision,
            Executor later,
            Supplier<CompletionStage<Payload>> read,
            Function<CairnException, Payload> refused) {
        if (minRevision == null) {
            return read.get();
        }
        CompletableFuture<Void> shown = gate.awaitText(minRevision).toCompletableFuture();
        CompletionStage<Payload> answer = shown.isDone() && !shown.isCompletedExceptionally()
                ? read.get()
                : shown.handle((done, behind) -> behind)
                        .thenComposeAsync(behind -> behind == null ? read.get() : refused(behind, refused), later);
        // Taken after the read: the content is not newer, except for a change that is becoming visible.
        return answer.thenApply(payload -> payload.with(RevisionHeaders.REVISION, Long.toString(gate.shown())));
    }

    private static CompletionStage<Payload> refused(Throwable behind, Function<CairnException, Payload> refused) {
        Throwable cause =
                behind instanceof CompletionException && behind.getCause() != null ? behind.getCause() : behind;
        return cause instanceof CairnException known
                ? CompletableFuture.completedFuture(refused.apply(known))
                : CompletableFuture.failedFuture(cause);
    }
}
