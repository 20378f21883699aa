package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.Principal;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.mesh.ClusterNames;
import io.cairn.server.mesh.EnvoyResources;
import io.cairn.server.mesh.EnvoyResources.Checked;
import io.cairn.server.mesh.EnvoyResources.EnvoyResource;
import io.cairn.server.mesh.EnvoyResources.ResourceProblem;
import io.cairn.server.mesh.StoredName;
import io.cairn.server.mesh.StoredResources;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** {@code /v3/admin/mesh/check}: checks a resource as a publish of it would, and stores nothing. */
public final class MeshCheckEndpoint {

    private final StoredResources stored;
    private final ClusterNames clusterNames;
    private final Executor work;
    private final Endpoints endpoints;
    private final Operation<Draft> check;

    /** The resource to check. */
    record Draft(ConfigKey key) {}

    /**
     * The outcome.
     *
     * @param typeUrl null when it is not valid
     * @param name null when it is not valid
     * @param clusters that it names, but for those of which the caller may not know whether they exist
     */
    record MeshCheck(
            boolean valid,
            @Nullable String typeUrl,
            @Nullable String name,
            List<ResourceProblem> problems,
            List<ResourceProblem> warnings,
            List<NamedCluster> clusters) {}

    /** @param exists whether there is a service or a stored cluster of that name now */
    record NamedCluster(String name, boolean exists) {}

    /**
     * @param group of the configurations that are resources
     * @param work a small bounded pool on which contents are checked
     */
    public MeshCheckEndpoint(
            String group, StoredResources stored, ClusterNames clusterNames, Executor work, ContainerErrors container) {
        this.stored = stored;
        this.clusterNames = clusterNames;
        this.work = work;
        this.endpoints = new Endpoints(V3.errors(container));
        this.check = Operation.of(Form.of("dataId! namespaceId content!", request -> read(request, group)))
                .needs(Right.config(Action.WRITE, Draft::key))
                .answers(MeshCheck.class)
                .says("Checks a listener, route or cluster for proxies as a publish does, and stores nothing");
    }

    private static Draft read(HttpRequest request, String group) {
        String dataId = NamingParameters.text(request, "dataId");
        String namespace = request.parameter("namespaceId");
        if (dataId == null) {
            throw ParameterException.missing("dataId");
        }
        ParameterCheck.config(dataId, group, namespace);
        return new Draft(new ConfigKey(Namespace.ofNullable(namespace), group, dataId));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(endpoints.post("/v3/admin/mesh/check", check, this::check));
    }

    private CompletionStage<HttpResponse> check(Draft draft, HttpRequest request) {
        EnvoyResources resources = stored.mustRead();
        String content = request.parameter("content");
        if (content == null) {
            throw ParameterException.missing("content");
        }
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
            return new MeshCheck(false, null, null, List.of(new ResourceProblem("", 0, 0, why)), List.of(), List.of());
        }
        Checked checked = resources.check(name, content);
        EnvoyResource resource = checked.resource();
        return resource == null
                ? new MeshCheck(false, null, null, checked.problems(), checked.warnings(), List.of())
                : new MeshCheck(
                        true,
                        resource.typeUrl(),
                        resource.name(),
                        checked.problems(),
                        checked.warnings(),
                        known(key.namespace(), resource.clusters(), reader));
    }

    private List<NamedCluster> known(Namespace namespace, Set<String> names, Principal reader) {
        List<NamedCluster> known = new ArrayList<>();
        for (String name : names.stream().sorted().toList()) {
            Boolean exists = clusterNames.has(namespace, name, reader);
            if (exists != null) {
                known.add(new NamedCluster(name, exists));
            }
        }
        return known;
    }
}
