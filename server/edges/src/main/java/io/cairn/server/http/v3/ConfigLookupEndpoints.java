package io.cairn.server.http.v3;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What version 3 tells of stored configurations, and what it changes around their contents. */
public final class ConfigLookupEndpoints {

    private static final String ADMIN = "/v3/admin/cs";
    private static final String CONSOLE = "/v3/console/cs";
    private static final String KEY = "dataId! groupName! namespaceId ";

    private static final HttpResponse NONE = V3.ENVELOPE.success(0, out -> out.json("data", "null"));
    private static final HttpResponse ABSENT =
            V3.ENVELOPE.failure(404, DetailCode.RESOURCE_NOT_FOUND, "Config not exist, please publish Config first.");
    private static final HttpResponse NOT_IN_BETA =
            V3.ENVELOPE.failure(404, DetailCode.RESOURCE_NOT_FOUND, "Config is not in beta.");

    private static final OldOperation GET = OldOperation.of("Shows a configuration", KEY, "ConfigDetail");
    private static final OldOperation REMOVE =
            OldOperation.of("Deletes configurations", "ids! srcUser @X-Forwarded-For @X-Real-IP", "boolean");

    private final ConfigLookup lookup;
    private final EnvelopeErrors errors;

    public ConfigLookupEndpoints(ConfigLookup lookup, ContainerErrors container) {
        this.lookup = lookup;
        this.errors = V3.errors(container).forSingleParameters("ids", "namespaceId");
    }

    public List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = both(ADMIN);
        routes.add(HttpRoute.get(ADMIN + "/config", errors, request -> get(request, ABSENT))
                .does(GET));
        routes.add(HttpRoute.delete(ADMIN + "/config/batch", errors, this::removeBatch)
                .does(REMOVE));
        return routes;
    }

    public List<HttpRoute> consoleRoutes() {
        List<HttpRoute> routes = both(CONSOLE);
        routes.add(HttpRoute.get(CONSOLE + "/config", errors, request -> get(request, NONE))
                .does(GET));
        routes.add(HttpRoute.delete(CONSOLE + "/config/batchDelete", errors, this::removeBatch)
                .does(REMOVE));
        routes.add(HttpRoute.get(CONSOLE + "/config/searchDetail", errors, this::search)
                .does(OldOperation.of(
                        "Lists the configurations with some content",
                        ConfigLookup.SEARCH_PARAMETERS,
                        "Page of Config")));
        return routes;
    }

    private List<HttpRoute> both(String base) {
        List<HttpRoute> routes = new ArrayList<>();
        routes.add(HttpRoute.get(base + "/config/list", errors, this::search)
                .does(OldOperation.of(
                        "Lists configurations by name, group, application, tags, types or content",
                        ConfigLookup.SEARCH_PARAMETERS,
                        "Page of Config")));
        routes.add(HttpRoute.get(base + "/config/beta", errors, this::beta)
                .does(OldOperation.of("Shows the release for some addresses", KEY, "GrayConfig")));
        routes.add(HttpRoute.get(base + "/config/gray", errors, this::grays)
                .does(OldOperation.of(
                        "Lists the releases for some clients, the one with the highest priority first",
                        KEY,
                        "[GrayConfig]")));
        routes.add(HttpRoute.put(base + "/config/metadata", errors, this::describe)
                .does(OldOperation.of(
                        "Sets description and tags, and leaves the content as it is",
                        KEY + "desc configTags srcUser @X-Forwarded-For @X-Real-IP",
                        "boolean")));
        routes.add(HttpRoute.get(base + "/history/configs", errors, this::ofNamespace)
                .does(OldOperation.of("Lists the configurations of a namespace", "namespaceId!", "[Config]")));
        return routes;
    }

    private CompletionStage<HttpResponse> get(HttpRequest request, HttpResponse absent) {
        return lookup.queries().detail(ConfigForm.V3.key(request)).thenApply(found -> found.map(this::shown)
                .orElse(absent));
    }

    private HttpResponse shown(StoredConfig config) {
        return data(ConfigJson.configDetail(config, lookup.queries().grayEntries(config.key())));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        return lookup.search(request).thenApply(ConfigLookupEndpoints::data);
    }

    private CompletionStage<HttpResponse> beta(HttpRequest request) {
        return lookup.queries().gray(ConfigForm.V3.key(request), GrayRule.BETA).thenApply(found -> found.map(
                        gray -> data(ConfigJson.gray(gray)))
                .orElse(NOT_IN_BETA));
    }

    private CompletionStage<HttpResponse> grays(HttpRequest request) {
        return lookup.queries()
                .grays(ConfigForm.V3.key(request))
                .thenApply(all ->
                        data(ConfigJson.array(all.stream().map(ConfigJson::gray).toList())));
    }

    private CompletionStage<HttpResponse> describe(HttpRequest request) {
        return lookup.describe(request)
                .thenCompose(done -> done ? V3.TRUE : CompletableFuture.completedFuture(nothingToDescribe(request)));
    }

    /** In the words of the reference, which has another code here than where a configuration is shown. */
    private static HttpResponse nothingToDescribe(HttpRequest request) {
        return V3.ENVELOPE.failure(
                404,
                DetailCode.SERVER_ERROR,
                "config is not found for dataId=" + request.parameter("dataId") + ", group="
                        + request.parameter("groupName"));
    }

    private CompletionStage<HttpResponse> removeBatch(HttpRequest request) {
        return lookup.removeBatch(request).thenCompose(removed -> V3.TRUE);
    }

    private CompletionStage<HttpResponse> ofNamespace(HttpRequest request) {
        Namespace namespace = ConfigLookup.requiredNamespace(request);
        return lookup.queries()
                .entries(namespace, RequestCaller.readableConfigs(request, namespace))
                .thenApply(all -> data(
                        ConfigJson.array(all.stream().map(ConfigJson::entry).toList())));
    }

    private static HttpResponse data(byte[] json) {
        return V3.ENVELOPE.success(json.length, out -> out.json("data", json));
    }
}
