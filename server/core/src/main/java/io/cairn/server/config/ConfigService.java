package io.cairn.server.config;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.gray.GrayClient;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operations of all edges on configurations. Does not block. */
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
     * Stores a content. Completes after the durable commit, when every read here returns it.
     *
     * @return fails with a {@link CairnException}: {@code BUSY}, {@code UNAVAILABLE}
     */
    public CompletionStage<PublishResult> publish(PublishConfig command) {
        return store.publish(command);
    }

    /** Deletes a configuration; empty without one. Completes and fails as {@link #publish}. */
    public CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command) {
        return store.remove(command);
    }

    /** The current version's entry, or null. */
    public @Nullable ConfigEntry find(ConfigKey key) {
        return view.entry(key);
    }

    /**
     * The entry for this client: a matching gray release, else the version for all; may be null.
     *
     * @param onlyGray whether to exclude the version for all
     */
    public @Nullable ConfigEntry find(ConfigKey key, GrayClient client, boolean onlyGray) {
        ConfigEntry gray = view.grayEntry(key, client);
        return gray != null || onlyGray ? gray : view.entry(key);
    }

    /** The rule of the release that the client gets; null for the content for all. */
    public @Nullable GrayRule releaseOf(ConfigKey key, GrayClient client) {
        ConfigEntry release = view.grayEntry(key, client);
        return release == null ? null : release.gray();
    }

    /** Whether the client would get the release of a rule, in place of a present one of its name. */
    public boolean wouldGet(ConfigKey key, GrayRule rule, GrayClient client) {
        return view.wouldGet(key, rule, client);
    }

    /** The version if its content is in memory, else null; then {@linkplain #load load} it. */
    public @Nullable ConfigVersion resident(ConfigEntry entry) {
        return view.resident(entry);
    }

    /**
     * Reads the content from the store. After a change it selects the entry again.
     *
     * @param selectAgain selects by the rule of the first entry
     * @return empty without an entry for the client; fails with a {@link CairnException}: {@code BUSY} for too many reads,
     *     {@code UNAVAILABLE}
     */
    public CompletionStage<Optional<ConfigVersion>> load(
            ConfigEntry entry, Supplier<@Nullable ConfigEntry> selectAgain) {
        return loader.load(entry, selectAgain);
    }
}
