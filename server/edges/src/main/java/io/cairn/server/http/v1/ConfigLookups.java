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
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.envelope.JsonText;
import io.cairn.server.http.envelope.PageBody;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The purposes of {@code /v1/cs/configs} beside one content: search, details, deletion by ids. */
public final class ConfigLookups {

    static final Parameter<String> APP_NAME = ConfigLookup.APP_NAME;
    static final Parameter<String> TAGS = ConfigLookup.TAGS.named("config_tags");
    static final Parameter<String> TYPES = ConfigLookup.TYPES.named("types");
    static final Parameter<String> DETAIL = ConfigLookup.DETAIL.named("config_detail");

    private final ConfigQueries queries;
    private final BatchRemoval removal;

    public ConfigLookups(ConfigQueries queries, BatchRemoval removal) {
        this.queries = queries;
        this.removal = removal;
    }

    /** {@code GET ?search=accurate} and {@code GET ?search=blur}. */
    CompletionStage<HttpResponse> search(HttpRequest request) {
        V1Forms.mustHave(request, V1Forms.DATA_ID, V1Forms.GROUP, V1Pages.NUMBER, V1Pages.SIZE);
        boolean blur = "blur".equals(ConfigsRequest.SEARCH.orNull(request));
        if (blur) {
            ParameterCheck.namespace(V1Forms.TENANT.orNull(request));
        } else {
            ParameterCheck.config(
                    V1Forms.DATA_ID.sent(request), V1Forms.GROUP.sent(request), V1Forms.TENANT.orNull(request));
        }
        ConfigCriteria.Words words = new ConfigCriteria.Words(
                Namespace.ofNullable(V1Forms.TENANT.orNull(request)),
                V1Forms.DATA_ID.sent(request),
                V1Forms.GROUP.sent(request),
                APP_NAME.orNull(request),
                TAGS.orNull(request),
                TYPES.orNull(request),
                DETAIL.orNull(request));
        ConfigCriteria criteria = blur ? ConfigCriteria.blur(words) : ConfigCriteria.accurate(words);
        String tenant = V1Forms.spelledTenant(request);
        // As recorded: a search by tags omits the type.
        boolean withType = criteria.tags().isEmpty();
        ConfigQueries.Search search = new ConfigQueries.Search(
                criteria,
                RequestCaller.readableConfigs(request, criteria.namespace()),
                ConfigOrder.BY_NAME,
                V1Pages.of(request, V1Pages.SIZE));
        return queries.search(search, true, request.lease())
                .thenApply(
                        page -> json(PageBody.of(page.map(config -> OldConfig.found(config, tenant, blur, withType)))));
    }

    /** {@code GET ?show=all}; an empty answer if absent. */
    CompletionStage<HttpResponse> detail(ConfigKey key, HttpRequest http) {
        String tenant = V1Forms.spelledTenant(http);
        return queries.detail(key, http.lease())
                .thenApply(found -> found.map(config -> json(OldDetail.of(config, tenant)))
                        .orElseGet(() -> HttpResponse.ok(HttpResponse.JSON_UTF8, "")));
    }

    CompletionStage<HttpResponse> catalog(ConfigKey key, HttpRequest http) {
        return queries.attributes(key, http.lease())
                .thenApply(found -> written(null, found.map(Catalog::of).orElse(null)));
    }

    CompletionStage<HttpResponse> beta(ConfigKey key, HttpRequest http) {
        String tenant = V1Forms.spelledTenant(http);
        return queries.gray(key, GrayRule.BETA, http.lease())
                .thenApply(found -> written(
                        "query beta ok",
                        found.map(gray -> OldBeta.of(gray, tenant)).orElse(null)));
    }

    CompletionStage<HttpResponse> deleteByIds(HttpRequest request) {
        List<Long> asked = Stream.of(ConfigLookup.IDS.of(request).split(","))
                .filter(id -> !id.isBlank())
                .map(V1Pages::id)
                .toList();
        return removal.remove(asked, V1Forms.by(request)).thenApply(removed -> {
            request.stored(removed.lastRevision());
            return envelope(null, "true");
        });
    }

    static HttpResponse envelope(@Nullable String message, String json) {
        return start().body(new JsonOutput(96 + json.length())
                .number("code", 200)
                .textOrNull("message", message)
                .json("data", json)
                .toBytes());
    }

    static HttpResponse written(@Nullable String message, @Nullable Record data) {
        return start().body(JsonBody.enveloped(200, message, data));
    }

    static HttpResponse json(Object data) {
        return json(JsonText.of(data));
    }

    static HttpResponse json(JsonText body) {
        return start().body(body);
    }

    private static HttpResponse.Builder start() {
        return HttpResponse.status(200).contentType(HttpResponse.JSON_UTF8);
    }

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
     * The release for some addresses.
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
                    gray.keyForReaders(),
                    tenant,
                    gray.appName(),
                    null,
                    gray.rule().expression());
        }
    }
}
