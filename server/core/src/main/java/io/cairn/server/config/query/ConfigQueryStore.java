package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Searches the database for configurations and values that are not in memory. Thread-safe; blocks. */
public interface ConfigQueryStore {

    /**
     * The keys of the configurations with that application, these tags and that content. Names are checked only where
     * that is quicker, types are not checked.
     */
    Set<ConfigKey> keys(ConfigCriteria criteria);

    /**
     * The configurations with these keys, in the order of the keys; a key without a stored configuration is left out.
     */
    List<StoredConfig> read(List<ConfigKey> keys, boolean withContents);

    /** The configurations with these row ids, in the order of their ids; unknown ids are left out. */
    List<StoredConfig> byIds(Collection<Long> ids, boolean withContents);

    /** The schema of that configuration; empty if it has none, or does not exist. */
    Optional<String> schema(ConfigKey key);

    /** The gray releases of that configuration with their contents, ordered by name. */
    List<StoredGray> grays(ConfigKey key);
}
