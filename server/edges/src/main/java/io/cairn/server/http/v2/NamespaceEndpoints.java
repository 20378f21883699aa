package io.cairn.server.http.v2;

import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.namespace.NamespaceDraft;
import io.cairn.server.namespace.NamespaceService;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v2/console/namespace}. */
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
        HttpErrors errors = NamespaceActions.errors(V2.ENVELOPE, V2.ERRORS);
        return List.of(
                HttpRoute.get(PATH + "/list", errors, actions::list)
                        .does(OldOperation.of("Lists the namespaces", "", "[Namespace]")),
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, actions::get)
                        .does(OldOperation.of("Describes a namespace", "namespaceId!", "Namespace")),
                HttpRoute.post(PATH, errors, this::create)
                        .does(OldOperation.of(
                                "Creates a namespace", "namespaceId namespaceName! namespaceDesc", "boolean")),
                HttpRoute.put(PATH, errors, this::edit)
                        .does(OldOperation.of(
                                "Renames a namespace", "namespaceId! namespaceName! namespaceDesc", "boolean")),
                HttpRoute.delete(PATH, V2.SINGLE_PARAMETERS, actions::delete)
                        .does(OldOperation.of(
                                "Deletes a namespace, but nothing that it holds", "namespaceId!", "boolean")));
    }

    private CompletionStage<HttpResponse> create(HttpRequest request) {
        check(request);
        return actions.create(request, "namespaceId");
    }

    private CompletionStage<HttpResponse> edit(HttpRequest request) {
        check(request);
        return actions.edit(request);
    }

    /** In this version, names come before the check that stands before all endpoints. */
    private static void check(HttpRequest request) {
        ParameterCheck.namespace(request.parameter("namespaceId"));
        String name = request.parameter("namespaceName");
        if (name != null && !name.isEmpty() && !NamespaceDraft.isLegalName(name)) {
            throw ParameterException.refused("namespaceShowName", "illegal characters should not appear in the param.");
        }
    }
}
