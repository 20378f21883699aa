package io.cairn.server.config;

import io.cairn.server.change.ConfigChanged;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Where configurations are durable. Thread-safe. */
public interface ConfigStore {

    /**
     * Stores a content with its history and change rows, in one transaction that other commands may share.
     *
     * @return completes after the durable commit and the call of the observer; fails with a
     *     {@link io.cairn.api.error.CairnException}: {@code BUSY} when too many commands wait, {@code UNAVAILABLE} when
     *     the database fails; in both cases nothing is acknowledged
     */
    CompletionStage<PublishResult> publish(PublishConfig command);

    /** Deletes a configuration; empty when there was none. Completes as {@link #publish} does. */
    CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command);

    /** Calls the consumer with every stored configuration and gray release, without its content. Blocks. */
    void forEachEntry(Consumer<ConfigEntry> consumer);

    /** The stored version of that entry's configuration or gray release; empty when there is none. Blocks. */
    Optional<ConfigVersion> load(ConfigEntry entry);

    /**
     * Those of these entries that are stored just so, with their contents, read together. Some may be left out, which {@link #load} reads:
     * large ones, and gray releases. Blocks.
     */
    default Map<ConfigEntry, ConfigVersion> loadTogether(Collection<ConfigEntry> entries) {
        return Map.of();
    }

    /** Is notified of commits, on the writer's thread, in commit order, before their callers are answered. */
    interface CommitObserver {

        void published(PublishConfig command, ConfigEntry entry, ConfigChanged change);

        void removed(RemoveConfig command, ConfigChanged change);

        /** Called after the callers were answered. */
        void announce(ConfigChanged change);
    }
}
