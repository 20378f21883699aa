package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ChangedBy;
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
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
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
    CompletionStage<HttpAnswer> search(HttpCall call) {
        HttpAnswer refusal = V1ConfigErrors.missingOf(call, "dataId", "group");
        if (refusal == null) {
            refusal = V1ConfigErrors.missingNumberOf(call, "pageNo", "pageSize");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        boolean blur = "blur".equals(call.parameter("search"));
        if (blur) {
            ParameterCheck.namespace(call.parameter("tenant"));
        } else {
            ParameterCheck.config(call.parameter("dataId"), call.parameter("group"), call.parameter("tenant"));
        }
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                Namespace.ofNullable(call.parameter("tenant")),
                call.parameter("dataId"),
                call.parameter("group"),
                call.parameter("appName"),
                call.parameter("config_tags"),
                call.parameter("types"),
                call.parameter("config_detail"));
        ConfigCriteria criteria = blur ? ConfigCriteria.blur(words) : ConfigCriteria.accurate(words);
        String tenant = spelled(call);
        return queries.search(
                        criteria,
                        RequestCaller.readableConfigs(call, criteria.namespace()),
                        ConfigOrder.BY_NAME,
                        V1Pages.required(call),
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
    CompletionStage<HttpAnswer> detail(HttpCall call) {
        return ofKey(call, key -> queries.detail(key).thenApply(found -> found.map(config -> detail(config, call))
                .orElseGet(() -> HttpAnswer.ok(HttpAnswer.JSON_UTF8, ""))));
    }

    private static HttpAnswer detail(StoredConfig config, HttpCall call) {
        String tenant = spelled(call);
        JsonOutput out = item(config, tenant)
                .text("md5", config.md5())
                .text("encryptedDataKey", config.encryptedDataKey())
                .text("tenant", tenant)
                .text("appName", config.appName())
                .text("type", config.type().wireName());
        return json(advanced(config, out, false).toBytes());
    }

    /** {@code GET /catalog}. */
    CompletionStage<HttpAnswer> catalog(HttpCall call) {
        return ofKey(call, key -> queries.detail(key)
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
    CompletionStage<HttpAnswer> beta(HttpCall call) {
        return ofKey(call, key -> queries.gray(key, GrayRule.BETA)
                .thenApply(found -> envelope("query beta ok", beta(found, spelled(call)))));
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
    CompletionStage<HttpAnswer> stopBeta(HttpCall call) {
        return ofKey(call, key -> configs.remove(new RemoveConfig(key, GrayRule.BETA, ConfigEndpoints.by(call)))
                .thenApply(removed -> envelope("stop beta ok", "true")));
    }

    /** {@code DELETE ?delType=ids}. */
    CompletionStage<HttpAnswer> deleteByIds(HttpCall call) {
        String ids = call.parameter("ids");
        if (ids == null) {
            return CompletableFuture.completedFuture(V1ConfigErrors.missing("ids"));
        }
        List<Long> asked = Stream.of(ids.split(","))
                .filter(id -> !id.isBlank())
                .map(V1Pages::id)
                .toList();
        ChangedBy by = ConfigEndpoints.by(call);
        return removal.remove(asked, by).thenApply(removed -> envelope(null, "true"));
    }

    /** Work with a key. */
    private interface WithKey {
        CompletionStage<HttpAnswer> answer(ConfigKey key);
    }

    private static CompletionStage<HttpAnswer> ofKey(HttpCall call, WithKey work) {
        HttpAnswer refusal = V1ConfigErrors.missingOf(call, "dataId", "group");
        return refusal != null ? CompletableFuture.completedFuture(refusal) : work.answer(ConfigEndpoints.key(call));
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
    static String spelled(HttpCall call) {
        String tenant = call.parameter("tenant");
        return tenant == null || tenant.isBlank() ? "" : tenant;
    }

    /** The answer of that code, message and data, all of which may be null but the code. */
    static HttpAnswer envelope(@Nullable String message, byte @Nullable [] data) {
        JsonOutput out = new JsonOutput(96 + (data == null ? 0 : data.length))
                .number("code", 200)
                .textOrNull("message", message);
        return json((data == null ? out.json("data", "null") : out.json("data", data)).toBytes());
    }

    /** The same with data in JSON. */
    static HttpAnswer envelope(@Nullable String message, String json) {
        return envelope(message, json.getBytes(StandardCharsets.UTF_8));
    }

    static HttpAnswer json(byte[] body) {
        return HttpAnswer.status(200).contentType(HttpAnswer.JSON_UTF8).body(body);
    }

    private static @Nullable String blankToNull(String text) {
        return text.isBlank() ? null : text;
    }
}
