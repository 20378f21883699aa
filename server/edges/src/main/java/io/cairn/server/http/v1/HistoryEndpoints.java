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
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

public final class HistoryEndpoints {

    private static final String PATH = "/v1/cs/history";
    private static final Parameter<Integer> PAGE_SIZE = V1Pages.SIZE.orElse(100);
    private static final Parameter<String> SEARCH =
            Parameter.exact("search", "With accurate, lists the changes of a configuration");
    private static final Parameter<Long> NID = id("nid", "The id of the change");
    private static final Parameter<Long> ID = id("id", "The id of the configuration");
    private static final HttpResponse NONE = HttpResponse.ok(HttpResponse.JSON_UTF8, "");
    private static final HttpResponse OF_ANOTHER =
            HttpResponse.of(403, HttpResponse.TEXT, "Please check dataId, group or namespaceId.");

    private static final Operation<ConfigKey> GET = Operation.of(Form.of(
                            SEARCH,
                            NID,
                            V1Forms.DATA_ID.required(),
                            V1Forms.GROUP.required(),
                            V1Forms.TENANT,
                            Parameter.ignored("appName", "string"),
                            V1Pages.NUMBER,
                            PAGE_SIZE)
                    .as(request -> isList(request) ? V1Forms.key(request) : V1Forms.key(request, NID)))
            .needs(ConfigForm.READ)
            .answers("object")
            .says("Shows a change; with search lists the changes of a configuration");
    private static final Operation<ConfigKey> PREVIOUS = Operation.of(
                    Form.of(ID.required(), V1Forms.DATA_ID.required(), V1Forms.GROUP.required(), V1Forms.TENANT)
                            .as(request -> V1Forms.key(request, ID)))
            .needs(ConfigForm.READ)
            .answers(OldHistory.class)
            .says("Shows the content of a configuration before its last change");
    private static final Operation<HttpRequest> CONFIGS = Operation.of(V1Forms.TENANT.required())
            .needs(Right.some(Action.READ, ResourceType.CONFIG, V1Forms.TENANT))
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
        return "accurate".equals(SEARCH.orNull(request));
    }

    private CompletionStage<HttpResponse> get(ConfigKey key, HttpRequest http) {
        return isList(http) ? list(key, http) : entry(key, http);
    }

    private CompletionStage<HttpResponse> list(ConfigKey key, HttpRequest http) {
        V1Forms.checkNames(http);
        String tenant = V1Forms.spelledTenant(http);
        return history.list(key, V1Pages.of(http, PAGE_SIZE), http.lease())
                .thenApply(
                        page -> ConfigLookups.json(PageBody.of(page.map(entry -> OldHistory.listed(entry, tenant)))));
    }

    private CompletionStage<HttpResponse> entry(ConfigKey key, HttpRequest http) {
        return history.find(id(http, NID), http.lease()).thenApply(found -> answer(found, key, http));
    }

    private CompletionStage<HttpResponse> previous(ConfigKey key, HttpRequest http) {
        return history.previous(key, id(http, ID), http.lease()).thenApply(found -> answer(found, key, http));
    }

    /** The id in that parameter, which must be there before the names are looked at. */
    private static long id(HttpRequest http, Parameter<Long> parameter) {
        V1Forms.mustHave(http, parameter);
        V1Forms.checkNames(http);
        return parameter.of(http);
    }

    private static Parameter<Long> id(String name, String sentence) {
        return Parameter.exact(name, sentence).typed("integer").as(V1Pages::id);
    }

    private static HttpResponse answer(Optional<HistoryEntry> found, ConfigKey key, HttpRequest http) {
        if (found.isEmpty()) {
            return NONE;
        }
        return found.get().key().equals(key)
                ? ConfigLookups.json(OldHistory.whole(found.get(), V1Forms.spelledTenant(http)))
                : OF_ANOTHER;
    }

    private CompletionStage<HttpResponse> configs(HttpRequest request) {
        String tenant = V1Forms.TENANT.of(request);
        ParameterCheck.namespace(tenant);
        Namespace namespace = Namespace.ofNullable(tenant);
        return queries.all(
                        ConfigCriteria.all(namespace),
                        RequestCaller.readableConfigs(request, namespace),
                        request.lease())
                .thenApply(all -> ConfigLookups.json(Rows.of(all.map(config -> OldConfig.listed(config, tenant)))));
    }
}
