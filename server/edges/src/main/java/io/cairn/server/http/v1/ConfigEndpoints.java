package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.HttpDate;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.RequestCaller;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v1/cs/configs}: publish, read and delete one configuration. */
public final class ConfigEndpoints {

    static final String PATH = "/v1/cs/configs";

    private static final ConfigVersion.Answer<HttpResponse> CONTENT =
            ConfigVersion.Answer.overHttp(ConfigEndpoints::content);
    private static final HttpResponse TRUE = HttpResponse.ok(HttpResponse.JSON_UTF8, "true");
    private static final CompletionStage<HttpResponse> NOT_FOUND =
            CompletableFuture.completedFuture(HttpResponse.of(404, HttpResponse.JSON_UTF8, "config data not exist\n"));

    private final ConfigService configs;
    private final ValidatedPublishing publishing;
    private final ConfigLookups lookups;
    private final TransferEndpoints transfers;

    public ConfigEndpoints(
            ConfigService configs, ValidatedPublishing publishing, ConfigLookups lookups, TransferEndpoints transfers) {
        this.configs = configs;
        this.publishing = publishing;
        this.lookups = lookups;
        this.transfers = transfers;
    }

    public List<HttpRoute> routes() {
        V1ConfigErrors errors = new V1ConfigErrors();
        return List.of(
                HttpRoute.get(PATH, errors, this::getAsMeant),
                HttpRoute.post(PATH, errors, this::postAsMeant),
                HttpRoute.delete(PATH, errors, this::deleteAsMeant),
                HttpRoute.get(PATH + "/catalog", errors, lookups::catalog));
    }

    /** The same path means several things, told apart by a parameter. */
    private CompletionStage<HttpResponse> getAsMeant(HttpRequest request) {
        if (is(request, "search", "accurate") || is(request, "search", "blur")) {
            return lookups.search(request);
        }
        if (is(request, "show", "all")) {
            return lookups.detail(request);
        }
        if (is(request, "export", "true") || is(request, "exportV2", "true")) {
            return transfers.export(request, is(request, "exportV2", "true"));
        }
        return is(request, "beta", "true") ? lookups.beta(request) : get(request);
    }

    private CompletionStage<HttpResponse> postAsMeant(HttpRequest request) {
        if (is(request, "import", "true")) {
            return transfers.importArchive(request);
        }
        return is(request, "clone", "true") ? transfers.copy(request) : publish(request);
    }

    private CompletionStage<HttpResponse> deleteAsMeant(HttpRequest request) {
        if (is(request, "delType", "ids")) {
            return lookups.deleteByIds(request);
        }
        return is(request, "beta", "true") ? lookups.stopBeta(request) : delete(request);
    }

    private static boolean is(HttpRequest request, String parameter, String value) {
        return value.equals(request.parameter(parameter));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        HttpResponse refusal = refusal(request);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = key(request);
        String tag = request.parameter("tag");
        boolean asksForTag = tag != null && !tag.isBlank();
        GrayRule.Client client = client(request, asksForTag ? tag : null);
        ConfigEntry entry = configs.find(key, client, asksForTag);
        if (entry == null) {
            return NOT_FOUND;
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            return CompletableFuture.completedFuture(version.as(CONTENT));
        }
        return configs.load(entry, () -> configs.find(key, client, asksForTag))
                .thenCompose(loaded -> loaded.<CompletionStage<HttpResponse>>map(
                                found -> CompletableFuture.completedFuture(found.as(CONTENT)))
                        .orElse(NOT_FOUND));
    }

    private static HttpResponse content(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        String tag = gray == null ? null : gray.tag();
        return HttpResponse.status(200)
                .header("isBeta", gray != null && gray.isBeta() ? "true" : null)
                .header("tag", tag == null ? null : URLEncoder.encode(tag, StandardCharsets.UTF_8))
                .header("Config-Type", entry.type().wireName())
                .header("Content-MD5", entry.digest().toString())
                .notCached()
                .header("Last-Modified", HttpDate.of(entry.lastModifiedMillis()))
                .header("Encrypted-Data-Key", gray == null ? entry.encryptedDataKey() : null)
                .contentType(HttpResponse.TEXT)
                .body(version.utf8());
    }

    private CompletionStage<HttpResponse> publish(HttpRequest request) {
        HttpResponse refusal = refusal(request);
        if (refusal == null && request.parameter("content") == null) {
            refusal = V1ConfigErrors.missing("content");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        check(request.parameter("dataId"), request.parameter("group"), request.parameter("tenant"));
        ConfigDraft draft = new ConfigDraft(
                request.parameter("dataId"),
                request.parameter("group"),
                request.parameter("tenant"),
                request.parameter("content"),
                request.header("casMd5"),
                request.parameter("type"),
                request.parameter("appName"),
                request.parameter("config_tags"),
                request.parameter("desc"),
                request.parameter("use"),
                request.parameter("effect"),
                request.parameter("schema"),
                request.parameter("encryptedDataKey"),
                request.header("betaIps"),
                request.parameter("tag"));
        Author by = by(request);
        PublishConfig command = draft.check(configs.limits(), by);
        String kind = command.gray() == null ? "" : "gray config ";
        return publishing
                .publish(command, ConfigForm.validates(request))
                .thenApply(result -> result.fold(published -> TRUE, conflict -> {
                    throw new CairnException(
                            ErrorCode.CONFLICT, "Cas publish " + kind + "fail, server md5 may have changed.");
                }));
    }

    private CompletionStage<HttpResponse> delete(HttpRequest request) {
        HttpResponse refusal = refusal(request);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = key(request);
        String tag = request.parameter("tag");
        String grayName = tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
        return configs.remove(new RemoveConfig(key, grayName, by(request))).thenApply(removed -> TRUE);
    }

    /** Who orders a change. */
    static Author by(HttpRequest request) {
        return new Author(blankToNull(request.parameter("src_user")), request.claimedIp(), RequestCaller.of(request));
    }

    /** What the sender of a request is told apart by. */
    static GrayRule.Client client(HttpRequest request, @Nullable String askedTag) {
        return new GrayRule.Client(request.claimedIp(), askedTag != null ? askedTag : request.header("Vipserver-Tag"));
    }

    private static @Nullable HttpResponse refusal(HttpRequest request) {
        if (request.parameter("dataId") == null) {
            return V1ConfigErrors.missing("dataId");
        }
        if (request.parameter("group") == null) {
            return V1ConfigErrors.missing("group");
        }
        return null;
    }

    static ConfigKey key(HttpRequest request) {
        String dataId = request.parameter("dataId");
        String group = request.parameter("group");
        String tenant = request.parameter("tenant");
        check(dataId, group, tenant);
        return ConfigDraft.key(dataId, group, tenant);
    }

    /** What is blank is told afterwards, as missing. */
    private static void check(@Nullable String dataId, @Nullable String group, @Nullable String tenant) {
        ParameterCheck.config(blankToNull(dataId), blankToNull(group), tenant);
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    /** The answer to a listener or a check: bytes of a text that was written for this one call. */
    static HttpResponse notCachedJson(String body) {
        return HttpResponse.status(200)
                .notCached()
                .contentType(HttpResponse.JSON_UTF8)
                .body(body.getBytes(StandardCharsets.UTF_8));
    }
}
