package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** A server of a test, which counts the writes of the bridge. */
final class ConfigStoreInMemory implements ConfigStore {

    final Map<ConfigKey, ConfigState> stored = new LinkedHashMap<>();
    int writes;
    boolean away;
    boolean awayAfterWrite;
    /** A server that stores descriptions in another form. */
    boolean shortens;

    void edit(ConfigKey key, String content, long at) {
        stored.put(key, state(key, content, at));
    }

    static ConfigState state(ConfigKey key, String content, long at) {
        return new ConfigState(key, content, "yaml", "", "", "", "", List.of(), true, at);
    }

    @Nullable
    String content(ConfigKey key) {
        ConfigState state = stored.get(key);
        return state == null ? null : state.content();
    }

    private void checkPresent() {
        if (away) {
            throw new SideException("no answer", true, new IllegalStateException());
        }
    }

    @Override
    public void list(Namespace namespace, BiConsumer<ConfigKey, String> each) {
        checkPresent();
        Map.copyOf(stored).forEach((key, state) -> each.accept(key, state.md5()));
    }

    @Override
    public Optional<ConfigState> read(ConfigKey key) {
        checkPresent();
        return Optional.ofNullable(stored.get(key));
    }

    @Override
    public boolean write(ConfigState state, Optional<ConfigState> present) {
        checkPresent();
        if (!Optional.ofNullable(stored.get(state.key())).map(ConfigState::md5).equals(present.map(ConfigState::md5))) {
            return false;
        }
        writes++;
        stored.put(
                state.key(),
                new ConfigState(
                        state.key(),
                        state.content(),
                        shortens ? "text" : state.type(),
                        state.description(),
                        state.tags(),
                        state.application(),
                        state.encryptedDataKey(),
                        state.grays(),
                        true,
                        state.modifiedMillis() + 1));
        away |= awayAfterWrite;
        awayAfterWrite = false;
        return true;
    }

    @Override
    public void delete(ConfigKey key) {
        checkPresent();
        writes++;
        stored.remove(key);
    }

    @Override
    public Set<ConfigKey> awaitChange(Map<ConfigKey, String> known, Duration wait) {
        throw new UnsupportedOperationException();
    }
}
