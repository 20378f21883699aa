package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.changeset.ChangeSetResult;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one change of a change set.
 *
 * @param outcome {@code applied}, {@code conflict} or {@code notReached}
 * @param revision of an applied change; left out of the others
 * @param md5 of the content that was there instead of the expected one; null for none, and left out where nothing conflicts
 */
public record Change(
        String namespaceId,
        String groupName,
        String dataId,
        String outcome,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long revision,
        @Nullable String md5) {

    /** The same without a digest, for a change that did not conflict. */
    private record WithoutConflict(
            String namespaceId,
            String groupName,
            String dataId,
            String outcome,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long revision) {}

    /** The record that is written for an outcome: a {@code Change}, or its members that the outcome has. */
    public static Record of(ChangeSetResult.Outcome outcome) {
        ConfigKey key = outcome.key();
        String namespace = key.namespace().id();
        if (outcome instanceof ChangeSetResult.Conflicting conflict) {
            String actual = conflict.actual().map(Object::toString).orElse(null);
            return new Change(namespace, key.group(), key.dataId(), "conflict", null, actual);
        }
        if (outcome instanceof ChangeSetResult.Applied applied) {
            Long revision = applied.change().map(change -> change.revision()).orElse(null);
            return new WithoutConflict(namespace, key.group(), key.dataId(), "applied", revision);
        }
        return new WithoutConflict(namespace, key.group(), key.dataId(), "notReached", null);
    }
}
