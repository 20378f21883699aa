package io.cairn.server.http.v2;

import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.core.NamespaceRequest;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.namespace.NamespaceService;
import java.util.List;

public final class NamespaceEndpoints {

    private static final String PATH = "/v2/console/namespace";

    private final NamespaceActions actions;

    public NamespaceEndpoints(NamespaceService namespaces) {
        this.actions = new NamespaceActions(
                namespaces,
                new NamespaceActions.Words(
                        V2.ENVELOPE,
                        "",
                        2,
                        DetailCode.ILLEGAL_NAMESPACE,
                        "the namespaceId is existed, namespaceId: %s"));
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(NamespaceActions.errors(V2.ENVELOPE, V2.ERRORS));
        Endpoints singles = new Endpoints(V2.SINGLE_PARAMETERS);
        // Here the names precede the check of names.
        return List.of(
                endpoints.get(PATH + "/list", NamespaceActions.LIST, actions::list),
                singles.get(PATH, NamespaceActions.GET, actions::get),
                endpoints.post(
                        PATH,
                        NamespaceActions.CREATE.readBy(
                                NamespaceRequest.creating(NamespaceRequest.ID, NamespaceRequest.CUSTOM_ID)
                                        .then(NamespaceRequest::checked)),
                        actions::create),
                endpoints.put(
                        PATH,
                        NamespaceActions.EDIT.readBy(NamespaceRequest.editing().then(NamespaceRequest::checked)),
                        actions::edit),
                singles.delete(PATH, NamespaceActions.DELETE, actions::delete));
    }
}
