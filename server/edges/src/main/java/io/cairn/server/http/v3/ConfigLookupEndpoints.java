package io.cairn.server.http.v3;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.auth.Action;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.Config;
import io.cairn.server.http.config.ConfigDetail;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.GrayConfig;
import io.cairn.server.http.envelope.DetailCode;
import io.cairn.server.http.envelope.Rows;
import io.cairn.server.http.route.Answer;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Right;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Stored configurations in version 3: lists, details, releases, descriptions. */
public final class ConfigLookupEndpoints {

    private static final String ADMIN = "/v3/admin/cs";
    private static final String CONSOLE = "/v3/console/cs";

    private static final HttpResponse NONE = V3.ENVELOPE.success(0, out -> out.json("data", "null"));
    private static final HttpResponse ABSENT =
            V3.ENVELOPE.failure(404, DetailCode.RESOURCE_NOT_FOUND, "Config not exist, please publish Config first.");
    private static final HttpResponse NOT_IN_BETA =
            V3.ENVELOPE.failure(404, DetailCode.RESOURCE_NOT_FOUND, "Config is not in beta.");

    private static final Operation<ConfigKey> GET = Operation.of(ConfigForm.V3.namesAnd(Form.MIN_REVISION))
            .needs(ConfigForm.READ)
            .answers(ConfigDetail.class)
            .says("Shows a configuration");
    private static final Operation<HttpRequest> REMOVE = Operation.of(
                    Form.of(ConfigLookup.IDS.required()).and(ConfigForm.BY))
            .needs(Right.anywhere(Action.WRITE))
            .answers("boolean")
            .answersRevision()
            .says("Deletes configurations");
    private static final Operation<HttpRequest> LIST = ConfigLookup.SEARCH
            .answers(Answer.pageOf(Config.class))
            .says("Lists configurations by name, group, application, tags, types or content");
    private static final Operation<HttpRequest> SEARCH = ConfigLookup.SEARCH
            .answers(Answer.pageOf(Config.class))
            .says("Lists the configurations whose content matches");
    private static final Operation<ConfigKey> BETA = Operation.of(ConfigForm.V3.namesAnd(Form.MIN_REVISION))
            .needs(ConfigForm.READ)
            .answers(GrayConfig.class)
            .says("Shows the release for some addresses");
    private static final Operation<ConfigKey> GRAYS = Operation.of(ConfigForm.V3.namesAnd(Form.MIN_REVISION))
            .needs(ConfigForm.READ)
            .answers(Answer.listOf(GrayConfig.class))
            .says("Lists the releases for some clients, the one with the highest priority first");
    private static final Operation<ConfigKey> DESCRIBE = Operation.of(ConfigForm.V3
                    .namesAnd(ConfigForm.DESCRIPTION, ConfigForm.TAGS)
                    .and(ConfigForm.BY))
            .needs(ConfigForm.WRITE)
            .answers("boolean")
            .answersRevision()
            .says("Sets description and tags, without changing the content");
    private static final Operation<HttpRequest> OF_NAMESPACE = ConfigLookup.OF_NAMESPACE
            .answers(Answer.listOf(Config.class))
            .says("Lists the configurations of a namespace");

    private final ConfigLookup lookup;
    private final Endpoints endpoints;

    public ConfigLookupEndpoints(ConfigLookup lookup, ContainerErrors container) {
        this.lookup = lookup;
        this.endpoints = new Endpoints(V3.errors(container).forSingleParameters("ids", "namespaceId"));
    }

    public List<HttpRoute> adminRoutes() {
        List<HttpRoute> routes = both(ADMIN);
        routes.add(endpoints.get(ADMIN + "/config", GET, (key, http) -> get(key, http, ABSENT)));
        routes.add(endpoints.delete(ADMIN + "/config/batch", REMOVE, this::removeBatch));
        return routes;
    }

    public List<HttpRoute> consoleRoutes() {
        List<HttpRoute> routes = both(CONSOLE);
        routes.add(endpoints.get(CONSOLE + "/config", GET, (key, http) -> get(key, http, NONE)));
        routes.add(endpoints.delete(CONSOLE + "/config/batchDelete", REMOVE, this::removeBatch));
        routes.add(endpoints.get(CONSOLE + "/config/searchDetail", SEARCH, this::search));
        return routes;
    }

    private List<HttpRoute> both(String base) {
        List<HttpRoute> routes = new ArrayList<>();
        routes.add(endpoints.get(base + "/config/list", LIST, this::search));
        routes.add(endpoints.get(base + "/config/beta", BETA, this::beta));
        routes.add(endpoints.get(base + "/config/gray", GRAYS, this::grays));
        routes.add(endpoints.put(base + "/config/metadata", DESCRIBE, this::describe));
        routes.add(endpoints.get(base + "/history/configs", OF_NAMESPACE, this::ofNamespace));
        return routes;
    }

    private CompletionStage<HttpResponse> get(ConfigKey key, HttpRequest http, HttpResponse absent) {
        return lookup.queries().detail(key, http.lease()).thenApply(found -> found.map(config -> V3.ENVELOPE.written(
                        ConfigDetail.of(config, lookup.queries().grayEntries(config.key()))))
                .orElse(absent));
    }

    private CompletionStage<HttpResponse> search(HttpRequest request) {
        return lookup.search(request).thenApply(V3.ENVELOPE::written);
    }

    private CompletionStage<HttpResponse> beta(ConfigKey key, HttpRequest http) {
        return lookup.queries().gray(key, GrayRule.BETA, http.lease()).thenApply(found -> found.map(
                        gray -> V3.ENVELOPE.written(GrayConfig.of(gray)))
                .orElse(NOT_IN_BETA));
    }

    private CompletionStage<HttpResponse> grays(ConfigKey key, HttpRequest http) {
        return lookup.queries()
                .grays(key, http.lease())
                .thenApply(all -> V3.ENVELOPE.written(Rows.of(all.map(GrayConfig::of))));
    }

    private CompletionStage<HttpResponse> describe(ConfigKey key, HttpRequest http) {
        return lookup.describe(key, http)
                .thenCompose(done -> done ? V3.TRUE : CompletableFuture.completedFuture(nothingToDescribe(http)));
    }

    /** As in Nacos, with another code than for a read. */
    private static HttpResponse nothingToDescribe(HttpRequest request) {
        return V3.ENVELOPE.failure(
                404,
                DetailCode.SERVER_ERROR,
                "config is not found for dataId=" + ConfigForm.DATA_ID.sent(request) + ", group="
                        + ConfigForm.V3.group().sent(request));
    }

    private CompletionStage<HttpResponse> removeBatch(HttpRequest request) {
        return lookup.removeBatch(request).thenCompose(removed -> V3.TRUE);
    }

    private CompletionStage<HttpResponse> ofNamespace(HttpRequest request) {
        return lookup.ofNamespace(request)
                .thenApply(all -> V3.ENVELOPE.written(Rows.<ConfigEntry, Config>of(all, Config::of)));
    }
}
