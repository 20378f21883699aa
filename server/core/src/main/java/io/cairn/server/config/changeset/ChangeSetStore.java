package io.cairn.server.config.changeset;

import java.util.concurrent.CompletionStage;

/** Where change sets are made durable. Thread-safe. */
public interface ChangeSetStore {

    /**
     * Stores a change set in one transaction; completes after the durable commit, when every read on this node shows
     * all of it. Never blocks.
     *
     * @return fails with a {@link io.cairn.api.error.CairnException}: {@code BUSY}, {@code UNAVAILABLE}; nothing of it
     *     is acknowledged then
     */
    CompletionStage<ChangeSetResult> apply(ChangeSet changes);
}
