package io.cairn.server.storage;

import io.cairn.api.naming.ServiceKey;
import java.util.Set;

/**
 * The parts of this node that keep in memory or in the mirror what is stored, apart from configurations. Each method has one
 * part read it again, because another node has changed it. All of them block; one that throws is called again.
 */
public interface FollowedParts {

    /** All services, persistent instances, overrides and switches. On the writer's thread. */
    void registry();

    /** The stored part of these services. On the writer's thread. */
    void services(Set<ServiceKey> services);

    /** The switches of these names. On the writer's thread. */
    void switches(Set<String> names);

    /** Users, roles, permissions and tokens. */
    void accounts();

    /** The namespaces that were created. */
    void namespaces();

    /** The keys that nodes share. */
    void secrets();
}
