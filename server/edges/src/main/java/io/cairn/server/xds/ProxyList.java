package io.cairn.server.xds;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Principal;
import io.cairn.server.mesh.MeshProxy;
import io.cairn.server.mesh.MeshProxy.MeshProxyType;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.mesh.StoredResources;
import io.cairn.server.xds.resource.Flavour;
import io.cairn.server.xds.resource.Resource;
import io.cairn.server.xds.resource.ServiceProblems;
import io.cairn.server.xds.resource.ViewKey;
import io.cairn.server.xds.resource.ViewResources;
import io.cairn.server.xds.resource.XdsType;
import io.cairn.server.xds.stream.TypeState;
import io.cairn.server.xds.stream.XdsNode;
import io.cairn.server.xds.stream.XdsStream;
import io.cairn.server.xds.view.MeshView;
import io.cairn.server.xds.view.Subscription;
import io.cairn.server.xds.view.TableEntry;
import io.cairn.server.xds.view.ViewState;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The clients with a stream, for operators: their resources and refusals. */
final class ProxyList implements MeshReads {

    /** A client without an answer for this time is waiting. */
    static final long WAITING_MILLIS = TimeUnit.SECONDS.toMillis(60);

    private final Supplier<Collection<XdsStream>> streams;
    private final RefusedClients refused;
    private final Function<ViewKey, ViewResources> resources;
    private final StoredResources stored;
    private final String server;
    private final Clock clock;
    private final ServiceProblems problems;

    /**
     * @param resources of a kind of node
     * @param server the address of this node
     */
    ProxyList(
            Supplier<Collection<XdsStream>> streams,
            RefusedClients refused,
            Function<ViewKey, ViewResources> resources,
            StoredResources stored,
            String server,
            Clock clock,
            ServiceProblems problems) {
        this.streams = streams;
        this.refused = refused;
        this.resources = resources;
        this.stored = stored;
        this.server = server;
        this.clock = clock;
        this.problems = problems;
    }

    @Override
    public List<MeshProxy> proxies() {
        CoveredCounts counts = new CoveredCounts();
        List<MeshProxy> all = new ArrayList<>();
        for (XdsStream stream : streams.get()) {
            MeshProxy proxy = proxy(stream, null, counts);
            if (proxy != null) {
                all.add(proxy);
            }
        }
        refused.recent().forEach(each -> all.add(each.shown(server)));
        return all;
    }

    @Override
    public List<MeshProxy> proxiesWith(String type, String name) {
        CoveredCounts counts = new CoveredCounts();
        List<MeshProxy> all = new ArrayList<>();
        for (XdsStream stream : streams.get()) {
            TypeState state = typeOf(stream, type);
            TableEntry entry = entry(stream, type, name);
            if (state != null && entry != null) {
                boolean newest = state.error() == null && state.acknowledgedRevision() >= entry.revision();
                MeshProxy proxy = proxy(stream, newest, counts);
                if (proxy != null) {
                    all.add(proxy);
                }
            }
        }
        return all;
    }

    @Override
    public @Nullable MeshProxy proxy(String id) {
        XdsStream stream = stream(id);
        if (stream != null) {
            return proxy(stream, null, new CoveredCounts());
        }
        RefusedClients.Refused known = refused.find(id);
        return known == null ? null : known.shown(server);
    }

    private @Nullable MeshProxy proxy(XdsStream stream, @Nullable Boolean newest, CoveredCounts counts) {
        XdsNode node = stream.node();
        MeshView view = stream.view();
        return node == null || view == null ? null : proxy(stream, node, view, newest, counts);
    }

    private MeshProxy proxy(
            XdsStream stream, XdsNode node, MeshView view, @Nullable Boolean newest, CoveredCounts counts) {
        List<MeshProxyType> types = new ArrayList<>(XdsType.COUNT);
        ViewState state = view.state();
        String worst = "current";
        int hostNames = 0;
        for (TypeState each : stream.subscribedTypes()) {
            CoveredCounts.Count count = counts.of(state, each.subscription());
            MeshProxyType type = type(each, count.resources());
            hostNames += count.leftOut();
            types.add(type);
            worst = MeshProxy.worse(worst, type.state());
        }
        return new MeshProxy(
                stream.id(),
                node.id(),
                node.cluster(),
                XdsStream.addressOf(stream.call()),
                server,
                node.agent(),
                node.flavour().shortName(),
                stream.isDelta() ? "delta" : "sotw",
                node.namespace().id(),
                stream.principal().isSomebody() ? stream.principal().toString() : "",
                node.tag() == null ? "" : node.tag(),
                stream.connectedAtMillis(),
                types.isEmpty() ? "starting" : worst,
                hostNames,
                newest,
                null,
                types);
    }

    private MeshProxyType type(TypeState type, int resources) {
        Subscription subscription = type.subscription();
        String error = type.error();
        long unanswered = type.unansweredSinceMillis();
        String shown;
        long since = type.sinceMillis();
        if (error != null) {
            shown = "refusing";
        } else if (isWaiting(unanswered, clock.millis())) {
            shown = "waiting";
            since = unanswered;
        } else {
            shown = type.acknowledgedRevision() == TableEntry.NOTHING ? "starting" : "current";
        }
        return new MeshProxyType(
                type.type().shortName(),
                type.type().typeUrl(),
                subscription.isWildcard(),
                subscription.names().size(),
                resources,
                revision(type.sentRevision()),
                revision(type.acknowledgedRevision()),
                shown,
                error,
                since);
    }

    /** Whether a client {@linkplain TypeState#unansweredSinceMillis has not answered} for too long. */
    static boolean isWaiting(long unansweredSinceMillis, long nowMillis) {
        return unansweredSinceMillis > 0 && nowMillis - unansweredSinceMillis >= WAITING_MILLIS;
    }

    private static String revision(long revision) {
        return revision == TableEntry.NOTHING ? "" : Long.toString(revision);
    }

    private @Nullable XdsStream stream(String id) {
        for (XdsStream stream : streams.get()) {
            if (stream.id().equals(id)) {
                return stream;
            }
        }
        return null;
    }

    private static @Nullable TypeState typeOf(@Nullable XdsStream stream, String type) {
        if (stream != null) {
            for (TypeState each : stream.subscribedTypes()) {
                if (each.type().shortName().equals(type)) {
                    return each;
                }
            }
        }
        return null;
    }

    @Override
    public List<String> names(String proxyId, String type, Principal reader) {
        XdsStream stream = stream(proxyId);
        TypeState state = typeOf(stream, type);
        XdsNode node = stream == null ? null : stream.node();
        if (state == null || node == null) {
            return List.of();
        }
        ViewResources readable = readable(node.namespace(), node.flavour(), reader);
        return state.subscription().names().stream()
                .filter(name -> {
                    ServiceKey service = readable.serviceOf(name);
                    return service == null || readable.nameOf(service) != null;
                })
                .sorted()
                .toList();
    }

    private ViewResources readable(Namespace namespace, Flavour flavour, Principal reader) {
        return resources.apply(ViewKey.of(namespace, flavour, reader));
    }

    private static @Nullable TableEntry entry(@Nullable XdsStream stream, String type, String name) {
        TypeState state = typeOf(stream, type);
        MeshView view = stream == null ? null : stream.view();
        if (state == null || view == null) {
            return null;
        }
        TableEntry entry = view.state().table(state.type()).get(name);
        return entry == null || !state.subscription().covers(name, entry) ? null : entry;
    }

    @Override
    public List<ListedResource> resourcesOf(String proxyId, String type, Principal reader) {
        XdsStream stream = stream(proxyId);
        TypeState state = typeOf(stream, type);
        XdsNode node = stream == null ? null : stream.node();
        MeshView view = stream == null ? null : stream.view();
        if (state == null || node == null || view == null) {
            return List.of();
        }
        ViewResources readable = readable(node.namespace(), node.flavour(), reader);
        List<ListedResource> listed = new ArrayList<>();
        for (TableEntry entry : view.state().table(state.type()).covered(state.subscription())) {
            if (readable.mayRead(entry.found())) {
                Resource resource = entry.resource();
                listed.add(new ListedResource(
                        resource.name(), resource.version(), entry.found().stored(), resource.size()));
            }
        }
        listed.sort(Comparator.comparing(ListedResource::name));
        return listed;
    }

    @Override
    public @Nullable ReadResource resourceOf(String proxyId, String type, String name, Principal reader) {
        XdsStream stream = stream(proxyId);
        TableEntry entry = entry(stream, type, name);
        XdsNode node = stream == null ? null : stream.node();
        if (entry == null || node == null) {
            return null;
        }
        ViewResources readable = readable(node.namespace(), node.flavour(), reader);
        return readable.mayRead(entry.found()) ? read(entry.found()) : null;
    }

    @Override
    public @Nullable ReadResource resource(
            Namespace namespace, String flavour, String type, String name, Principal reader) {
        XdsType wanted = XdsType.named(type);
        Flavour of = Flavour.valueOf(flavour.toUpperCase(Locale.ROOT));
        ViewResources readable = readable(namespace, of, reader);
        ViewResources.Found found = wanted == null ? null : readable.find(wanted, name);
        return found == null || !readable.mayRead(found) ? null : read(found);
    }

    @Override
    public List<ResourceReader> readersOf(ConfigKey key) {
        boolean isForGrpc = stored.isApiListener(key);
        List<ResourceReader> readers = new ArrayList<>();
        for (XdsStream stream : streams.get()) {
            XdsNode node = stream.node();
            MeshView view = stream.view();
            if (node == null
                    || view == null
                    || !node.namespace().equals(key.namespace())
                    || !view.key().configurations().has(key)
                    || isForGrpc && node.flavour() != Flavour.GRPC) {
                continue;
            }
            stored.nameFor(key, node.cluster())
                    .filter(name -> subscribes(stream, view, name))
                    .ifPresent(name -> readers.add(new ResourceReader(
                            node.grayClient(XdsStream.ipOf(stream.call())),
                            stream.id(),
                            node.cluster(),
                            node.agent())));
        }
        return readers;
    }

    private static boolean subscribes(XdsStream stream, MeshView view, StoredName name) {
        for (TypeState each : stream.subscribedTypes()) {
            if (each.type().typeUrl().equals(name.kind().typeUrl())) {
                Subscription subscription = each.subscription();
                TableEntry entry = view.state().table(each.type()).get(name.name());
                return entry == null || !entry.found().stored()
                        ? subscription.isWildcard() || subscription.names().contains(name.name())
                        : subscription.covers(name.name(), entry);
            }
        }
        return false;
    }

    @Override
    public List<ServiceProblem> serviceProblems(Namespace namespace) {
        return streams.get().isEmpty() ? List.of() : problems.of(namespace);
    }

    private static ReadResource read(ViewResources.Found found) {
        Resource resource = found.resource();
        return new ReadResource(
                resource.type().shortName(),
                resource.name(),
                resource.type().typeUrl(),
                resource.version(),
                found.stored(),
                resource.value());
    }
}
