package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import java.util.function.UnaryOperator;

/** One thing to be changed of what is stored about a service. The change may be applied more than once, and must not block. */
public sealed interface NamingChange {

    /** The service that it is about. */
    ServiceKey service();

    /**
     * Changes the settings of a service.
     *
     * @param unstored the settings where none are stored
     */
    record ChangeService(ServiceKey service, ServiceSettings unstored, UnaryOperator<ServiceSettings> change)
            implements NamingChange {}

    /** Changes the override of an instance. */
    record ChangeOverride(ServiceKey service, InstanceKey instance, UnaryOperator<InstanceOverride> change)
            implements NamingChange {}

    /**
     * Changes a persistent instance where it is stored, also when that makes no difference to its row: what is shown may
     * differ from it.
     */
    record ChangeInstance(ServiceKey service, InstanceKey instance, UnaryOperator<Instance> change)
            implements NamingChange {}
}
