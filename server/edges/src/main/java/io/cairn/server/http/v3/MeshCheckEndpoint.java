package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.EnvoyResource;
import io.cairn.server.mesh.EnvoyResources.ResourceProblem;
import io.cairn.server.mesh.MeshNames;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.mesh.StoredResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** {@code /v3/admin/mesh/check}: checks a resource as a publish would, without storing it. */
public final class MeshCheckEndpoint {

    private final StoredResources stored;
    private final MeshNames names;
    private final Executor work;
    private final Endpoints endpoints;
    private final Operation<Draft> check;

    record Draft(ConfigKey key) {}

    /**
     * @param typeUrl null when invalid
     * @param name null when invalid
     * @param clusters the named clusters, without those hidden from the caller
     * @param routes the routes named over ADS, likewise
     */
    record MeshCheck(
            boolean valid,
            @Nullable String typeUrl,
            @Nullable String name,
            List<ResourceProblem> problems,
            List<ResourceProblem> warnings,
            List<NamedCluster> clusters,
            List<NamedRoute> routes) {}

    /** @param exists whether such a service or stored cluster exists */
    record NamedCluster(String name, boolean exists) {}

    /** @param exists whether such a service or stored route exists */
    record NamedRoute(String name, boolean exists) {}

    /**
     * @param group of the stored resources
     * @param work a small bounded pool for checks
     */
    public MeshCheckEndpoint(
            String group, StoredResources stored, MeshNames names, Executor work, ContainerErrors container) {
        this.stored = stored;
        this.names = names;
        this.work = work;
        this.endpoints = new Endpoints(V3.errors(container));
        this.check = Operation.of(Form.of(
                                ConfigForm.DATA_ID.required(),
                                NamingParameters.NAMESPACE_ID,
                                ConfigForm.CONTENT.required())
                        .as(request -> read(request, group)))
                .needs(Right.config(Action.WRITE, Draft::key))
                .answers(MeshCheck.class)
                .says("Checks a listener, route or cluster for proxies as a publish does, and stores nothing");
    }

    private static Draft read(HttpRequest request, String group) {
        String dataId = ConfigForm.DATA_ID.of(request);
        String namespace = NamingParameters.NAMESPACE_ID.orNull(request);
        ParameterCheck.config(dataId, group, namespace);
        return new Draft(new ConfigKey(Namespace.ofNullable(namespace), group, dataId));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.post("/v3/admin/mesh/check", check, this::check));
    }

    private CompletionStage<HttpResponse> check(Draft draft, HttpRequest request) {
        EnvoyResources resources = stored.mustRead();
        String content = ConfigForm.CONTENT.of(request);
        Principal reader = RequestCaller.of(request).principal();
        return CompletableFuture.supplyAsync(
                () -> V3.ENVELOPE.written(check(draft.key(), content, resources, reader)), work);
    }

    private MeshCheck check(ConfigKey key, String content, EnvoyResources resources, Principal reader) {
        String refusal = StoredName.refusal(key.dataId());
        StoredName name = StoredName.of(key.dataId()).orElse(null);
        if (name == null) {
            String why = refusal != null
                    ? refusal
                    : "the dataId '" + key.dataId()
                            + "' names no resource (expected: listener.<name>, route.<name> or cluster.<name>)";
            return refused(List.of(new ResourceProblem("", 0, 0, why)), List.of());
        }
        Checked checked = resources.check(name, content);
        EnvoyResource resource = checked.resource();
        if (resource == null || !checked.problems().isEmpty()) {
            return refused(checked.problems(), checked.warnings());
        }
        List<NamedCluster> clusters = new ArrayList<>();
        known(key.namespace(), StoredName.Kind.CLUSTER, resource.clusters(), reader)
                .forEach((cluster, exists) -> clusters.add(new NamedCluster(cluster, exists)));
        List<NamedRoute> routes = new ArrayList<>();
        known(key.namespace(), StoredName.Kind.ROUTE, resource.routes(), reader)
                .forEach((route, exists) -> routes.add(new NamedRoute(route, exists)));
        return new MeshCheck(
                true, resource.typeUrl(), resource.name(), checked.problems(), checked.warnings(), clusters, routes);
    }

    private static MeshCheck refused(List<ResourceProblem> problems, List<ResourceProblem> warnings) {
        return new MeshCheck(false, null, null, problems, warnings, List.of(), List.of());
    }

    /** The names in order, with their existence. */
    private SortedMap<String, Boolean> known(
            Namespace namespace, StoredName.Kind kind, Set<String> wanted, Principal reader) {
        SortedMap<String, Boolean> known = new TreeMap<>();
        for (String name : wanted) {
            Boolean exists = names.has(namespace, new StoredName(kind, name), reader);
            if (exists != null) {
                known.put(name, exists);
            }
        }
        return known;
    }
}
