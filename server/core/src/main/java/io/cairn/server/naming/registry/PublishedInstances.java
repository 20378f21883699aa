package io.cairn.server.naming.registry;

import io.cairn.api.naming.Instance;
import java.util.List;

/**
 * A mirrored publication's instances, perhaps encoded until a read, so that an unread service costs little memory. Equal for the
 * same instances in the same encoding.
 */
public interface PublishedInstances {

    /** Known without decoding. */
    int size();

    /** Decoded on each call. */
    List<Instance> decode();
}
