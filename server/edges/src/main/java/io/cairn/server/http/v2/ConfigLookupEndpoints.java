package io.cairn.server.http.v2;

import io.cairn.server.auth.Action;
import io.cairn.server.auth.ResourceType;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.naming.PageParameters;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.util.List;
import java.util.concurrent.CompletionStage;

public final class ConfigLookupEndpoints {

    private static final Parameter<String> GROUP = ConfigLookup.GROUP.named("group");
    private static final Parameter<String> TENANT = Parameter.exact("tenant", "The namespace; public when absent");
    private static final Parameter<String> TAGS = ConfigLookup.TAGS.named("config_tags");
    private static final Parameter<String> DETAIL = ConfigLookup.DETAIL.named("config_detail");

    private static final Operation<HttpRequest> SEARCH = Operation.of(Form.of(
                            ConfigLookup.DATA_ID,
                            GROUP,
                            TENANT,
                            ConfigLookup.APP_NAME,
                            TAGS,
                            DETAIL,
                            ConfigLookup.SEARCH_MODE)
                    .and(PageParameters.REQUIRED.both())
                    .and(Form.MIN_REVISION))
            .needs(Right.some(Action.READ, ResourceType.CONFIG, TENANT))
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
                ConfigLookup.namespace(request, TENANT),
                ConfigLookup.DATA_ID.orNull(request),
                GROUP.orNull(request),
                ConfigLookup.APP_NAME.orNull(request),
                TAGS.orNull(request),
                null,
                DETAIL.orNull(request));
        PageRequest page = new PageRequest(
                PageParameters.REQUIRED.number().of(request),
                PageParameters.REQUIRED.size().of(request));
        ConfigCriteria criteria = ConfigLookup.criteria(words, ConfigLookup.SEARCH_MODE.orNull(request), false);
        ConfigQueries.Search search = new ConfigQueries.Search(
                criteria, RequestCaller.readableConfigs(request, criteria.namespace()), ConfigOrder.BY_NAME, page);
        return lookup.queries()
                .search(search, true, request.lease())
                .thenApply(found -> V2.ENVELOPE.bare(PageBody.of(found.<OldConfig>map(OldConfig::of))));
    }

    private CompletionStage<HttpResponse> ofNamespace(HttpRequest request) {
        return lookup.ofNamespace(request)
                .thenApply(all -> V2.ENVELOPE.written(Rows.<ConfigEntry, OldConfig>of(all, OldConfig::of)));
    }
}
