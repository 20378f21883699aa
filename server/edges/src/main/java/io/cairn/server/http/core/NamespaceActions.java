package io.cairn.server.http.core;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.namespace.NamespaceDraft;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.namespace.StoredNamespace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Namespaces as versions 2 and 3 offer them; they differ in a few words only. Thread-safe; nothing blocks. */
public final class NamespaceActions {

    private final NamespaceService namespaces;
    private final Words words;

    /**
     * In what the versions differ.
     *
     * @param defaultId how the default namespace is spelled
     * @param createdType the number for namespaces that somebody created
     * @param existsCode what creating one that there is fails with
     * @param exists the text for it, with a place for the id
     */
    public record Words(Envelope envelope, String defaultId, int createdType, DetailCode existsCode, String exists) {}

    public NamespaceActions(NamespaceService namespaces, Words words) {
        this.namespaces = namespaces;
        this.words = words;
    }

    public CompletionStage<HttpResponse> list(HttpRequest request) {
        return namespaces.list(RequestCaller.of(request).principal()).thenApply(visible -> {
            byte[] json = JsonOutput.array(visible, this::write);
            return words.envelope.success(json.length, out -> out.json("data", json));
        });
    }

    /** The namespace in {@code namespaceId}. */
    public CompletionStage<HttpResponse> get(HttpRequest request) {
        String id = present(request, "namespaceId");
        return namespaces
                .find(Namespace.ofNullable(id), RequestCaller.of(request).principal())
                .thenApply(found -> found.map(info -> {
                            JsonOutput json = new JsonOutput(256);
                            write(info, json);
                            byte[] data = json.toBytes();
                            return words.envelope.success(data.length, out -> out.json("data", data));
                        })
                        .orElseGet(() -> words.envelope.failure(
                                404, DetailCode.NAMESPACE_NOT_FOUND, "namespaceId [ " + id + " ] not exist")));
    }

    /** @param idParameter where the id is; one is drawn when it is blank or absent */
    public CompletionStage<HttpResponse> create(HttpRequest request, String idParameter) {
        StoredNamespace checked = draft(request, request.parameter(idParameter)).check();
        return namespaces
                .create(checked, RequestCaller.of(request))
                .thenApply(created -> created.isPresent()
                        ? done()
                        : words.envelope.failure(
                                400,
                                words.existsCode,
                                words.exists.formatted(checked.namespace().id())));
    }

    /** Gives the namespace in {@code namespaceId} another name; one that is not there is left alone. */
    public CompletionStage<HttpResponse> edit(HttpRequest request) {
        String id = present(request, "namespaceId");
        if (id.isBlank()) {
            throw ParameterException.missing("namespaceId");
        }
        return namespaces
                .edit(draft(request, id).check(), RequestCaller.of(request))
                .thenApply(edited -> done());
    }

    private static NamespaceDraft draft(HttpRequest request, @Nullable String id) {
        return new NamespaceDraft(id, request.parameter("namespaceName"), request.parameter("namespaceDesc"));
    }

    /** Deletes the namespace in {@code namespaceId}; one that is not there is no failure. */
    public CompletionStage<HttpResponse> delete(HttpRequest request) {
        return namespaces
                .delete(Namespace.ofNullable(present(request, "namespaceId")), RequestCaller.of(request))
                .thenApply(deleted -> done());
    }

    /** Whether the namespace in that parameter is there. */
    public CompletionStage<Boolean> exists(HttpRequest request, String idParameter) {
        String id = present(request, idParameter);
        return id.isBlank() ? CompletableFuture.completedFuture(false) : namespaces.exists(Namespace.ofNullable(id));
    }

    /** A parameter that may be empty but not absent. */
    private static String present(HttpRequest request, String parameter) {
        String value = request.parameter(parameter);
        if (value == null) {
            throw ParameterException.missing(parameter);
        }
        return value;
    }

    private HttpResponse done() {
        return words.envelope.success(0, out -> out.flag("data", true));
    }

    private void write(NamespaceInfo info, JsonOutput out) {
        boolean isDefault = info.namespace().isDefault();
        out.text("namespace", isDefault ? words.defaultId : info.namespace().id())
                .text("namespaceShowName", info.name())
                .textOrNull("namespaceDesc", info.description().isEmpty() ? null : info.description())
                .number("quota", info.quota())
                .number("configCount", info.configCount())
                .number("type", isDefault ? 0 : words.createdType);
    }

    /** The failures of these endpoints: what is wrong with a namespace has a code of its own. */
    public static HttpErrors errors(Envelope envelope, EnvelopeErrors others) {
        return new Errors(envelope, others.tellingMissing("required parameter '%s' is missing"));
    }

    private record Errors(Envelope envelope, EnvelopeErrors others) implements HttpErrors {

        @Override
        public HttpResponse failed(HttpRequest request, CairnException failure) {
            return failure.code() == ErrorCode.INVALID_PARAMETER && !(failure instanceof ParameterException)
                    ? envelope.failure(400, DetailCode.ILLEGAL_NAMESPACE, failure.text())
                    : others.failed(request, failure);
        }

        @Override
        public HttpResponse wrongMethod(HttpRequest request, String allowed) {
            return others.wrongMethod(request, allowed);
        }
    }
}
