package io.cairn.server.xds.resource;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.mesh.StoredResource;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.naming.GroupedName;
import io.cairn.server.naming.registry.RegistryView;
import io.cairn.server.naming.view.ServiceView;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** A view's stored resources, and the resources of services in the registry. */
public final class ServiceViewResources implements ViewResources {

    private final ViewKey key;
    private final RegistryView reads;
    private final ServiceResources encoder;
    private final StoredResources storedResources;
    private final LongAdder encoded;
    private Map<XdsType, Map<String, StoredResource>> stored;
    /** The clusters in stored routes and listeners. */
    private Set<String> routed;

    /** @param encoded counts encoded lists of endpoints */
    public ServiceViewResources(
            ViewKey key,
            RegistryView reads,
            ServiceResources encoder,
            StoredResources storedResources,
            LongAdder encoded) {
        this.key = key;
        this.storedResources = storedResources;
        this.reads = reads;
        this.encoder = encoder;
        this.encoded = encoded;
        this.stored = readStored();
        this.routed = routedTo(stored);
    }

    @Override
    public StoredChange takeStored() {
        if (!storedResources.isCurrent(key.reader())) {
            // Its streams continue with other views, and must not get resources for other nodes meanwhile.
            return StoredChange.NONE;
        }
        Map<XdsType, Map<String, StoredResource>> before = stored;
        Set<String> routedBefore = routed;
        stored = readStored();
        routed = routedTo(stored);
        Map<XdsType, Set<String>> names = new EnumMap<>(XdsType.class);
        for (XdsType type : XdsType.values()) {
            names.put(type, different(before.getOrDefault(type, Map.of()), stored.getOrDefault(type, Map.of())));
        }
        Set<String> unrouted = new HashSet<>(routedBefore);
        unrouted.removeAll(routed);
        Set<String> clusters = new HashSet<>(routed);
        clusters.removeAll(routedBefore);
        clusters.addAll(unrouted);
        clusters.addAll(names.getOrDefault(XdsType.CDS, Set.of()));
        names.put(XdsType.CDS, clusters);
        return new StoredChange(names, unrouted);
    }

    /** The stored resources that the view's nodes may read. */
    private Map<XdsType, Map<String, StoredResource>> readStored() {
        Map<XdsType, Map<String, StoredResource>> all = new EnumMap<>(XdsType.class);
        storedResources.of(key.reader()).forEach((typeUrl, resources) -> {
            XdsType type = XdsType.of(typeUrl);
            if (type != null) {
                Map<String, StoredResource> readable = new HashMap<>();
                resources.forEach((name, resource) -> {
                    ConfigKey config = new ConfigKey(key.namespace(), storedResources.group(), resource.dataId());
                    boolean isOfUse = key.flavour() == Flavour.GRPC || !resource.isApiListener();
                    if (isOfUse && key.configurations().has(config)) {
                        readable.put(name, resource);
                    }
                });
                all.put(type, readable);
            }
        });
        return all;
    }

    private static Set<String> routedTo(Map<XdsType, Map<String, StoredResource>> stored) {
        Set<String> clusters = new HashSet<>();
        for (XdsType type : List.of(XdsType.LDS, XdsType.RDS)) {
            stored.getOrDefault(type, Map.of()).values().forEach(each -> clusters.addAll(each.clusters()));
        }
        return clusters;
    }

    private static Set<String> different(Map<String, StoredResource> before, Map<String, StoredResource> now) {
        Set<String> names = new HashSet<>();
        before.forEach((name, was) -> {
            StoredResource is = now.get(name);
            if (is == null || is.hash() != was.hash()) {
                names.add(name);
            }
        });
        for (String name : now.keySet()) {
            if (!before.containsKey(name)) {
                names.add(name);
            }
        }
        return names;
    }

    @Override
    public @Nullable Found find(XdsType type, String name) {
        StoredResource written = stored.getOrDefault(type, Map.of()).get(name);
        if (written != null) {
            return new Found(
                    Resource.of(type, name, written.value()),
                    true,
                    type == XdsType.CDS ? written.clusters() : Set.of(),
                    true);
        }
        ServerListenerName listening = type == XdsType.LDS ? ServerListenerName.parse(name) : null;
        if (listening != null) {
            return unlisted(encoder.serverListener(name, listening));
        }
        ResourceName known = readable(name);
        // Clients name a listener; all other names are those in its route and clusters.
        if (known == null || type != XdsType.LDS && !known.toString().equals(name)) {
            return type == XdsType.EDS ? unlisted(encoder.unknownEndpoints(name)) : null;
        }
        return switch (type) {
            case CDS ->
                new Found(
                        encoder.cluster(known, view(known), key.flavour()),
                        routed.contains(name)
                                || known.subset().isEmpty() && key.isInScope(known.service(key.namespace())),
                        Set.of(name),
                        false);
            case EDS -> {
                encoded.increment();
                ServiceView view = view(known);
                yield new Found(
                        encoder.endpoints(known, view, key.flavour()), false, Set.of(), false, encoder.hostNames(view));
            }
            case LDS -> unlisted(encoder.listener(name, known));
            case RDS -> unlisted(encoder.route(known));
        };
    }

    private static Found unlisted(Resource resource) {
        return new Found(resource, false, Set.of(), false);
    }

    /** The name of an existing, readable service, or of a subset of it. */
    private @Nullable ResourceName readable(String name) {
        ResourceName known = parse(name);
        if (known == null) {
            return null;
        }
        ServiceKey service = known.service(key.namespace());
        return key.services().has(service) && reads.find(service) != null ? known : null;
    }

    /** Accepts both separators of the group. A service's name may look like a subset. */
    private @Nullable ResourceName parse(String text) {
        if (ServerListenerName.isOne(text)) {
            return null;
        }
        String name = GroupedName.firstSpelling(text);
        ResourceName whole = ResourceName.wholeService(name);
        return whole != null && reads.find(whole.service(key.namespace())) != null ? whole : ResourceName.parse(name);
    }

    private ServiceView view(ResourceName name) {
        return reads.view(name.service(key.namespace()), null, false).seenWith(key.labels());
    }

    @Override
    public Collection<String> listed(XdsType type) {
        Set<String> names = new HashSet<>(stored.getOrDefault(type, Map.of()).keySet());
        if (type == XdsType.CDS) {
            names.addAll(routed);
            reads.forEachServiceKey(key.namespace(), service -> {
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
    public boolean mayRead(Found found) {
        String name = found.resource().name();
        if (!found.stored() && ServerListenerName.isOne(name)) {
            // Its name determines the content.
            return true;
        }
        if (!found.stored()) {
            ServiceKey service = serviceOf(name);
            return service != null && key.services().has(service);
        }
        // The configuration alone decides: a stored resource's name may look like that of a service.
        for (StoredName.Kind kind : StoredName.Kind.values()) {
            if (kind.typeUrl().equals(found.resource().type().typeUrl())) {
                String dataId = new StoredName(kind, name).dataId();
                return key.configurations().has(new ConfigKey(key.namespace(), storedResources.group(), dataId));
            }
        }
        return false;
    }

    @Override
    public boolean isRoutedTo(String cluster) {
        return routed.contains(cluster);
    }
}
