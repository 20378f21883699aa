package io.cairn.cli.migrate;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/** The configurations of one server. Thread-safe; all methods block and throw {@link SideException}. */
public interface ConfigStore {

    void list(Namespace namespace, BiConsumer<ConfigKey, String> each);

    Optional<ConfigState> read(ConfigKey key);

    /** @return false when another content than {@code present} is stored; nothing is written then */
    boolean write(ConfigState state, Optional<ConfigState> present);

    void delete(ConfigKey key);

    /** Whether releases by labels and shares can be written. */
    default boolean hasReleasesOfCairn() {
        return false;
    }

    Set<ConfigKey> awaitChange(Map<ConfigKey, String> known, Duration wait);
}
