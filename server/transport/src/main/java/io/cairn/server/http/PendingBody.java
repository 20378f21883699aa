package io.cairn.server.http;

import io.cairn.server.admission.MemoryLease;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A body that is written after the handler has finished: at once when small, and in pieces when its size depends on stored
 * data, so that no handler holds the whole body. Used for one response.
 */
@FunctionalInterface
public interface PendingBody {

    /**
     * Returns the response with its body. Called once, on any thread; does not block on an event loop.
     *
     * @param lease reserves the memory for the body; a streamed body closes it
     * @param pool a bounded pool for blocking or slow work
     * @return fails when the body cannot be read, and with {@code BUSY} when its memory is not available
     */
    CompletionStage<HttpResponse> write(HttpResponse head, MemoryLease lease, Executor pool);
}
