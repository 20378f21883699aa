package io.cairn.server.http.v3;

import com.fasterxml.jackson.annotation.JsonRawValue;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ReadPool;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.envelope.SilentNodes;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.naming.Page;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.nodes.NodeRead;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.MeshProxy;
import io.cairn.server.mesh.MeshProxy.MeshProxyType;
import io.cairn.server.mesh.MeshReads;
import io.cairn.server.mesh.MeshReads.ListedResource;
import io.cairn.server.mesh.MeshReads.ReadResource;
import io.cairn.server.node.ClusterReads;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** {@code /v3/admin/mesh}: the mesh clients of all nodes, and their resources. */
public final class MeshEndpoints {

    private static final int MAX_NAMES = 1000;
    private static final int MAX_REFUSALS = 10;

    private static final Parameter<String> NAMESPACE = Parameter.exact("namespaceId", "The namespace; all when absent");
    private static final Parameter<String> STATE =
            oneOf("state", "The state of the client, or of its type", Set.copyOf(MeshProxy.STATES));
    private static final Parameter<String> TYPE = oneOf("type", "The type of resources", MeshReads.TYPES);
    private static final Parameter<String> NODE = Parameter.text("node", "A part of the id or the cluster of the node");
    private static final Parameter<String> ADDRESS = Parameter.text("address", "The beginning of the address");
    private static final Parameter<String> HELD_RESOURCE =
            Parameter.text("resource", "The name of a resource that the client has");
    private static final Parameter<String> ID = Parameter.text("id", "The id of the stream of the client");
    private static final Parameter<String> PROXY_ID = ID.named("proxy");
    private static final Parameter<String> NAME = Parameter.text("name", "The name of the resource");
    private static final Parameter<String> FLAVOUR = oneOf(
                    "flavour", "The kind of client, where proxy is absent", MeshReads.FLAVOURS)
            .orElse("envoy");

    private static final Operation<Query> PROXIES = Operation.of(
                    Form.of(NAMESPACE, STATE, TYPE, NODE, ADDRESS, HELD_RESOURCE)
                            .and(PageParameters.POSITIVE.both())
                            .as(MeshEndpoints::query))
            .needs(right(Query::namespace))
            .answers(Answer.pageOf(MeshProxy.class))
            .ofAllNodes()
            .says("Lists the clients of the mesh (proxies and gRPC libraries over xDS) with the state of each type:"
                    + " current, starting, waiting or refusing; and for ten minutes those that the server refused, with the"
                    + " reason: unauthenticated, denied or refused");
    private static final Operation<HttpRequest> PROXY = Operation.of(ID.required(), NamingParameters.NAMESPACE_ID)
            .needs(Right.some(Action.READ, ResourceType.NAMING, NamingParameters.NAMESPACE_ID))
            .answers(ProxyDetail.class)
            .says("Shows the requested, acknowledged and refused resources of a mesh client on this node");
    private static final Operation<Query> SUMMARY = Operation.of(
                    Form.of(NAMESPACE, TYPE, HELD_RESOURCE).as(MeshEndpoints::summed))
            .needs(right(Query::namespace))
            .answers(MeshSummary.class)
            .ofAllNodes()
            .says("Counts the clients of the mesh by their state; with a resource, those that have it");
    private static final Operation<HttpRequest> RESOURCE = Operation.of(
                    TYPE.required(), NAME.required(), PROXY_ID, NamingParameters.NAMESPACE_ID, FLAVOUR)
            .needs(Right.some(Action.READ, ResourceType.NAMING, NamingParameters.NAMESPACE_ID))
            .answers(MeshResourceDetail.class)
            .says("Returns a resource as a client of the mesh on this node gets it, or as one of a flavour"
                    + " (envoy, grpc, mosn) with the rights of the caller would");

    private static final Operation<HttpRequest> CONFIG = Operation.of(
                    Form.of(PROXY_ID.required(), TYPE.required(), NamingParameters.NAMESPACE_ID)
                            .and(PageParameters.POSITIVE.both()))
            .needs(Right.some(Action.READ, ResourceType.NAMING, NamingParameters.NAMESPACE_ID))
            .answers(Answer.pageOf(MeshConfigRow.class))
            .says(
                    "Lists the resources of a type that a mesh client on this node gets, also one that asks for all, with source,"
                            + " version and bytes");

    private final MeshReads mesh;
    private final @Nullable EnvoyResources json;
    private final ReadPool pool;
    private final NodeRead<MeshProxy> proxies;
    private final Endpoints endpoints;

    /**
     * @param json writes resources as JSON; null without its module
     * @param pool makes long lists
     */
    public MeshEndpoints(
            MeshReads mesh,
            @Nullable EnvoyResources json,
            ClusterReads nodes,
            ReadPool pool,
            ContainerErrors container) {
        this.mesh = mesh;
        this.json = json;
        this.pool = pool;
        this.proxies = NodeRead.declare(nodes, "mesh.proxies", MeshProxy.class, this::own, pool);
        this.endpoints = new Endpoints(V3.errors(container));
    }

    /** @param namespace null for all readable ones */
    private record Query(
            @Nullable Namespace namespace,
            @Nullable String state,
            @Nullable String type,
            @Nullable String node,
            @Nullable String address,
            @Nullable String resource) {}

    /** @param truncated whether it requests more names than are listed */
    record ProxyDetail(MeshProxy proxy, List<ProxyNames> subscriptions) {}

    record ProxyNames(String type, List<String> names, boolean truncated) {}

    /**
     * The clients by state.
     *
     * @param proxies with a stream
     * @param refused without a stream, because a server refused them in the last ten minutes
     * @param behind clients of the resource that have not acknowledged its newest version
     */
    record MeshSummary(
            int proxies,
            int current,
            int waiting,
            int refusing,
            int starting,
            int refused,
            int behind,
            List<ProxyRefusal> refusals) {}

    record ProxyRefusal(String id, String nodeId, String type, String error, long since) {}

    /**
     * @param source {@code registry} or {@code stored}
     * @param json in protobuf's JSON form; null without its module
     * @param base64 the encoded resource
     */
    record MeshResourceDetail(
            String type,
            String name,
            String typeUrl,
            String version,
            String source,
            @JsonRawValue @Nullable String json,
            String base64,
            int bytes) {}

    /**
     * @param source {@code registry} or {@code stored}
     * @param version hash of the content
     * @param bytes encoded size
     */
    record MeshConfigRow(String name, String source, String version, int bytes) {}

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/mesh/proxies", PROXIES, this::proxies),
                endpoints.get("/v3/admin/mesh/proxy", PROXY, this::proxy),
                endpoints.get("/v3/admin/mesh/summary", SUMMARY, this::summary),
                endpoints.get("/v3/admin/mesh/resource", RESOURCE, this::resource),
                endpoints.get("/v3/admin/mesh/config", CONFIG, this::config));
    }

    /** The right to some services of the namespace, or of any. */
    private static Right<Query> right(Function<Query, @Nullable Namespace> namespace) {
        return Right.either(query -> {
            Namespace named = namespace.apply(query);
            return named == null
                    ? Right.anywhere(Action.READ)
                    : Right.some(Action.READ, ResourceType.NAMING, same -> named);
        });
    }

    private static Query query(HttpRequest request) {
        Query some = summed(request);
        return new Query(
                some.namespace,
                STATE.orNull(request),
                some.type,
                NODE.orNull(request),
                ADDRESS.orNull(request),
                some.resource);
    }

    private static Query summed(HttpRequest request) {
        return new Query(
                NAMESPACE.isIn(request) ? NamingParameters.namespace(request) : null,
                null,
                TYPE.orNull(request),
                null,
                null,
                HELD_RESOURCE.orNull(request));
    }

    private static Parameter<String> oneOf(String name, String sentence, Set<String> allowed) {
        String[] words = allowed.stream().sorted().toArray(String[]::new);
        return Parameter.of(name, "string", sentence, (value, of) -> {
                    if (!allowed.contains(value)) {
                        throw new CairnException(
                                ErrorCode.INVALID_PARAMETER,
                                of + ": '" + value + "' (expected: one of " + String.join(", ", words) + ")");
                    }
                    return value;
                })
                .values(words);
    }

    private List<MeshProxy> own(Map<String, String> asked) {
        String resource = asked.get("resource");
        return resource == null ? mesh.proxies() : mesh.proxiesWith(asked.getOrDefault("type", "eds"), resource);
    }

    private CompletionStage<Found> find(Query query, HttpRequest http) {
        Principal reader = RequestCaller.of(http).principal();
        Map<String, String> asked = new HashMap<>();
        if (query.resource != null) {
            asked.put("resource", query.resource);
            asked.put("type", query.type == null ? "eds" : query.type);
        }
        return proxies.allOnPool(asked).thenApply(gathered -> {
            List<MeshProxy> rows = new ArrayList<>();
            for (MeshProxy proxy : gathered.rows()) {
                if (isAbout(query, proxy) && mayRead(reader, proxy)) {
                    rows.add(proxy);
                }
            }
            rows.sort(Comparator.comparing(MeshProxy::nodeId).thenComparing(MeshProxy::id));
            return new Found(rows, gathered.silent());
        });
    }

    private record Found(List<MeshProxy> rows, SilentNodes silent) {}

    private static boolean mayRead(Principal reader, MeshProxy proxy) {
        return reader.mayEnter(Action.READ, Namespace.ofNullable(proxy.namespaceId()), ResourceType.NAMING);
    }

    private static boolean isAbout(Query query, MeshProxy proxy) {
        return (query.namespace == null || query.namespace.id().equals(proxy.namespaceId()))
                && (query.node == null
                        || proxy.nodeId().contains(query.node)
                        || proxy.nodeCluster().contains(query.node))
                && (query.address == null || proxy.address().startsWith(query.address))
                && (query.type == null || proxy.type(query.type) != null)
                && (query.state == null || query.state.equals(state(query, proxy)));
    }

    private static String state(Query query, MeshProxy proxy) {
        MeshProxyType type = query.type == null ? null : proxy.type(query.type);
        return type == null ? proxy.state() : type.state();
    }

    private CompletionStage<HttpResponse> proxies(Query query, HttpRequest http) {
        Page page = PageParameters.POSITIVE.of(http);
        return find(query, http)
                .thenApply(found ->
                        V3.ENVELOPE.written(page.shown(found.rows.size(), Rows.of(page.of(found.rows))), found.silent));
    }

    private CompletionStage<HttpResponse> summary(Query query, HttpRequest http) {
        return find(query, http).thenApply(found -> V3.ENVELOPE.written(summed(query, found.rows), found.silent));
    }

    private static MeshSummary summed(Query query, List<MeshProxy> rows) {
        Map<String, Integer> states = new HashMap<>();
        int behind = 0;
        List<ProxyRefusal> refusals = new ArrayList<>();
        int refused = 0;
        for (MeshProxy proxy : rows) {
            if (proxy.wasRefused()) {
                refused++;
                continue;
            }
            states.merge(state(query, proxy), 1, Integer::sum);
            behind += Boolean.FALSE.equals(proxy.newest()) ? 1 : 0;
            for (MeshProxyType type : proxy.types()) {
                String error = type.error();
                if (error != null
                        && refusals.size() < MAX_REFUSALS
                        && (query.type == null || query.type.equals(type.type()))) {
                    refusals.add(new ProxyRefusal(proxy.id(), proxy.nodeId(), type.type(), error, type.since()));
                }
            }
        }
        return new MeshSummary(
                rows.size() - refused,
                states.getOrDefault("current", 0),
                states.getOrDefault("waiting", 0),
                states.getOrDefault("refusing", 0),
                states.getOrDefault("starting", 0),
                refused,
                behind,
                refusals);
    }

    private CompletionStage<HttpResponse> proxy(HttpRequest http) {
        String id = ID.of(http);
        Namespace namespace = NamingParameters.namespace(http);
        Principal reader = RequestCaller.of(http).principal();
        return pool.read(() -> {
            MeshProxy proxy = here(id, namespace);
            List<ProxyNames> subscriptions = new ArrayList<>();
            for (MeshProxyType type : proxy.types()) {
                List<String> names = mesh.names(id, type.type(), reader);
                subscriptions.add(new ProxyNames(
                        type.type(),
                        names.size() > MAX_NAMES ? names.subList(0, MAX_NAMES) : names,
                        names.size() > MAX_NAMES));
            }
            return V3.ENVELOPE.written(new ProxyDetail(proxy, subscriptions));
        });
    }

    private MeshProxy here(String id, Namespace namespace) {
        MeshProxy proxy = mesh.proxy(id);
        if (proxy == null || !proxy.namespaceId().equals(namespace.id())) {
            throw new CairnException(
                    ErrorCode.NOT_FOUND,
                    "id: " + id + ": no client of the namespace '" + namespace
                            + "' has this stream here (it has ended, or another node has it)");
        }
        return proxy;
    }

    private static String source(boolean isStored) {
        return isStored ? "stored" : "registry";
    }

    private CompletionStage<HttpResponse> config(HttpRequest http) {
        String proxy = PROXY_ID.of(http);
        String type = TYPE.of(http);
        Namespace namespace = NamingParameters.namespace(http);
        Page page = PageParameters.POSITIVE.of(http);
        Principal reader = RequestCaller.of(http).principal();
        return pool.read(() -> {
            List<ListedResource> found = mesh.resourcesOf(here(proxy, namespace).id(), type, reader);
            List<MeshConfigRow> rows = new ArrayList<>();
            for (ListedResource each : page.of(found)) {
                rows.add(new MeshConfigRow(each.name(), source(each.isStored()), each.version(), each.bytes()));
            }
            return V3.ENVELOPE.written(page.shown(found.size(), Rows.of(rows)));
        });
    }

    private CompletionStage<HttpResponse> resource(HttpRequest http) {
        String name = NAME.of(http);
        String wanted = TYPE.of(http);
        String proxy = PROXY_ID.orNull(http);
        Namespace namespace = NamingParameters.namespace(http);
        String flavour = FLAVOUR.of(http);
        Principal reader = RequestCaller.of(http).principal();
        return pool.read(() -> {
            ReadResource found = proxy == null
                    ? mesh.resource(namespace, flavour, wanted, name, reader)
                    : mesh.resourceOf(here(proxy, namespace).id(), wanted, name, reader);
            if (found == null) {
                throw new CairnException(
                        ErrorCode.NOT_FOUND,
                        "name: " + name + ": there is no such resource of the type " + wanted
                                + (proxy == null ? "" : " for the stream " + proxy));
            }
            return V3.ENVELOPE.written(new MeshResourceDetail(
                    found.type(),
                    found.name(),
                    found.typeUrl(),
                    found.version(),
                    source(found.isStored()),
                    json == null ? null : json.json(found.typeUrl(), found.value()),
                    Base64.getEncoder().encodeToString(found.value()),
                    found.value().length));
        });
    }
}
