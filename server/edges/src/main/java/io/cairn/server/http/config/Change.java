package io.cairn.server.http.config;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.changeset.ChangeSetResult;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one change of a change set.
 *
 * @param outcome {@code applied}, {@code conflict} or {@code notReached}
 * @param revision of an applied change; else left out
 * @param md5 of the unexpected content, null if absent; left out without a conflict
 */
public record Change(
        String namespaceId,
        String groupName,
        String dataId,
        String outcome,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long revision,
        @Nullable String md5) {

    /** A change without a conflict has no digest. */
    private record WithoutConflict(
            String namespaceId,
            String groupName,
            String dataId,
            String outcome,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Long revision) {}

    /** A {@code Change}, or a record with its members for the outcome. */
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
