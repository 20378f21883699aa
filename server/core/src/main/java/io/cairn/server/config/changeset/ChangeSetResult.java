package io.cairn.server.config.changeset;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.change.ConfigChanged;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** @param outcomes in the order of the edits */
public record ChangeSetResult(List<Outcome> outcomes) {

    public ChangeSetResult {
        outcomes = List.copyOf(outcomes);
    }

    public sealed interface Outcome {
        ConfigKey key();
    }

    /**
     * Durable.
     *
     * @param change empty if there was nothing to delete
     */
    public record Applied(ConfigKey key, Optional<ConfigChanged> change) implements Outcome {}

    /**
     * The condition is not met.
     *
     * @param actual the stored digest, if any
     */
    public record Conflicting(ConfigKey key, Optional<ContentDigest> actual) implements Outcome {}

    /** The content is stored already. */
    public record Unchanged(ConfigKey key) implements Outcome {}

    /** Not made, because another condition is not met. */
    public record NotReached(ConfigKey key) implements Outcome {}

    public List<Conflicting> conflicts() {
        List<Conflicting> conflicts = new ArrayList<>();
        for (Outcome outcome : outcomes) {
            if (outcome instanceof Conflicting conflict) {
                conflicts.add(conflict);
            }
        }
        return conflicts;
    }

    /** The revision of the last change, or 0. */
    public long lastRevision() {
        long last = 0;
        for (ConfigChanged change : changes()) {
            last = Math.max(last, change.revision());
        }
        return last;
    }

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
