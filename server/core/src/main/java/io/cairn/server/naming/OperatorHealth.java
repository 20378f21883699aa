package io.cairn.server.naming;

import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/** Takes the health that an operator has set on another node of the cluster. Thread-safe; does not wait. */
@FunctionalInterface
public interface OperatorHealth {

    /** Sets the health of the instance if this node publishes or checks it, so that the other nodes follow; otherwise does nothing. */
    void set(ServiceKey service, InstanceKey instance, boolean healthy);
}
