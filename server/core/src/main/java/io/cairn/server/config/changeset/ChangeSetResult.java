package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of a {@link ChangeSet}.
 *
 * @param outcomes one for each edit, in the order of the edits
 */
public record ChangeSetResult(List<Outcome> outcomes) {

    public ChangeSetResult {
        outcomes = List.copyOf(outcomes);
    }

    /** The outcome of one edit. */
    public sealed interface Outcome {
        ConfigKey key();
    }

    /**
     * The edit is made and durable.
     *
     * @param change empty if there was nothing to delete
     */
    public record Applied(ConfigKey key, Optional<ConfigChanged> change) implements Outcome {}

    /**
     * The edit is not made, because its condition is not met.
     *
     * @param actual the digest of the stored content; empty if there is none
     */
    public record Conflicting(ConfigKey key, Optional<ContentDigest> actual) implements Outcome {}

    /** The edit is not made, because the condition of another one is not met. */
    public record NotReached(ConfigKey key) implements Outcome {}

    /** The edits whose conditions are not met. */
    public List<Conflicting> conflicts() {
        List<Conflicting> conflicts = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Conflicting conflict) {
                conflicts.add(conflict);
            }
        }
        return conflicts;
    }

    /** The revision of the last change that was made; 0 if there is none. */
    public long lastRevision() {
        long last = 0;
        for (ConfigChanged change : changes()) {
            last = Math.max(last, change.revision());
        }
        return last;
    }

    /** The changes that were made. */
    public List<ConfigChanged> changes() {
        List<ConfigChanged> changes = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Applied applied) {
                applied.change().ifPresent(changes::add);
            }
        }
        return changes;
    }
}
