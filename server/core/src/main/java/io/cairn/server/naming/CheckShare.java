package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/** Selects the persistent instances that this node checks. Thread-safe; called with locks held. */
@FunctionalInterface
public interface CheckShare {

    /** That of a server without others: it checks all of them. */
    CheckShare ALL = (service, instance) -> true;

    /** Whether this node checks the instance. The cluster of the instance plays no part. */
    boolean isOwn(ServiceKey service, InstanceKey instance);
}
