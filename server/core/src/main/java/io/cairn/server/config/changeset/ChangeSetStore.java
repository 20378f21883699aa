package io.cairn.server.config.changeset;

import java.util.concurrent.CompletionStage;

/** Stores change sets durably. */
public interface ChangeSetStore {

    /**
     * Stores a change set in one transaction; completes after the durable commit, when every read here shows all of it. Never
     * blocks.
     *
     * @return fails, without an acknowledgement, with a {@link io.cairn.api.error.CairnException}: {@code BUSY},
     *     {@code UNAVAILABLE}
     */
    CompletionStage<ChangeSetResult> apply(ChangeSet changes);
}
