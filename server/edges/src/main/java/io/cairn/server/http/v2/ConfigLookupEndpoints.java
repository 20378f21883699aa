package io.cairn.server.http.v2;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v2/cs/config/searchDetail} and {@code /v2/cs/history/configs}: which configurations there are. */
public final class ConfigLookupEndpoints {

    private final ConfigLookup lookup;

    public ConfigLookupEndpoints(ConfigLookup lookup) {
        this.lookup = lookup;
    }

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get("/v2/cs/config/searchDetail", V2.SINGLE_PARAMETERS, this::search)
                        .does(OldOperation.of(
                                        "Lists the configurations with some content",
                                        "dataId group tenant appName config_tags config_detail search pageNo!:integer"
                                                + " pageSize!:integer",
                                        "Page of OldConfig")
                                .as(OldOperation.Form.BARE)),
                HttpRoute.get("/v2/cs/history/configs", V2.SINGLE_PARAMETERS, this::ofNamespace)
                        .does(OldOperation.of(
                                "Lists the configurations of a namespace", "namespaceId!", "[OldConfig]")));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        ParameterCheck.namespace(request.parameter("tenant"));
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
                .thenApply(found -> V2.ENVELOPE.plain(200, ConfigJson.page(found.map(ConfigJson::oldConfig))));
    }

    private CompletionStage<HttpResponse> ofNamespace(HttpRequest request) {
        Namespace namespace = ConfigLookup.requiredNamespace(request);
        return lookup.queries()
                .entries(namespace, RequestCaller.readableConfigs(request, namespace))
                .thenApply(all -> {
                    byte[] json = ConfigJson.array(
                            all.stream().map(ConfigJson::oldEntry).toList());
                    return V2.ENVELOPE.success(json.length, out -> out.json("data", json));
                });
    }
}
