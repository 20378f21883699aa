package io.cairn.server.http.v2;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.http.HttpDate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigActions;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** {@code /v2/cs/config}: publish, read and delete one configuration. */
public final class ConfigEndpoints {

    private static final String PATH = "/v2/cs/config";
    private static final String KEY = "dataId! group! namespaceId ";

    /** As the reference has it: no type of content, and a line end after the JSON. */
    private static final HttpResponse NOT_FOUND = HttpResponse.status(404)
            .body("{\"code\":20004,\"message\":\"resource not found\",\"data\":\"config data not exist\"}\n"
                    .getBytes(StandardCharsets.UTF_8));

    private final ConfigActions actions;

    public ConfigEndpoints(ConfigActions actions) {
        this.actions = actions;
    }

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, this::get)
                        .does(OldOperation.of(
                                "Reads the content that the sender gets",
                                KEY + "tag @Vipserver-Tag @X-Forwarded-For @X-Real-IP",
                                "string")),
                HttpRoute.post(PATH, V2.CONFIG_ERRORS, this::publish)
                        .does(OldOperation.of(
                                "Publishes a content: for all, or for the clients of a tag or of some addresses",
                                KEY + ConfigForm.DRAFT_PARAMETERS,
                                "boolean")),
                HttpRoute.delete(PATH, V2.SINGLE_PARAMETERS, this::delete)
                        .does(OldOperation.of(
                                "Deletes a configuration, or its release for a tag",
                                KEY + "tag grayName srcUser @X-Forwarded-For @X-Real-IP",
                                "boolean")));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        ConfigKey key = ConfigForm.V2.key(request);
        return actions.read(request, key, request.parameter("tag"))
                .thenApply(found -> found.map(ConfigEndpoints::content).orElse(NOT_FOUND));
    }

    private static HttpResponse content(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        String tag = gray == null ? null : gray.tag();
        HttpResponse.Builder answer = HttpResponse.status(200)
                .header("isBeta", gray != null && gray.isBeta() ? "true" : null)
                .header("tag", tag == null ? null : URLEncoder.encode(tag, StandardCharsets.UTF_8))
                .header("Config-Type", entry.type().wireName())
                .header("Content-MD5", entry.digest().toString())
                .notCached()
                .header("Last-Modified", HttpDate.of(entry.lastModifiedMillis()))
                .header("Encrypted-Data-Key", gray == null ? entry.encryptedDataKey() : null)
                .contentType(HttpResponse.JSON_UTF8);
        return V2.ENVELOPE.success(answer, version.utf8().length, out -> out.utf8("data", version.utf8()));
    }

    private CompletionStage<HttpResponse> publish(HttpRequest request) {
        return actions.publish(request, ConfigForm.V2).thenCompose(done -> V2.TRUE);
    }

    private CompletionStage<HttpResponse> delete(HttpRequest request) {
        return actions.delete(request, ConfigForm.V2).thenCompose(done -> V2.TRUE);
    }
}
