package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /v1/cs/history}: what configurations were. */
public final class HistoryEndpoints {

    private static final String PATH = "/v1/cs/history";
    private static final int PAGE = 100;
    private static final HttpResponse NONE = HttpResponse.ok(HttpResponse.JSON_UTF8, "");
    private static final HttpResponse OF_ANOTHER =
            HttpResponse.of(403, HttpResponse.TEXT, "Please check dataId, group or namespaceId.");

    private final HistoryService history;
    private final ConfigQueries queries;

    public HistoryEndpoints(HistoryService history, ConfigQueries queries) {
        this.history = history;
        this.queries = queries;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get(PATH, errors, this::get),
                HttpRoute.get(PATH + "/previous", errors, this::previous),
                HttpRoute.get(PATH + "/configs", errors, this::configs));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        return "accurate".equals(request.parameter("search")) ? list(request) : entry(request);
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        String tenant = ConfigLookups.spelled(request);
        return history.list(ConfigEndpoints.key(request), V1Pages.orFirst(request, PAGE))
                .thenApply(page -> ConfigLookups.json(
                        ConfigJson.page(page.map(entry -> ConfigJson.oldHistory(entry, tenant, true)))));
    }

    private CompletionStage<HttpResponse> entry(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        if (refusal == null) {
            refusal = V1ConfigErrors.missingLongOf(request, "nid");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = ConfigEndpoints.key(request);
        return history.find(V1Pages.id(String.valueOf(request.parameter("nid"))))
                .thenApply(found -> answer(found, key, request));
    }

    private CompletionStage<HttpResponse> previous(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        if (refusal == null) {
            refusal = V1ConfigErrors.missingLongOf(request, "id");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = ConfigEndpoints.key(request);
        return history.previous(key, V1Pages.id(String.valueOf(request.parameter("id"))))
                .thenApply(found -> answer(found, key, request));
    }

    private static HttpResponse answer(Optional<HistoryEntry> found, ConfigKey key, HttpRequest request) {
        if (found.isEmpty()) {
            return NONE;
        }
        return found.get().key().equals(key)
                ? ConfigLookups.json(ConfigJson.oldHistory(found.get(), ConfigLookups.spelled(request), false))
                : OF_ANOTHER;
    }

    private CompletionStage<HttpResponse> configs(HttpRequest request) {
        String tenant = request.parameter("tenant");
        if (tenant == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("tenant"));
        }
        ParameterCheck.namespace(tenant);
        Namespace namespace = Namespace.ofNullable(tenant);
        return queries.all(ConfigCriteria.all(namespace), RequestCaller.readableConfigs(request, namespace))
                .thenApply(all -> ConfigLookups.json(ConfigJson.array(
                        all.stream().map(config -> item(config, tenant)).toList())));
    }

    /** As recorded: without its id, for it is looked up by its names. */
    private static byte[] item(StoredConfig config, String tenant) {
        return new JsonOutput(256)
                .text("id", "0")
                .text("dataId", config.key().dataId())
                .text("group", config.key().group())
                .textOrNull("content", null)
                .textOrNull("md5", null)
                .textOrNull("encryptedDataKey", null)
                .text("tenant", tenant)
                .text("appName", config.appName())
                .text("type", config.type().wireName())
                .number("lastModified", config.modifiedAt().toEpochMilli())
                .toBytes();
    }
}
