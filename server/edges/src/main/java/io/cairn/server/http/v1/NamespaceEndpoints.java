package io.cairn.server.http.v1;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.core.NamespaceActions;
import io.cairn.server.http.core.NamespaceEntry;
import io.cairn.server.http.core.NamespaceRequest;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import io.cairn.server.namespace.NamespaceInfo;
import io.cairn.server.namespace.NamespaceService;
import io.cairn.server.namespace.StoredNamespace;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class NamespaceEndpoints {

    private static final String PATH = "/v1/console/namespaces";

    private static final Parameter<String> ID_TO_EDIT = NamespaceRequest.ID.named("namespace");
    private static final Parameter<String> NAME_TO_EDIT = NamespaceRequest.NAME.named("namespaceShowName");

    private static final Operation<Question> GET = Operation.of(
                    Form.of(Question.SHOW, NamespaceRequest.ID, Question.CHECK, NamespaceRequest.CUSTOM_ID)
                            .as(Question::read))
            .needs(Right.either(question -> question.subject == Subject.ALL
                    ? Right.known()
                    : Right.namespace(asked -> Namespace.ofNullable(asked.id))))
            .answers("object")
            .says("Lists the namespaces; with show or checkNamespaceIdExist, looks up one");
    private static final Operation<NamespaceRequest> CREATE = NamespaceActions.CREATE.readBy(Form.of(
                    NamespaceRequest.CUSTOM_ID,
                    Parameter.ignored("namespaceId", "string"),
                    NamespaceRequest.NAME.required(),
                    NamespaceRequest.DESCRIPTION)
            .as(request -> described(request, NamespaceRequest.CUSTOM_ID, NamespaceRequest.NAME)));
    private static final Operation<NamespaceRequest> EDIT = NamespaceActions.EDIT.readBy(
            Form.of(ID_TO_EDIT.required(), NAME_TO_EDIT.required(), NamespaceRequest.DESCRIPTION)
                    .as(request -> described(request, ID_TO_EDIT, NAME_TO_EDIT)));

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

    private enum Subject {
        ALL,
        ONE,
        EXISTENCE
    }

    /** @param id of the requested namespace; null for all, and if absent */
    private record Question(Subject subject, @Nullable String id) {

        private static final Parameter<String> SHOW = Parameter.exact("show", "With all, shows one namespace");
        private static final Parameter<String> CHECK =
                Parameter.exact("checkNamespaceIdExist", "With true, shows whether customNamespaceId exists");

        static Question read(HttpRequest request) {
            if ("all".equals(SHOW.orNull(request))) {
                return new Question(Subject.ONE, NamespaceRequest.ID.orNull(request));
            }
            return "true".equals(CHECK.orNull(request))
                    ? new Question(Subject.EXISTENCE, NamespaceRequest.CUSTOM_ID.orNull(request))
                    : new Question(Subject.ALL, null);
        }
    }

    private static NamespaceRequest described(HttpRequest request, Parameter<String> id, Parameter<String> name) {
        return new NamespaceRequest(id, id.of(request), name.of(request), NamespaceRequest.DESCRIPTION.orNull(request))
                .checked();
    }

    private CompletionStage<HttpResponse> get(Question question, HttpRequest http) {
        return switch (question.subject) {
            case ONE -> one(question.id, http);
            case EXISTENCE ->
                namespaces
                        .exists(named(question.id, NamespaceRequest.CUSTOM_ID))
                        .thenApply(NamespaceEndpoints::flag);
            case ALL ->
                namespaces
                        .list(RequestCaller.of(http).principal())
                        .thenApply(visible ->
                                json(JsonBody.enveloped(200, null, Rows.of(visible, NamespaceEndpoints::entry))));
        };
    }

    private CompletionStage<HttpResponse> one(@Nullable String id, HttpRequest http) {
        return namespaces
                .find(named(id, NamespaceRequest.ID), RequestCaller.of(http).principal())
                .thenApply(found -> found.map(info -> json(JsonText.of(entry(info))))
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
        // As recorded: true also for an absent namespace.
        return checked == null
                ? FALSE
                : namespaces.edit(checked, RequestCaller.of(http)).thenApply(edited -> flag(true));
    }

    /** Null when the check of names passes and the namespace is refused. */
    private static @Nullable StoredNamespace checked(NamespaceRequest request) {
        try {
            return request.draft().check();
        } catch (CairnException e) {
            if (e.code() != ErrorCode.INVALID_PARAMETER) {
                throw e;
            }
            // Version 1 has no further details.
            return null;
        }
    }

    private CompletionStage<HttpResponse> delete(NamespaceRequest request, HttpRequest http) {
        return namespaces
                .delete(named(request.id(), NamespaceRequest.ID), RequestCaller.of(http))
                .thenApply(deleted -> flag(true));
    }

    private static Namespace named(@Nullable String id, Parameter<String> parameter) {
        ParameterCheck.namespace(parameter.require(id));
        return Namespace.ofNullable(id);
    }

    private static NamespaceEntry entry(NamespaceInfo info) {
        return NamespaceEntry.of(info, "", info.description(), 2);
    }

    private static HttpResponse flag(boolean value) {
        return HttpResponse.ok(HttpResponse.JSON, Boolean.toString(value));
    }

    private static HttpResponse json(JsonText body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON).body(body);
    }
}
