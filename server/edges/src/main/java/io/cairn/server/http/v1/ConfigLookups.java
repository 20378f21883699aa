package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.query.BatchRemoval;
import io.cairn.server.config.query.ConfigCriteria;
import io.cairn.server.config.query.ConfigOrder;
import io.cairn.server.config.query.ConfigQueries;
import io.cairn.server.config.query.StoredConfig;
import io.cairn.server.config.query.StoredGray;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigDetail;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.RequestCaller;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The purposes of {@code /v1/cs/configs} beside reads and changes of one content: search, details, deletion by ids. */
public final class ConfigLookups {

    private final ConfigQueries queries;
    private final BatchRemoval removal;

    public ConfigLookups(ConfigQueries queries, BatchRemoval removal) {
        this.queries = queries;
        this.removal = removal;
    }

    /** {@code GET ?search=accurate} and {@code GET ?search=blur}. */
    CompletionStage<HttpResponse> search(HttpRequest request) {
        V1Forms.mustHave(request, "dataId", "group", "pageNo", "pageSize");
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
        String tenant = V1Forms.spelledTenant(request);
        // As recorded: a search by tags leaves the type out.
        boolean withType = criteria.tags().isEmpty();
        return queries.search(
                        criteria,
                        RequestCaller.readableConfigs(request, criteria.namespace()),
                        ConfigOrder.BY_NAME,
                        V1Pages.required(request),
                        true)
                .thenApply(page -> json(
                        JsonBody.of(PageBody.of(page.map(config -> OldConfig.found(config, tenant, blur, withType))))));
    }

    /** {@code GET ?show=all}; an empty answer where there is none. */
    CompletionStage<HttpResponse> detail(ConfigKey key, HttpRequest http) {
        String tenant = V1Forms.spelledTenant(http);
        return queries.detail(key)
                .thenApply(found -> found.map(config -> json(JsonBody.of(OldDetail.of(config, tenant))))
                        .orElseGet(() -> HttpResponse.ok(HttpResponse.JSON_UTF8, "")));
    }

    /** {@code GET /catalog}. */
    CompletionStage<HttpResponse> catalog(ConfigKey key) {
        return queries.detail(key)
                .thenApply(found -> written(null, found.map(Catalog::of).orElse(null)));
    }

    /** {@code GET ?beta=true}. */
    CompletionStage<HttpResponse> beta(ConfigKey key, HttpRequest http) {
        String tenant = V1Forms.spelledTenant(http);
        return queries.gray(key, GrayRule.BETA)
                .thenApply(found -> written(
                        "query beta ok",
                        found.map(gray -> OldBeta.of(gray, tenant)).orElse(null)));
    }

    /** {@code DELETE ?delType=ids}. */
    CompletionStage<HttpResponse> deleteByIds(HttpRequest request) {
        V1Forms.mustHave(request, "ids");
        List<Long> asked = Stream.of(String.valueOf(request.parameter("ids")).split(","))
                .filter(id -> !id.isBlank())
                .map(V1Pages::id)
                .toList();
        return removal.remove(asked, V1Forms.by(request)).thenApply(removed -> {
            request.stored(removed.lastRevision());
            return envelope(null, "true");
        });
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

    /** The same with a record, which may be null. */
    static HttpResponse written(@Nullable String message, @Nullable Record data) {
        return envelope(message, data == null ? null : JsonBody.of(data));
    }

    static HttpResponse json(byte[] body) {
        return HttpResponse.status(200).contentType(HttpResponse.JSON_UTF8).body(body);
    }

    /** A configuration with all that is stored of it. */
    record OldDetail(
            String id,
            String dataId,
            String group,
            @Nullable String content,
            String md5,
            String encryptedDataKey,
            String tenant,
            String appName,
            String type,
            long createTime,
            long modifyTime,
            @Nullable String createUser,
            @Nullable String createIp,
            @Nullable String desc,
            @Nullable String use,
            @Nullable String effect,
            @Nullable String schema,
            @Nullable String configTags) {

        private static OldDetail of(StoredConfig config, String tenant) {
            return new OldDetail(
                    Long.toString(config.id()),
                    config.key().dataId(),
                    config.key().group(),
                    config.content(),
                    config.md5(),
                    config.encryptedDataKey(),
                    tenant,
                    config.appName(),
                    config.type().wireName(),
                    config.createdAt().toEpochMilli(),
                    config.modifiedAt().toEpochMilli(),
                    config.createUser(),
                    config.createIp(),
                    config.description(),
                    config.use(),
                    config.effect(),
                    config.schema(),
                    ConfigDetail.joinedTags(config));
        }
    }

    /** The attributes of a configuration. */
    record Catalog(
            long createTime,
            long modifyTime,
            @Nullable String createUser,
            @Nullable String createIp,
            @Nullable String desc,
            @Nullable String use,
            @Nullable String effect,
            String type,
            @Nullable String schema,
            @Nullable String configTags) {

        private static Catalog of(StoredConfig config) {
            return new Catalog(
                    config.createdAt().toEpochMilli(),
                    config.modifiedAt().toEpochMilli(),
                    config.createUser(),
                    config.createIp(),
                    config.description(),
                    config.use(),
                    config.effect(),
                    config.type().wireName(),
                    config.schema(),
                    ConfigDetail.joinedTags(config));
        }
    }

    /**
     * The release of a configuration for some addresses.
     *
     * @param encryptedDataKey null for a plain content
     * @param type always null, as in Nacos
     */
    record OldBeta(
            String id,
            String dataId,
            String group,
            String content,
            String md5,
            @Nullable String encryptedDataKey,
            String tenant,
            String appName,
            @Nullable String type,
            String betaIps) {

        private static OldBeta of(StoredGray gray, String tenant) {
            return new OldBeta(
                    Long.toString(gray.id()),
                    gray.key().dataId(),
                    gray.key().group(),
                    gray.content(),
                    gray.md5(),
                    gray.encryptedDataKey().isBlank() ? null : gray.encryptedDataKey(),
                    tenant,
                    gray.appName(),
                    null,
                    gray.rule().expression());
        }
    }
}
