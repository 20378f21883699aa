package io.cairn.server.naming.group;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/** Selects the persistent instances that this node checks. Called with locks held. */
@FunctionalInterface
public interface CheckShare {

    /** For a single server. */
    CheckShare ALL = (service, instance) -> true;

    /** The cluster of the instance plays no part. */
    boolean isOwn(ServiceKey service, InstanceKey instance);
}
