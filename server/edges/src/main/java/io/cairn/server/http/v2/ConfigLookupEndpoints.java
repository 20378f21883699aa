package io.cairn.server.http.v2;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v2/cs/config/searchDetail} and {@code /v2/cs/history/configs}: lists of configurations. */
public final class ConfigLookupEndpoints {

    private static final Operation<HttpRequest> SEARCH = Operation.of(
                    "dataId group tenant appName config_tags config_detail search pageNo!:integer pageSize!:integer"
                            + Form.MIN_REVISION)
            .needs(Right.some(Action.READ, ResourceType.CONFIG, "tenant"))
            .answers(Answer.pageOf(OldConfig.class))
            .as(Operation.Wrapping.BARE)
            .says("Lists the configurations whose content matches");

    private static final Operation<HttpRequest> OF_NAMESPACE = ConfigLookup.OF_NAMESPACE
            .answers(Answer.listOf(OldConfig.class))
            .says("Lists the configurations of a namespace");

    private final ConfigLookup lookup;

    public ConfigLookupEndpoints(ConfigLookup lookup) {
        this.lookup = lookup;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(V2.SINGLE_PARAMETERS);
        return List.of(
                endpoints.get("/v2/cs/config/searchDetail", SEARCH, this::search),
                endpoints.get("/v2/cs/history/configs", OF_NAMESPACE, this::ofNamespace));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                ConfigLookup.namespace(request, "tenant"),
                request.parameter("dataId"),
                request.parameter("group"),
                request.parameter("appName"),
                request.parameter("config_tags"),
                null,
                request.parameter("config_detail"));
        PageRequest page = new PageRequest(
                NamingParameters.requiredNumber(request, "pageNo"),
                NamingParameters.requiredNumber(request, "pageSize"));
        ConfigCriteria criteria = ConfigLookup.criteria(words, request.parameter("search"), false);
        return lookup.queries()
                .search(
                        criteria,
                        RequestCaller.readableConfigs(request, criteria.namespace()),
                        ConfigOrder.BY_NAME,
                        page,
                        true)
                .thenApply(
                        found -> V2.ENVELOPE.plain(200, JsonBody.of(PageBody.of(found.<OldConfig>map(OldConfig::of)))));
    }

    private CompletionStage<HttpResponse> ofNamespace(HttpRequest request) {
        return lookup.ofNamespace(request)
                .thenApply(all -> V2.ENVELOPE.written(
                        all.stream().<OldConfig>map(OldConfig::of).toList()));
    }
}
