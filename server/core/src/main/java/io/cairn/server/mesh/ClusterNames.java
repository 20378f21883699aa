package io.cairn.server.mesh;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import org.jspecify.annotations.Nullable;

/** The names that are clusters. Thread-safe. */
@FunctionalInterface
public interface ClusterNames {

    /** Whether the namespace has a cluster of that name now; null when the reader may not know that. */
    @Nullable
    Boolean has(Namespace namespace, String name, Principal reader);
}
