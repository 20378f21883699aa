package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.core.NamespaceRequest;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import io.cairn.server.namespace.NamespaceService;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

public final class NamespaceEndpoints {

    private static final String ADMIN = "/v3/admin/core/namespace";
    private static final String CONSOLE = "/v3/console/core/namespace";

    private static final Operation<NamespaceRequest> COUNT = Operation.of(NamespaceRequest.naming(NamespaceRequest.ID))
            .needs(Right.namespace(NamespaceRequest::namespace))
            .answers("integer")
            .says("Counts the namespaces of an id: 0 or 1");
    private static final Operation<NamespaceRequest> EXISTS = Operation.of(
                    NamespaceRequest.naming(NamespaceRequest.CUSTOM_ID))
            .needs(Right.namespace(NamespaceRequest::namespace))
            .answers("boolean")
            .says("Shows whether a namespace exists");

    private final NamespaceActions actions;
    private final Endpoints endpoints;

    public NamespaceEndpoints(NamespaceService namespaces, ContainerErrors container) {
        this.actions = new NamespaceActions(
                namespaces,
                new NamespaceActions.Words(
                        V3.ENVELOPE, "public", 1, DetailCode.NAMESPACE_EXISTS, "namespaceId [%s] already exist."));
        this.endpoints = new Endpoints(NamespaceActions.errors(V3.ENVELOPE, V3.errors(container)));
    }

    public List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = new ArrayList<>(routes(ADMIN, NamespaceActions.CREATE));
        routes.add(endpoints.get(ADMIN + "/check", COUNT, this::count));
        return routes;
    }

    public List<HttpRoute> consoleRoutes() {
        List<HttpRoute> routes = new ArrayList<>(routes(
                CONSOLE,
                NamespaceActions.CREATE.readBy(
                        NamespaceRequest.creating(NamespaceRequest.CUSTOM_ID, NamespaceRequest.ID))));
        routes.add(endpoints.get(CONSOLE + "/exist", EXISTS, this::exists));
        return routes;
    }

    private List<HttpRoute> routes(String path, Operation<NamespaceRequest> create) {
        return List.of(
                endpoints.get(path + "/list", NamespaceActions.LIST, actions::list),
                endpoints.get(path, NamespaceActions.GET, actions::get),
                endpoints.post(path, create, actions::create),
                endpoints.put(path, NamespaceActions.EDIT, actions::edit),
                endpoints.delete(path, NamespaceActions.DELETE, actions::delete));
    }

    private CompletionStage<HttpResponse> count(NamespaceRequest request, HttpRequest http) {
        return actions.exists(request)
                .thenApply(exists -> V3.ENVELOPE.success(0, out -> out.number("data", exists ? 1 : 0)));
    }

    private CompletionStage<HttpResponse> exists(NamespaceRequest request, HttpRequest http) {
        return actions.exists(request).thenApply(exists -> V3.ENVELOPE.success(0, out -> out.flag("data", exists)));
    }
}
