package io.cairn.server.config.query;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.RowSource;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Searches the database for values outside memory. Blocks. */
public interface ConfigQueryStore {

    /** Checks application, tags and content; names only where that is quicker, types never. */
    Set<ConfigKey> keys(ConfigCriteria criteria);

    /** In the order of the keys, without absent ones. Reads lazily. */
    RowSource<StoredConfig> rows(List<ConfigKey> keys, boolean withContents);

    /** By id; unknown ids are left out. */
    List<ConfigKey> keysOf(Collection<Long> ids);

    Optional<String> schema(ConfigKey key);

    /** With contents, in the order of the names, without absent ones. Reads lazily. */
    RowSource<StoredGray> grays(ConfigKey key, List<String> names);
}
