package io.cairn.server.naming.stored;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.InstanceOverride;
import io.cairn.server.naming.ServiceSettings;

/** A stored row about a service. */
public sealed interface NamingWrite {

    record SaveService(ServiceKey service, ServiceSettings settings) implements NamingWrite {}

    record RemoveService(ServiceKey service) implements NamingWrite {}

    record SaveInstance(ServiceKey service, Instance instance) implements NamingWrite {}

    record RemoveInstance(ServiceKey service, InstanceKey instance) implements NamingWrite {}

    /** Removes an {@linkplain InstanceOverride#isNone empty} override. */
    record SaveOverride(ServiceKey service, InstanceKey instance, InstanceOverride override) implements NamingWrite {}

    record SaveSwitch(String name, String value) implements NamingWrite {}
}
