package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where configurations are looked up that are not, or not wholly, in memory. Thread-safe; blocks. */
public interface ConfigQueryStore {

    /**
     * The keys of the configurations with that application, these tags and that content; names are taken into account where
     * that makes it quicker, types are not.
     */
    Set<ConfigKey> keys(ConfigCriteria criteria);

    /** What is stored under these keys, in their order; a key under which nothing is stored is left out. */
    List<StoredConfig> read(List<ConfigKey> keys, boolean withContents);

    /** The configurations with these row ids, in the order of their ids; an id without one is left out. */
    List<StoredConfig> byIds(Collection<Long> ids, boolean withContents);

    /** The schema that is stored with that configuration; empty when there is none, or no configuration. */
    Optional<String> schema(ConfigKey key);

    /** The gray releases of that configuration with their contents, by their names. */
    List<StoredGray> grays(ConfigKey key);
}
