package io.cairn.server.xds;

import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.NamingService;
import io.cairn.server.naming.ServiceView;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The resources of a view, made of the services in the registry. */
final class ServiceViewResources implements ViewResources {

    private final ViewKey key;
    private final NamingService naming;
    private final ServiceResources encoder;
    private final LongAdder encoded;

    /** @param encoded counts the lists of endpoints that are encoded */
    ServiceViewResources(ViewKey key, NamingService naming, ServiceResources encoder, LongAdder encoded) {
        this.key = key;
        this.naming = naming;
        this.encoder = encoder;
        this.encoded = encoded;
    }

    @Override
    public @Nullable Found find(XdsType type, String name) {
        ResourceName known = readable(name);
        if (known == null) {
            return type == XdsType.EDS ? unlisted(encoder.unknownEndpoints(name)) : null;
        }
        return switch (type) {
            case CDS ->
                new Found(
                        encoder.cluster(known, view(known), key.flavour()),
                        known.subset().isEmpty() && key.isInScope(known.service(key.namespace())),
                        Set.of(name),
                        false);
            case EDS -> {
                encoded.increment();
                yield unlisted(encoder.endpoints(known, view(known), key.flavour()));
            }
            case LDS -> unlisted(encoder.listener(known));
            case RDS -> unlisted(encoder.route(known));
        };
    }

    private static Found unlisted(Resource resource) {
        return new Found(resource, false, Set.of(), false);
    }

    /** The name of a service that is there and may be read, or of a subset of it. */
    private @Nullable ResourceName readable(String name) {
        ResourceName known = parse(name);
        if (known == null) {
            return null;
        }
        ServiceKey service = known.service(key.namespace());
        return key.services().has(service) && naming.find(service) != null ? known : null;
    }

    /** A service may have a name that looks like that of a subset. */
    private @Nullable ResourceName parse(String name) {
        ResourceName whole = ResourceName.wholeService(name);
        return whole != null && naming.find(whole.service(key.namespace())) != null ? whole : ResourceName.parse(name);
    }

    private ServiceView view(ResourceName name) {
        ServiceView view = naming.view(name.service(key.namespace()), null, false);
        return key.address().isEmpty() ? view : view.seenFrom(key.address());
    }

    @Override
    public Collection<String> listed(XdsType type) {
        Set<String> names = new HashSet<>();
        if (type == XdsType.CDS) {
            naming.forEachServiceKey(key.namespace(), service -> {
                if (key.services().has(service) && key.isInScope(service)) {
                    names.add(ResourceName.of(service).toString());
                }
            });
        }
        return names;
    }

    @Override
    public @Nullable String nameOf(ServiceKey service) {
        return key.services().has(service) ? ResourceName.of(service).toString() : null;
    }

    @Override
    public @Nullable ServiceKey serviceOf(String name) {
        ResourceName known = parse(name);
        return known == null ? null : known.service(key.namespace());
    }

    @Override
    public boolean isRoutedTo(String cluster) {
        return false;
    }
}
