package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.PublishRequest;
import io.cairn.server.http.config.ReadHeaders;
import io.cairn.server.http.config.RemoveRequest;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/cs/configs}: publish, read and delete one configuration, and all else that the path stands for. */
public final class ConfigEndpoints {

    static final String PATH = "/v1/cs/configs";

    private static final ConfigVersion.Answer<HttpResponse> CONTENT = ConfigVersion.Answer.overHttp(
            version -> ReadHeaders.of(version).contentType(HttpResponse.TEXT).body(version.utf8()));
    private static final ConfigActions.Reading READING = new ConfigActions.Reading(
            version -> version.as(CONTENT), HttpResponse.of(404, HttpResponse.JSON_UTF8, "config data not exist\n"));
    private static final HttpResponse TRUE = HttpResponse.ok(HttpResponse.JSON_UTF8, "true");

    private static final Operation<ConfigKey> CATALOG = Operation.of(V1Forms.NAMES)
            .needs(ConfigForm.READ)
            .answers("object")
            .says("Shows a configuration without its content");

    private final ConfigActions actions;
    private final ConfigLookups lookups;
    private final TransferEndpoints transfers;

    public ConfigEndpoints(ConfigActions actions, ConfigLookups lookups, TransferEndpoints transfers) {
        this.actions = actions;
        this.lookups = lookups;
        this.transfers = transfers;
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(new V1RequiredErrors());
        return List.of(
                endpoints.get(PATH, ConfigsRequest.GET, this::get),
                endpoints.post(PATH, ConfigsRequest.POST, this::post),
                endpoints.delete(PATH, ConfigsRequest.DELETE, this::delete),
                endpoints.get(PATH + "/catalog", CATALOG, V1Forms.checked((key, http) -> lookups.catalog(key))));
    }

    private CompletionStage<HttpResponse> get(ConfigsRequest request, HttpRequest http) {
        if (request.key() != null) {
            V1Forms.checkNames(http);
        }
        return switch (request.purpose()) {
            case SEARCH -> lookups.search(http);
            case SHOW_DETAIL -> lookups.detail(request.one(), http);
            case EXPORT -> transfers.export(http);
            case SHOW_BETA -> lookups.beta(request.one(), http);
            default -> actions.read(request.one(), http, READING);
        };
    }

    private CompletionStage<HttpResponse> post(ConfigsRequest.Posted request, HttpRequest http) {
        PublishRequest publish = request.publish();
        if (publish == null) {
            return request.purpose() == ConfigsRequest.Purpose.IMPORT
                    ? transfers.importArchive(http)
                    : transfers.copy(http);
        }
        V1Forms.mustHave(http, "content");
        V1Forms.checkNames(http);
        return actions.publish(publish, http).thenApply(published -> TRUE);
    }

    private CompletionStage<HttpResponse> delete(ConfigsRequest request, HttpRequest http) {
        if (request.key() == null) {
            return lookups.deleteByIds(http);
        }
        V1Forms.checkNames(http);
        boolean isBeta = request.purpose() == ConfigsRequest.Purpose.STOP_BETA;
        String release = isBeta ? GrayRule.BETA : RemoveRequest.releaseOfTag(http.parameter("tag"));
        return remove(request.one(), release, http)
                .thenApply(removed -> isBeta ? ConfigLookups.envelope("stop beta ok", "true") : TRUE);
    }

    private CompletionStage<Boolean> remove(ConfigKey key, @Nullable String release, HttpRequest http) {
        return actions.remove(new RemoveRequest(key, release, NamingParameters.text(http, "src_user")), http);
    }

    /** The answer to a listener or a check: bytes of a text that was written for this one call. */
    static HttpResponse notCachedJson(String body) {
        return HttpResponse.status(200)
                .notCached()
                .contentType(HttpResponse.JSON_UTF8)
                .body(body.getBytes(StandardCharsets.UTF_8));
    }
}
