package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.config.OldHistory;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /v1/cs/history}: the changes of configurations. */
public final class HistoryEndpoints {

    private static final String PATH = "/v1/cs/history";
    private static final int PAGE = 100;
    private static final HttpResponse NONE = HttpResponse.ok(HttpResponse.JSON_UTF8, "");
    private static final HttpResponse OF_ANOTHER =
            HttpResponse.of(403, HttpResponse.TEXT, "Please check dataId, group or namespaceId.");

    private static final Operation<ConfigKey> GET = Operation.of(Form.of(
                    "search nid:integer dataId! group! tenant appName pageNo:integer pageSize:integer",
                    request -> isList(request) ? V1Forms.key(request) : V1Forms.key(request, "nid")))
            .needs(ConfigForm.READ)
            .answers("object")
            .says("Shows a change; with search lists the changes of a configuration");
    private static final Operation<ConfigKey> PREVIOUS = Operation.of(
                    Form.of("id!:integer dataId! group! tenant", request -> V1Forms.key(request, "id")))
            .needs(ConfigForm.READ)
            .answers(OldHistory.class)
            .says("Shows the content of a configuration before its last change");
    private static final Operation<HttpRequest> CONFIGS = Operation.of("tenant!")
            .needs(Right.some(Action.READ, ResourceType.CONFIG, "tenant"))
            .answers(Answer.listOf(OldConfig.class))
            .says("Lists the configurations of a namespace");

    private final HistoryService history;
    private final ConfigQueries queries;

    public HistoryEndpoints(HistoryService history, ConfigQueries queries) {
        this.history = history;
        this.queries = queries;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1RequiredErrors());
        return List.of(
                endpoints.get(PATH, GET, this::get),
                endpoints.get(PATH + "/previous", PREVIOUS, this::previous),
                endpoints.get(PATH + "/configs", CONFIGS, this::configs));
    }

    private static boolean isList(HttpRequest request) {
        return "accurate".equals(request.parameter("search"));
    }

    private CompletionStage<HttpResponse> get(ConfigKey key, HttpRequest http) {
        return isList(http) ? list(key, http) : entry(key, http);
    }

    private CompletionStage<HttpResponse> list(ConfigKey key, HttpRequest http) {
        V1Forms.checkNames(http);
        String tenant = V1Forms.spelledTenant(http);
        return history.list(key, V1Pages.orFirst(http, PAGE))
                .thenApply(page -> ConfigLookups.json(
                        JsonBody.of(PageBody.of(page.map(entry -> OldHistory.listed(entry, tenant))))));
    }

    private CompletionStage<HttpResponse> entry(ConfigKey key, HttpRequest http) {
        return history.find(id(http, "nid")).thenApply(found -> answer(found, key, http));
    }

    private CompletionStage<HttpResponse> previous(ConfigKey key, HttpRequest http) {
        return history.previous(key, id(http, "id")).thenApply(found -> answer(found, key, http));
    }

    /** The id in that parameter, which must be there before the names are looked at. */
    private static long id(HttpRequest http, String parameter) {
        V1Forms.mustHave(http, parameter);
        V1Forms.checkNames(http);
        return V1Pages.id(String.valueOf(http.parameter(parameter)));
    }

    private static HttpResponse answer(Optional<HistoryEntry> found, ConfigKey key, HttpRequest http) {
        if (found.isEmpty()) {
            return NONE;
        }
        return found.get().key().equals(key)
                ? ConfigLookups.json(JsonBody.of(OldHistory.whole(found.get(), V1Forms.spelledTenant(http))))
                : OF_ANOTHER;
    }

    private CompletionStage<HttpResponse> configs(HttpRequest request) {
        V1Forms.mustHave(request, "tenant");
        String tenant = String.valueOf(request.parameter("tenant"));
        ParameterCheck.namespace(tenant);
        Namespace namespace = Namespace.ofNullable(tenant);
        return queries.all(ConfigCriteria.all(namespace), RequestCaller.readableConfigs(request, namespace))
                .thenApply(all -> ConfigLookups.json(JsonBody.of(all.stream()
                        .map(config -> OldConfig.listed(config, tenant))
                        .toList())));
    }
}
