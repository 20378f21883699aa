package io.cairn.server.http.v3;

import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.namespace.NamespaceService;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v3/admin/core/namespace} and {@code /v3/console/core/namespace}. */
public final class NamespaceEndpoints {

    private static final String ADMIN = "/v3/admin/core/namespace";
    private static final String CONSOLE = "/v3/console/core/namespace";

    private static final OldOperation LIST = OldOperation.of("Lists the namespaces", "", "[Namespace]");
    private static final OldOperation GET = OldOperation.of("Describes a namespace", "namespaceId!", "Namespace");
    private static final OldOperation EDIT =
            OldOperation.of("Renames a namespace", "namespaceId! namespaceName! namespaceDesc", "boolean");
    private static final OldOperation DELETE =
            OldOperation.of("Deletes a namespace, but nothing that it holds", "namespaceId!", "boolean");

    private final NamespaceActions actions;
    private final HttpErrors errors;

    public NamespaceEndpoints(NamespaceService namespaces, ContainerErrors container) {
        this.actions = new NamespaceActions(
                namespaces,
                new NamespaceActions.Words(
                        V3.ENVELOPE, "public", 1, DetailCode.NAMESPACE_EXISTS, "namespaceId [%s] already exist."));
        this.errors = NamespaceActions.errors(V3.ENVELOPE, V3.errors(container));
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get(ADMIN + "/list", errors, actions::list).does(LIST),
                HttpRoute.get(ADMIN, errors, actions::get).does(GET),
                HttpRoute.post(ADMIN, errors, request -> actions.create(request, "namespaceId"))
                        .does(OldOperation.of(
                                "Creates a namespace", "namespaceId namespaceName! namespaceDesc", "boolean")),
                HttpRoute.put(ADMIN, errors, actions::edit).does(EDIT),
                HttpRoute.delete(ADMIN, errors, actions::delete).does(DELETE),
                HttpRoute.get(ADMIN + "/check", errors, this::count)
                        .does(OldOperation.of("Counts the namespaces of an id: 0 or 1", "namespaceId!", "integer")));
    }

    public List<HttpRoute> consoleRoutes() {
        return List.of(
                HttpRoute.get(CONSOLE + "/list", errors, actions::list).does(LIST),
                HttpRoute.get(CONSOLE, errors, actions::get).does(GET),
                HttpRoute.post(CONSOLE, errors, request -> actions.create(request, "customNamespaceId"))
                        .does(OldOperation.of(
                                "Creates a namespace", "customNamespaceId namespaceName! namespaceDesc", "boolean")),
                HttpRoute.put(CONSOLE, errors, actions::edit).does(EDIT),
                HttpRoute.delete(CONSOLE, errors, actions::delete).does(DELETE),
                HttpRoute.get(CONSOLE + "/exist", errors, this::exists)
                        .does(OldOperation.of(
                                "Tells whether there is such a namespace", "customNamespaceId!", "boolean")));
    }

    private CompletionStage<HttpResponse> count(HttpRequest request) {
        return actions.exists(request, "namespaceId")
                .thenApply(exists -> V3.ENVELOPE.success(0, out -> out.number("data", exists ? 1 : 0)));
    }

    private CompletionStage<HttpResponse> exists(HttpRequest request) {
        return actions.exists(request, "customNamespaceId")
                .thenApply(exists -> V3.ENVELOPE.success(0, out -> out.flag("data", exists)));
    }
}
