package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import java.util.List;

/**
 * The instances of a mirrored publication. They may stay encoded until a consumer reads the service, so that a service without
 * consumers costs little memory. Two are equal when they hold the same instances in the same encoding. Immutable and thread-safe.
 */
public interface PublishedInstances {

    /** The number of instances; known without decoding. */
    int size();

    /** The instances; decoded on each call. */
    List<Instance> decode();
}
