package io.cairn.server.subscription;

import io.cairn.api.config.Namespace;
import io.cairn.api.fuzzy.FuzzyPattern;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.naming.NamingWire;
import io.cairn.server.auth.ReadScope;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.subscription.fuzzy.FuzzyNames;
import java.util.function.Consumer;

/** The services with instances, for patterns. */
public final class FuzzyServiceNames implements FuzzyNames<ServiceKey> {

    private final RegistryView reads;

    public FuzzyServiceNames(RegistryView reads) {
        this.reads = reads;
    }

    @Override
    public void forEach(Namespace namespace, Consumer<ServiceKey> consumer) {
        reads.forEachServiceKey(namespace, consumer);
    }

    @Override
    public boolean isPresent(ServiceKey service) {
        return reads.hasInstances(service);
    }

    @Override
    public boolean matches(FuzzyPattern pattern, ServiceKey service) {
        return pattern.matches(service.namespace(), service.group(), service.name());
    }

    @Override
    public boolean isVisible(ReadScope visible, ServiceKey name) {
        return visible.has(name);
    }

    @Override
    public String spelled(ServiceKey service) {
        return NamingWire.serviceKey(service);
    }
}
