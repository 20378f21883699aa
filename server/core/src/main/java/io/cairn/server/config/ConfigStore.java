package io.cairn.server.config;

import io.cairn.server.change.ConfigChanged;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Stores configurations durably. */
public interface ConfigStore {

    /**
     * Stores content, history and change rows in one transaction, perhaps shared with other commands.
     *
     * @return completes after the durable commit and the observer; fails, without an acknowledgement, with a
     *     {@link io.cairn.api.error.CairnException}: {@code BUSY} for too many commands, {@code UNAVAILABLE} for a failed database
     */
    CompletionStage<PublishResult> publish(PublishConfig command);

    /** Deletes a configuration; empty without one. Completes as {@link #publish}. */
    CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command);

    /** Every stored configuration and gray release, without content. Blocks. */
    void forEachEntry(Consumer<ConfigEntry> consumer);

    /** The stored version of the entry's configuration or gray release. Blocks. */
    Optional<ConfigVersion> load(ConfigEntry entry);

    /**
     * The entries that are stored unchanged, with contents, in one read. May omit large ones and gray releases, for {@link #load}.
     * Blocks.
     */
    default Map<ConfigEntry, ConfigVersion> loadTogether(Collection<ConfigEntry> entries) {
        return Map.of();
    }

    /** Notified on the writer's thread, in commit order, before the callers are answered. */
    interface CommitObserver {

        void published(PublishConfig command, ConfigEntry entry, ConfigChanged change);

        void removed(RemoveConfig command, ConfigChanged change);

        /** Called after the callers are answered. */
        void announce(ConfigChanged change);
    }
}
