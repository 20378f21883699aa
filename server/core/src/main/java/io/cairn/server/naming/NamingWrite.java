package io.cairn.server.naming;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;

/** A row about a service that is to be stored. State that is only in the registry's memory has no such rows. */
public sealed interface NamingWrite {

    record SaveService(ServiceKey service, ServiceSettings settings) implements NamingWrite {}

    record RemoveService(ServiceKey service) implements NamingWrite {}

    record SaveInstance(ServiceKey service, Instance instance) implements NamingWrite {}

    record RemoveInstance(ServiceKey service, InstanceKey instance) implements NamingWrite {}

    /** One that {@linkplain InstanceOverride#isNone changes nothing} is removed. */
    record SaveOverride(ServiceKey service, InstanceKey instance, InstanceOverride override) implements NamingWrite {}

    record SaveSwitch(String name, String value) implements NamingWrite {}
}
