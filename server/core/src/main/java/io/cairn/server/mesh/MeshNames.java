package io.cairn.server.mesh;

import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Principal;
import org.jspecify.annotations.Nullable;

/** The names of clusters and routes. */
@FunctionalInterface
public interface MeshNames {

    /** Whether such a resource exists; null if the reader may not know. */
    @Nullable
    Boolean has(Namespace namespace, StoredName name, Principal reader);
}
