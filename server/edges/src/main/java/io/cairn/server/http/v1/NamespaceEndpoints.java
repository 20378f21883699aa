package io.cairn.server.http.v1;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.core.NamespaceEntry;
import io.cairn.server.http.core.NamespaceRequest;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameters;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
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

    private static final Operation<Question> GET = Operation.of(
                    Form.of("show namespaceId checkNamespaceIdExist customNamespaceId", Question::read))
            .needs(Right.either(question -> question.subject == Subject.ALL
                    ? Right.known()
                    : Right.namespace(asked -> Namespace.ofNullable(asked.id))))
            .answers("object")
            .says("Lists the namespaces; with show or checkNamespaceIdExist, looks up one");
    private static final Operation<NamespaceRequest> CREATE = NamespaceActions.CREATE.readBy(Form.of(
            "customNamespaceId namespaceId namespaceName! namespaceDesc",
            request -> described(request, "customNamespaceId", "namespaceName")));
    private static final Operation<NamespaceRequest> EDIT = NamespaceActions.EDIT.readBy(Form.of(
            "namespace! namespaceShowName! namespaceDesc",
            request -> described(request, "namespace", "namespaceShowName")));

    private static final CompletionStage<HttpResponse> FALSE = CompletableFuture.completedFuture(flag(false));

    private final NamespaceService namespaces;

    public NamespaceEndpoints(NamespaceService namespaces) {
        this.namespaces = namespaces;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1ConsoleErrors());
        return List.of(
                endpoints.get(PATH, GET, this::get),
                endpoints.post(PATH, CREATE, this::create),
                endpoints.put(PATH, EDIT, this::edit),
                endpoints.delete(PATH, NamespaceActions.DELETE, this::delete));
    }

    /** The answers that there are at one path. */
    private enum Subject {
        ALL,
        ONE,
        EXISTENCE
    }

    /** @param id of the namespace that is looked for; null where none is named, and for all of them */
    private record Question(Subject subject, @Nullable String id) {

        static Question read(HttpRequest request) {
            if ("all".equals(request.parameter("show"))) {
                return new Question(Subject.ONE, request.parameter("namespaceId"));
            }
            return "true".equals(request.parameter("checkNamespaceIdExist"))
                    ? new Question(Subject.EXISTENCE, request.parameter("customNamespaceId"))
                    : new Question(Subject.ALL, null);
        }
    }

    private static NamespaceRequest described(HttpRequest request, String idParameter, String nameParameter) {
        return new NamespaceRequest(
                        idParameter,
                        Parameters.present(request, idParameter),
                        Parameters.present(request, nameParameter),
                        request.parameter("namespaceDesc"))
                .checked();
    }

    private CompletionStage<HttpResponse> get(Question question, HttpRequest http) {
        return switch (question.subject) {
            case ONE -> one(question.id, http);
            case EXISTENCE ->
                namespaces.exists(named(question.id, "customNamespaceId")).thenApply(NamespaceEndpoints::flag);
            case ALL ->
                namespaces
                        .list(RequestCaller.of(http).principal())
                        .thenApply(visible -> json(JsonBody.enveloped(
                                200,
                                null,
                                visible.stream().map(NamespaceEndpoints::entry).toList())));
        };
    }

    private CompletionStage<HttpResponse> one(@Nullable String id, HttpRequest http) {
        return namespaces
                .find(named(id, "namespaceId"), RequestCaller.of(http).principal())
                .thenApply(found -> found.map(info -> json(JsonBody.of(entry(info))))
                        .orElseGet(() -> V1ConfigErrors.caused(500, "namespaceId [ " + id + " ] not exist")));
    }

    private CompletionStage<HttpResponse> create(NamespaceRequest request, HttpRequest http) {
        StoredNamespace checked = checked(request);
        return checked == null
                ? FALSE
                : namespaces.create(checked, RequestCaller.of(http)).thenApply(created -> flag(created.isPresent()));
    }

    private CompletionStage<HttpResponse> edit(NamespaceRequest request, HttpRequest http) {
        StoredNamespace checked = checked(request);
        // As recorded: also true where there was nothing to edit.
        return checked == null
                ? FALSE
                : namespaces.edit(checked, RequestCaller.of(http)).thenApply(edited -> flag(true));
    }

    /** Null when the check of names lets it through and the namespace is refused all the same. */
    private static @Nullable StoredNamespace checked(NamespaceRequest request) {
        try {
            return request.draft().check();
        } catch (CairnException e) {
            if (e.code() != ErrorCode.INVALID_PARAMETER) {
                throw e;
            }
            // Version 1 says no more than that.
            return null;
        }
    }

    private CompletionStage<HttpResponse> delete(NamespaceRequest request, HttpRequest http) {
        return namespaces
                .delete(named(request.id(), "namespaceId"), RequestCaller.of(http))
                .thenApply(deleted -> flag(true));
    }

    private static Namespace named(@Nullable String id, String parameter) {
        if (id == null) {
            throw ParameterException.missing(parameter);
        }
        ParameterCheck.namespace(id);
        return Namespace.ofNullable(id);
    }

    private static NamespaceEntry entry(NamespaceInfo info) {
        return NamespaceEntry.of(info, "", info.description(), 2);
    }

    private static HttpResponse flag(boolean value) {
        return HttpResponse.ok(HttpResponse.JSON, Boolean.toString(value));
    }

    private static HttpResponse json(byte[] body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(body);
    }
}
