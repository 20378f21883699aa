package io.cairn.server.http.core;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Envelope;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpErrors;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.namespace.StoredNamespace;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The actions on namespaces for versions 2 and 3. Does not block. */
public final class NamespaceActions {

    public static final Operation<HttpRequest> LIST = Operation.of(Form.NONE)
            .needs(Right.known())
            .answers(Answer.listOf(NamespaceEntry.class))
            .says("Lists the namespaces");
    public static final Operation<NamespaceRequest> GET = Operation.of(NamespaceRequest.naming(NamespaceRequest.ID))
            .needs(Right.namespace(NamespaceRequest::namespace))
            .answers(NamespaceEntry.class)
            .says("Describes a namespace");
    public static final Operation<NamespaceRequest> CREATE = Operation.of(
                    NamespaceRequest.creating(NamespaceRequest.ID, NamespaceRequest.CUSTOM_ID))
            .needs(Right.admin())
            .answers("boolean")
            .says("Creates a namespace");
    public static final Operation<NamespaceRequest> EDIT = Operation.of(NamespaceRequest.editing())
            .needs(Right.admin())
            .answers("boolean")
            .says("Renames a namespace");
    public static final Operation<NamespaceRequest> DELETE = Operation.of(NamespaceRequest.naming(NamespaceRequest.ID))
            .needs(Right.admin())
            .answers("boolean")
            .says("Deletes a namespace, but not its content");

    private final NamespaceService namespaces;
    private final Words words;

    /**
     * The differences between the versions.
     *
     * @param defaultId the id of the default namespace
     * @param createdType the number of created namespaces
     * @param existsCode the failure of creating an existing one
     * @param exists its text, with a place for the id
     */
    public record Words(Envelope envelope, String defaultId, int createdType, DetailCode existsCode, String exists) {}

    public NamespaceActions(NamespaceService namespaces, Words words) {
        this.namespaces = namespaces;
        this.words = words;
    }

    public CompletionStage<HttpResponse> list(HttpRequest http) {
        return namespaces
                .list(RequestCaller.of(http).principal())
                .thenApply(visible -> words.envelope.written(Rows.of(visible, this::entry)));
    }

    public CompletionStage<HttpResponse> get(NamespaceRequest request, HttpRequest http) {
        String id = request.presentId();
        return namespaces
                .find(request.namespace(), RequestCaller.of(http).principal())
                .thenApply(found -> found.map(info -> words.envelope.written(entry(info)))
                        .orElseGet(() -> words.envelope.failure(
                                404, DetailCode.NAMESPACE_NOT_FOUND, "namespaceId [ " + id + " ] not exist")));
    }

    public CompletionStage<HttpResponse> create(NamespaceRequest request, HttpRequest http) {
        StoredNamespace checked = request.draft().check();
        return namespaces
                .create(checked, RequestCaller.of(http))
                .thenApply(created -> created.isPresent()
                        ? done()
                        : words.envelope.failure(
                                400,
                                words.existsCode,
                                words.exists.formatted(checked.namespace().id())));
    }

    /** Renames the namespace; an absent one is no failure. */
    public CompletionStage<HttpResponse> edit(NamespaceRequest request, HttpRequest http) {
        if (request.presentId().isBlank()) {
            throw NamespaceRequest.ID.missing();
        }
        return namespaces.edit(request.draft().check(), RequestCaller.of(http)).thenApply(edited -> done());
    }

    /** Deletes the namespace; an absent one is no failure. */
    public CompletionStage<HttpResponse> delete(NamespaceRequest request, HttpRequest http) {
        request.presentId();
        return namespaces.delete(request.namespace(), RequestCaller.of(http)).thenApply(deleted -> done());
    }

    public CompletionStage<Boolean> exists(NamespaceRequest request) {
        return request.presentId().isBlank()
                ? CompletableFuture.completedFuture(false)
                : namespaces.exists(request.namespace());
    }

    private HttpResponse done() {
        return words.envelope.success(0, out -> out.flag("data", true));
    }

    private NamespaceEntry entry(NamespaceInfo info) {
        String description = info.description().isEmpty() ? null : info.description();
        return NamespaceEntry.of(info, words.defaultId, description, words.createdType);
    }

    /** Failures of namespaces have their own code. */
    public static HttpErrors errors(Envelope envelope, EnvelopeErrors others) {
        return new Errors(envelope, others.withMissingText("required parameter '%s' is missing"));
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
