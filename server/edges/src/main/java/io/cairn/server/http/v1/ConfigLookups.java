package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.route.RequestCaller;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What {@code /v1/cs/configs} means with a parameter more: search, details, beta releases, deletion by ids. */
public final class ConfigLookups {

    private final ConfigQueries queries;
    private final BatchRemoval removal;
    private final ConfigService configs;

    public ConfigLookups(ConfigQueries queries, BatchRemoval removal, ConfigService configs) {
        this.queries = queries;
        this.removal = removal;
        this.configs = configs;
    }

    /** {@code GET ?search=accurate} and {@code GET ?search=blur}. */
    CompletionStage<HttpResponse> search(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        if (refusal == null) {
            refusal = V1ConfigErrors.missingNumberOf(request, "pageNo", "pageSize");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        boolean blur = "blur".equals(request.parameter("search"));
        if (blur) {
            ParameterCheck.namespace(request.parameter("tenant"));
        } else {
            ParameterCheck.config(request.parameter("dataId"), request.parameter("group"), request.parameter("tenant"));
        }
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                Namespace.ofNullable(request.parameter("tenant")),
                request.parameter("dataId"),
                request.parameter("group"),
                request.parameter("appName"),
                request.parameter("config_tags"),
                request.parameter("types"),
                request.parameter("config_detail"));
        ConfigCriteria criteria = blur ? ConfigCriteria.blur(words) : ConfigCriteria.accurate(words);
        String tenant = spelled(request);
        return queries.search(
                        criteria,
                        RequestCaller.readableConfigs(request, criteria.namespace()),
                        ConfigOrder.BY_NAME,
                        V1Pages.required(request),
                        true)
                .thenApply(page -> json(ConfigJson.page(page.map(config -> item(config, tenant)
                        .textOrNull("md5", null)
                        .textOrNull("encryptedDataKey", blur ? config.encryptedDataKey() : null)
                        .text("tenant", tenant)
                        .text("appName", config.appName())
                        // As recorded: a search by tags leaves it out.
                        .textOrNull(
                                "type",
                                criteria.tags().isEmpty() ? config.type().wireName() : null)
                        .toBytes()))));
    }

    /** {@code GET ?show=all}; an empty answer where there is none. */
    CompletionStage<HttpResponse> detail(HttpRequest request) {
        return ofKey(request, key -> queries.detail(key).thenApply(found -> found.map(config -> detail(config, request))
                .orElseGet(() -> HttpResponse.ok(HttpResponse.JSON_UTF8, ""))));
    }

    private static HttpResponse detail(StoredConfig config, HttpRequest request) {
        String tenant = spelled(request);
        JsonOutput out = item(config, tenant)
                .text("md5", config.md5())
                .text("encryptedDataKey", config.encryptedDataKey())
                .text("tenant", tenant)
                .text("appName", config.appName())
                .text("type", config.type().wireName());
        return json(advanced(config, out, false).toBytes());
    }

    /** {@code GET /catalog}. */
    CompletionStage<HttpResponse> catalog(HttpRequest request) {
        return ofKey(request, key -> queries.detail(key)
                .thenApply(found -> envelope(
                        null,
                        found.map(config -> advanced(config, new JsonOutput(256), true)
                                        .toBytes())
                                .orElse(null))));
    }

    private static JsonOutput advanced(StoredConfig config, JsonOutput out, boolean withType) {
        out.number("createTime", config.createdAt().toEpochMilli())
                .number("modifyTime", config.modifiedAt().toEpochMilli())
                .textOrNull("createUser", config.createUser())
                .textOrNull("createIp", config.createIp())
                .textOrNull("desc", config.description())
                .textOrNull("use", config.use())
                .textOrNull("effect", config.effect());
        if (withType) {
            out.text("type", config.type().wireName());
        }
        return out.textOrNull("schema", config.schema())
                .textOrNull("configTags", config.tags().isEmpty() ? null : String.join(",", config.tags()));
    }

    /** {@code GET ?beta=true}. */
    CompletionStage<HttpResponse> beta(HttpRequest request) {
        return ofKey(request, key -> queries.gray(key, GrayRule.BETA)
                .thenApply(found -> envelope("query beta ok", beta(found, spelled(request)))));
    }

    private static byte @Nullable [] beta(Optional<StoredGray> found, String tenant) {
        return found.map(gray -> new JsonOutput(512)
                        .text("id", Long.toString(gray.id()))
                        .text("dataId", gray.key().dataId())
                        .text("group", gray.key().group())
                        .text("content", gray.content())
                        .text("md5", gray.md5())
                        .textOrNull("encryptedDataKey", blankToNull(gray.encryptedDataKey()))
                        .text("tenant", tenant)
                        .text("appName", gray.appName())
                        .textOrNull("type", null)
                        .text("betaIps", gray.rule().expression())
                        .toBytes())
                .orElse(null);
    }

    /** {@code DELETE ?beta=true}. */
    CompletionStage<HttpResponse> stopBeta(HttpRequest request) {
        return ofKey(request, key -> configs.remove(new RemoveConfig(key, GrayRule.BETA, ConfigEndpoints.by(request)))
                .thenApply(removed -> envelope("stop beta ok", "true")));
    }

    /** {@code DELETE ?delType=ids}. */
    CompletionStage<HttpResponse> deleteByIds(HttpRequest request) {
        String ids = request.parameter("ids");
        if (ids == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("ids"));
        }
        List<Long> asked = Stream.of(ids.split(","))
                .filter(id -> !id.isBlank())
                .map(V1Pages::id)
                .toList();
        Author by = ConfigEndpoints.by(request);
        return removal.remove(asked, by).thenApply(removed -> envelope(null, "true"));
    }

    /** Work with a key. */
    private interface WithKey {
        CompletionStage<HttpResponse> answer(ConfigKey key);
    }

    private static CompletionStage<HttpResponse> ofKey(HttpRequest request, WithKey work) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "dataId", "group");
        return refusal != null ? CompletableFuture.completedFuture(refusal) : work.answer(ConfigEndpoints.key(request));
    }

    private static JsonOutput item(StoredConfig config, String tenant) {
        String content = config.content();
        return new JsonOutput(256 + tenant.length() + (content == null ? 0 : content.length()))
                .text("id", Long.toString(config.id()))
                .text("dataId", config.key().dataId())
                .text("group", config.key().group())
                .textOrNull("content", content);
    }

    /** The namespace as the client spells it. */
    static String spelled(HttpRequest request) {
        String tenant = request.parameter("tenant");
        return tenant == null || tenant.isBlank() ? "" : tenant;
    }

    /** The answer of that code, message and data, all of which may be null but the code. */
    static HttpResponse envelope(@Nullable String message, byte @Nullable [] data) {
        JsonOutput out = new JsonOutput(96 + (data == null ? 0 : data.length))
                .number("code", 200)
                .textOrNull("message", message);
        return json((data == null ? out.json("data", "null") : out.json("data", data)).toBytes());
    }

    /** The same with data in JSON. */
    static HttpResponse envelope(@Nullable String message, String json) {
        return envelope(message, json.getBytes(StandardCharsets.UTF_8));
    }

    static HttpResponse json(byte[] body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON_UTF8).body(body);
    }

    private static @Nullable String blankToNull(String text) {
        return text.isBlank() ? null : text;
    }
}
