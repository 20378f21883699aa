package io.cairn.server.storage.cluster;

import io.cairn.api.naming.ServiceKey;
import java.util.Set;

/**
 * The parts with stored state beside configurations. Each method reads one part again after another node's change. All block; a
 * method that throws is called again.
 */
public interface FollowedParts {

    /** All services, persistent instances, overrides and switches. On the writer's thread. */
    void registry();

    /** The stored part of these services. On the writer's thread. */
    void services(Set<ServiceKey> services);

    /** On the writer's thread. */
    void switches(Set<String> names);

    void accounts();

    void namespaces();

    void secrets();
}
