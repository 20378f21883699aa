package io.cairn.server.http.v1;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.naming.NamingJson;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.namespace.NamespaceDraft;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.namespace.StoredNamespace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/console/namespaces}. */
public final class NamespaceEndpoints {

    private static final String PATH = "/v1/console/namespaces";

    private final NamespaceService namespaces;

    public NamespaceEndpoints(NamespaceService namespaces) {
        this.namespaces = namespaces;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = V1ConfigErrors.ofConsole();
        return List.of(
                HttpRoute.get(PATH, errors, this::get),
                HttpRoute.post(PATH, errors, this::create),
                HttpRoute.put(PATH, errors, this::edit),
                HttpRoute.delete(PATH, errors, this::delete));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        if ("all".equals(request.parameter("show"))) {
            return one(request);
        }
        if ("true".equals(request.parameter("checkNamespaceIdExist"))) {
            String id = request.parameter("customNamespaceId");
            return id == null
                    ? CompletableFuture.completedFuture(V1ConfigErrors.missing("customNamespaceId"))
                    : namespaces.exists(namespace(id)).thenApply(NamespaceEndpoints::flag);
        }
        return namespaces.list(RequestCaller.of(request).principal()).thenApply(visible -> {
            byte[] items = NamingJson.array(
                    visible.stream().map(NamespaceEndpoints::item).toList());
            return json(new JsonOutput(items.length + 64)
                    .number("code", 200)
                    .textOrNull("message", null)
                    .json("data", items)
                    .toBytes());
        });
    }

    private CompletionStage<HttpResponse> one(HttpRequest request) {
        String id = request.parameter("namespaceId");
        if (id == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("namespaceId"));
        }
        return namespaces
                .find(namespace(id), RequestCaller.of(request).principal())
                .thenApply(found -> found.map(info -> json(item(info)))
                        .orElseGet(() -> V1ConfigErrors.caused(500, "namespaceId [ " + id + " ] not exist")));
    }

    private CompletionStage<HttpResponse> create(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "customNamespaceId", "namespaceName");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        StoredNamespace checked =
                checked(request.parameter("customNamespaceId"), request.parameter("namespaceName"), request);
        return checked == null
                ? CompletableFuture.completedFuture(flag(false))
                : namespaces.create(checked, RequestCaller.of(request)).thenApply(created -> flag(created.isPresent()));
    }

    private CompletionStage<HttpResponse> edit(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "namespace", "namespaceShowName");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        StoredNamespace checked =
                checked(request.parameter("namespace"), request.parameter("namespaceShowName"), request);
        // As recorded: also true where there was nothing to edit.
        return checked == null
                ? CompletableFuture.completedFuture(flag(false))
                : namespaces.edit(checked, RequestCaller.of(request)).thenApply(edited -> flag(true));
    }

    /** Null when the check of names lets it through and the namespace is refused all the same. */
    private static @Nullable StoredNamespace checked(@Nullable String id, @Nullable String name, HttpRequest request) {
        ParameterCheck.namespace(id);
        if (name != null && !name.isBlank() && !NamespaceDraft.isLegalName(name)) {
            throw ParameterException.refused("namespaceShowName", "illegal characters should not appear in the param.");
        }
        try {
            return new NamespaceDraft(id, name, request.parameter("namespaceDesc")).check();
        } catch (CairnException e) {
            if (e.code() != ErrorCode.INVALID_PARAMETER) {
                throw e;
            }
            // Version 1 says no more than that.
            return null;
        }
    }

    private CompletionStage<HttpResponse> delete(HttpRequest request) {
        String id = request.parameter("namespaceId");
        return id == null
                ? CompletableFuture.completedFuture(V1ConfigErrors.missing("namespaceId"))
                : namespaces.delete(namespace(id), RequestCaller.of(request)).thenApply(deleted -> flag(true));
    }

    private static Namespace namespace(String id) {
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    private static byte[] item(NamespaceInfo info) {
        boolean isDefault = info.namespace().isDefault();
        return new JsonOutput(160)
                .text("namespace", isDefault ? "" : info.namespace().id())
                .text("namespaceShowName", info.name())
                .text("namespaceDesc", info.description())
                .number("quota", info.quota())
                .number("configCount", info.configCount())
                .number("type", isDefault ? 0 : 2)
                .toBytes();
    }

    private static HttpResponse flag(boolean value) {
        return HttpResponse.ok(HttpResponse.JSON, Boolean.toString(value));
    }

    private static HttpResponse json(byte[] body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(body);
    }
}
