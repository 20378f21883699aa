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
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/cs/configs}: one configuration, and all other purposes of the path. */
public final class ConfigEndpoints {

    static final String PATH = "/v1/cs/configs";

    private static final ConfigVersion.Answer<HttpResponse> CONTENT = ConfigVersion.Answer.overHttp(
            version -> ReadHeaders.of(version).contentType(HttpResponse.TEXT).body(version.utf8()));
    private static final ConfigActions.Reading READING = new ConfigActions.Reading(
            version -> version.as(CONTENT),
            true,
            HttpResponse.of(404, HttpResponse.JSON_UTF8, "config data not exist\n"));
    private static final HttpResponse TRUE = HttpResponse.ok(HttpResponse.JSON_UTF8, "true");

    private static final Operation<ConfigKey> CATALOG = Operation.of(V1Forms.NAMES)
            .needs(ConfigForm.READ)
            .answers(ConfigLookups.Catalog.class)
            .as(Operation.Wrapping.OLD_ENVELOPE)
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
                endpoints.get(PATH + "/catalog", CATALOG, V1Forms.checked(lookups::catalog)));
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
        V1Forms.mustHave(http, ConfigForm.CONTENT);
        V1Forms.checkNames(http);
        return actions.publish(publish, http).thenApply(published -> TRUE);
    }

    private CompletionStage<HttpResponse> delete(ConfigsRequest request, HttpRequest http) {
        if (request.key() == null) {
            return lookups.deleteByIds(http);
        }
        V1Forms.checkNames(http);
        boolean isBeta = request.purpose() == ConfigsRequest.Purpose.STOP_BETA;
        String release = isBeta ? GrayRule.BETA : RemoveRequest.releaseOfTag(ConfigForm.TAG.orNull(http));
        return remove(request.one(), release, http)
                .thenApply(removed -> isBeta ? ConfigLookups.envelope("stop beta ok", "true") : TRUE);
    }

    private CompletionStage<Boolean> remove(ConfigKey key, @Nullable String release, HttpRequest http) {
        return actions.remove(new RemoveRequest(key, release, V1Forms.SRC_USER.orNull(http)), http);
    }

    /** The answer to a listener or check, whose bytes are for this call alone. */
    static HttpResponse notCachedJson(String body) {
        return HttpResponse.status(200)
                .notCached()
                .contentType(HttpResponse.JSON_UTF8)
                .body(body.getBytes(StandardCharsets.UTF_8));
    }
}
