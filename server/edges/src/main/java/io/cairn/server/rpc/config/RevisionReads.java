package io.cairn.server.rpc.config;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.change.RevisionGate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers messages that read configurations and may name the least revision that the node must show. The answer to one that
 * does names the revision that the node shows, so that a client knows from which revision on it reads at another node. Messages
 * without one are answered as ever, byte for byte. Thread-safe.
 */
final class RevisionReads {

    private final RevisionGate gate;

    RevisionReads(RevisionGate gate) {
        this.gate = gate;
    }

    /**
     * Reads once the node shows the revision.
     *
     * @param minRevision null for a message that names none
     * @param later runs the read where it had to wait
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
        // Asked after the read: what was read is not newer, except for a change that is being shown at this moment.
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
