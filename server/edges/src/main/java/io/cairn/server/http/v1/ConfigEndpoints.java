package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ChangedBy;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.validation.ValidatedPublishing;
import io.cairn.server.http.HttpAnswer;
import io.cairn.server.http.HttpCall;
import io.cairn.server.http.HttpDate;
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

    private static final ConfigVersion.Answer<HttpAnswer> CONTENT =
            ConfigVersion.Answer.overHttp(ConfigEndpoints::content);
    private static final HttpAnswer TRUE = HttpAnswer.ok(HttpAnswer.JSON_UTF8, "true");
    private static final CompletionStage<HttpAnswer> NOT_FOUND =
            CompletableFuture.completedFuture(HttpAnswer.of(404, HttpAnswer.JSON_UTF8, "config data not exist\n"));

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
    private CompletionStage<HttpAnswer> getAsMeant(HttpCall call) {
        if (is(call, "search", "accurate") || is(call, "search", "blur")) {
            return lookups.search(call);
        }
        if (is(call, "show", "all")) {
            return lookups.detail(call);
        }
        if (is(call, "export", "true") || is(call, "exportV2", "true")) {
            return transfers.export(call, is(call, "exportV2", "true"));
        }
        return is(call, "beta", "true") ? lookups.beta(call) : get(call);
    }

    private CompletionStage<HttpAnswer> postAsMeant(HttpCall call) {
        if (is(call, "import", "true")) {
            return transfers.importArchive(call);
        }
        return is(call, "clone", "true") ? transfers.copy(call) : publish(call);
    }

    private CompletionStage<HttpAnswer> deleteAsMeant(HttpCall call) {
        if (is(call, "delType", "ids")) {
            return lookups.deleteByIds(call);
        }
        return is(call, "beta", "true") ? lookups.stopBeta(call) : delete(call);
    }

    private static boolean is(HttpCall call, String parameter, String value) {
        return value.equals(call.parameter(parameter));
    }

    private CompletionStage<HttpAnswer> get(HttpCall call) {
        HttpAnswer refusal = refusal(call);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = key(call);
        String tag = call.parameter("tag");
        boolean asksForTag = tag != null && !tag.isBlank();
        GrayRule.Client client = client(call, asksForTag ? tag : null);
        ConfigEntry entry = configs.find(key, client, asksForTag);
        if (entry == null) {
            return NOT_FOUND;
        }
        ConfigVersion version = configs.resident(entry);
        if (version != null) {
            return CompletableFuture.completedFuture(version.as(CONTENT));
        }
        return configs.load(entry, () -> configs.find(key, client, asksForTag))
                .thenCompose(loaded -> loaded.<CompletionStage<HttpAnswer>>map(
                                found -> CompletableFuture.completedFuture(found.as(CONTENT)))
                        .orElse(NOT_FOUND));
    }

    private static HttpAnswer content(ConfigVersion version) {
        ConfigEntry entry = version.entry();
        GrayRule gray = entry.gray();
        String tag = gray == null ? null : gray.tag();
        return HttpAnswer.status(200)
                .header("isBeta", gray != null && gray.isBeta() ? "true" : null)
                .header("tag", tag == null ? null : URLEncoder.encode(tag, StandardCharsets.UTF_8))
                .header("Config-Type", entry.type().wireName())
                .header("Content-MD5", entry.digest().toString())
                .notCached()
                .header("Last-Modified", HttpDate.of(entry.lastModifiedMillis()))
                .header("Encrypted-Data-Key", gray == null ? entry.encryptedDataKey() : null)
                .contentType(HttpAnswer.TEXT)
                .body(version.utf8());
    }

    private CompletionStage<HttpAnswer> publish(HttpCall call) {
        HttpAnswer refusal = refusal(call);
        if (refusal == null && call.parameter("content") == null) {
            refusal = V1ConfigErrors.missing("content");
        }
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        check(call.parameter("dataId"), call.parameter("group"), call.parameter("tenant"));
        ConfigDraft draft = new ConfigDraft(
                call.parameter("dataId"),
                call.parameter("group"),
                call.parameter("tenant"),
                call.parameter("content"),
                call.header("casMd5"),
                call.parameter("type"),
                call.parameter("appName"),
                call.parameter("config_tags"),
                call.parameter("desc"),
                call.parameter("use"),
                call.parameter("effect"),
                call.parameter("schema"),
                call.parameter("encryptedDataKey"),
                call.header("betaIps"),
                call.parameter("tag"));
        ChangedBy by = by(call);
        PublishConfig command = draft.check(configs.limits(), by);
        String kind = command.gray() == null ? "" : "gray config ";
        return publishing
                .publish(command, ConfigForm.validates(call))
                .thenApply(result -> result.fold(published -> TRUE, conflict -> {
                    throw new CairnException(
                            ErrorCode.CONFLICT, "Cas publish " + kind + "fail, server md5 may have changed.");
                }));
    }

    private CompletionStage<HttpAnswer> delete(HttpCall call) {
        HttpAnswer refusal = refusal(call);
        if (refusal != null) {
            return CompletableFuture.completedFuture(refusal);
        }
        ConfigKey key = key(call);
        String tag = call.parameter("tag");
        String grayName = tag == null || tag.isBlank() ? null : GrayRule.nameOfTag(tag);
        return configs.remove(new RemoveConfig(key, grayName, by(call))).thenApply(removed -> TRUE);
    }

    /** Who orders a change. */
    static ChangedBy by(HttpCall call) {
        return new ChangedBy(blankToNull(call.parameter("src_user")), call.claimedIp(), RequestCaller.of(call));
    }

    /** What the sender of a request is told apart by. */
    static GrayRule.Client client(HttpCall call, @Nullable String askedTag) {
        return new GrayRule.Client(call.claimedIp(), askedTag != null ? askedTag : call.header("Vipserver-Tag"));
    }

    private static @Nullable HttpAnswer refusal(HttpCall call) {
        if (call.parameter("dataId") == null) {
            return V1ConfigErrors.missing("dataId");
        }
        if (call.parameter("group") == null) {
            return V1ConfigErrors.missing("group");
        }
        return null;
    }

    static ConfigKey key(HttpCall call) {
        String dataId = call.parameter("dataId");
        String group = call.parameter("group");
        String tenant = call.parameter("tenant");
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
    static HttpAnswer notCachedJson(String body) {
        return HttpAnswer.status(200)
                .notCached()
                .contentType(HttpAnswer.JSON_UTF8)
                .body(body.getBytes(StandardCharsets.UTF_8));
    }
}
