package io.cairn.server.naming.group;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/** Handles the health set by an operator on another node. Does not wait. */
@FunctionalInterface
public interface OperatorHealth {

    /** Sets the health if this node publishes or checks the instance, so that others follow. */
    void set(ServiceKey service, InstanceKey instance, boolean healthy);
}
