package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ConfigChanged;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operations on configurations that all edges call. Thread-safe; nothing here blocks. */
public final class ConfigService {

    private final ConfigStore store;
    private final ConfigView view;
    private final ConfigLimits limits;
    private final ContentLoader loader;

    /** @param loader reads contents that are not in memory */
    public ConfigService(ConfigStore store, ConfigView view, ConfigLimits limits, ContentLoader loader) {
        this.store = store;
        this.view = view;
        this.limits = limits;
        this.loader = loader;
    }

    public ConfigLimits limits() {
        return limits;
    }

    /**
     * Stores a content. Completes after the durable commit, when every read on this node returns the new content.
     *
     * @return fails with a {@link CairnException}: {@code BUSY}, {@code UNAVAILABLE}
     */
    public CompletionStage<PublishResult> publish(PublishConfig command) {
        return store.publish(command);
    }

    /** Deletes a configuration; empty when there was none. Completes and fails as {@link #publish} does. */
    public CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command) {
        return store.remove(command);
    }

    /** The entry of the current version, or null if there is no such configuration. */
    public @Nullable ConfigEntry find(ConfigKey key) {
        return view.entry(key);
    }

    /**
     * The entry of the version that this client gets: a matching gray release, else the version for all clients; null
     * if there is neither.
     *
     * @param onlyGray whether the client accepts only a gray release
     */
    public @Nullable ConfigEntry find(ConfigKey key, GrayRule.Client client, boolean onlyGray) {
        ConfigEntry gray = view.grayEntry(key, client);
        return gray != null || onlyGray ? gray : view.entry(key);
    }

    /** The version of that entry if its content is in memory; null if it must be {@linkplain #load loaded}. */
    public @Nullable ConfigVersion resident(ConfigEntry entry) {
        return view.resident(entry);
    }

    /**
     * Reads the content from the store. If the configuration has changed meanwhile, the entry is selected again.
     *
     * @param selectAgain selects the entry that the client gets now, by the same rule as the first one
     * @return empty if there is no entry for the client any more; fails with a {@link CairnException}: {@code BUSY}
     *     when too many reads are queued, {@code UNAVAILABLE}
     */
    public CompletionStage<Optional<ConfigVersion>> load(
            ConfigEntry entry, Supplier<@Nullable ConfigEntry> selectAgain) {
        return loader.load(entry, selectAgain);
    }
}
