package io.cairn.server.http.v1;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.config.ConfigJson;
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

    private CompletionStage<HttpAnswer> get(HttpCall call) {
        if ("all".equals(call.parameter("show"))) {
            return one(call);
        }
        if ("true".equals(call.parameter("checkNamespaceIdExist"))) {
            String id = call.parameter("customNamespaceId");
            return id == null
                    ? CompletableFuture.completedFuture(V1ConfigErrors.missing("customNamespaceId"))
                    : namespaces.exists(namespace(id)).thenApply(NamespaceEndpoints::flag);
        }
        return namespaces.list(RequestCaller.of(call).principal()).thenApply(visible -> {
            byte[] items = ConfigJson.array(
                    visible.stream().map(NamespaceEndpoints::item).toList());
            return json(new JsonOutput(items.length + 64)
                    .number("code", 200)
                    .textOrNull("message", null)
                    .json("data", items)
                    .toBytes());
        });
    }

    private CompletionStage<HttpAnswer> one(HttpCall call) {
        String id = call.parameter("namespaceId");
        if (id == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("namespaceId"));
        }
        return namespaces
                .find(namespace(id), RequestCaller.of(call).principal())
                .thenApply(found -> found.map(info -> json(item(info)))
                        .orElseGet(() -> V1ConfigErrors.caused(500, "namespaceId [ " + id + " ] not exist")));
    }

    private CompletionStage<HttpAnswer> create(HttpCall call) {
        HttpAnswer refusal = V1ConfigErrors.missingOf(call, "customNamespaceId", "namespaceName");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        StoredNamespace checked = checked(call.parameter("customNamespaceId"), call.parameter("namespaceName"), call);
        return checked == null
                ? CompletableFuture.completedFuture(flag(false))
                : namespaces.create(checked, RequestCaller.of(call)).thenApply(created -> flag(created.isPresent()));
    }

    private CompletionStage<HttpAnswer> edit(HttpCall call) {
        HttpAnswer refusal = V1ConfigErrors.missingOf(call, "namespace", "namespaceShowName");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        StoredNamespace checked = checked(call.parameter("namespace"), call.parameter("namespaceShowName"), call);
        // As recorded: also true where there was nothing to edit.
        return checked == null
                ? CompletableFuture.completedFuture(flag(false))
                : namespaces.edit(checked, RequestCaller.of(call)).thenApply(edited -> flag(true));
    }

    /** Null when the check of names lets it through and the namespace is refused all the same. */
    private static @Nullable StoredNamespace checked(@Nullable String id, @Nullable String name, HttpCall call) {
        ParameterCheck.namespace(id);
        if (name != null && !name.isBlank() && !NamespaceDraft.isLegalName(name)) {
            throw ParameterException.refused("namespaceShowName", "illegal characters should not appear in the param.");
        }
        try {
            return new NamespaceDraft(id, name, call.parameter("namespaceDesc")).check();
        } catch (CairnException e) {
            if (e.code() != ErrorCode.INVALID_PARAMETER) {
                throw e;
            }
            // Version 1 says no more than that.
            return null;
        }
    }

    private CompletionStage<HttpAnswer> delete(HttpCall call) {
        String id = call.parameter("namespaceId");
        return id == null
                ? CompletableFuture.completedFuture(V1ConfigErrors.missing("namespaceId"))
                : namespaces.delete(namespace(id), RequestCaller.of(call)).thenApply(deleted -> flag(true));
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

    private static HttpAnswer flag(boolean value) {
        return HttpAnswer.ok(HttpAnswer.JSON, Boolean.toString(value));
    }

    private static HttpAnswer json(byte[] body) {
        return HttpAnswer.status(200).contentType(HttpAnswer.JSON).body(body);
    }
}
