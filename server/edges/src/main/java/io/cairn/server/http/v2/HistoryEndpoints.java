package io.cairn.server.http.v2;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryOperation;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.ConfigJson;
import io.cairn.server.http.config.HistoryReads;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /v2/cs/history}: what configurations were. */
public final class HistoryEndpoints {

    private static final String PATH = "/v2/cs/history";
    private static final String KEY = "dataId! group! namespaceId ";
    private static final HttpResponse NONE = V2.ENVELOPE.success(0, out -> out.json("data", "null"));

    private final HistoryService history;
    private final HistoryReads reads;

    public HistoryEndpoints(HistoryService history) {
        this.history = history;
        this.reads = new HistoryReads(history, ConfigForm.V2, V2.ENVELOPE);
    }

    public List<HttpRoute> routes() {
        return List.of(
                HttpRoute.get(PATH + "/list", V2.SINGLE_PARAMETERS, this::list)
                        .does(OldOperation.of(
                                "Lists the changes of a configuration, the newest first, without contents",
                                KEY + "pageNo:integer pageSize:integer",
                                "Page of OldHistory")),
                HttpRoute.get(PATH, V2.SINGLE_PARAMETERS, this::get)
                        .does(OldOperation.of("Shows a change with its content", KEY + "nid!:integer", "OldHistory")),
                HttpRoute.get(PATH + "/detail", V2.SINGLE_PARAMETERS, this::detail)
                        .does(OldOperation.of(
                                "Shows a change with the contents before and after it",
                                KEY + "nid!:integer",
                                "object")),
                HttpRoute.get(PATH + "/previous", V2.SINGLE_PARAMETERS, this::previous)
                        .does(OldOperation.of(
                                "Shows what a configuration was before its last change",
                                KEY + "id!:integer",
                                "OldHistory")));
    }

    private CompletionStage<HttpResponse> list(HttpRequest request) {
        return reads.list(request, entry -> ConfigJson.oldHistory(entry, true));
    }

    private CompletionStage<HttpResponse> get(HttpRequest request) {
        return reads.get(request, HistoryEndpoints::shown);
    }

    private CompletionStage<HttpResponse> previous(HttpRequest request) {
        return reads.previous(request, HistoryEndpoints::shown);
    }

    private static HttpResponse shown(Optional<HistoryEntry> found) {
        return found.map(entry -> success(ConfigJson.oldHistory(entry, false))).orElse(NONE);
    }

    private CompletionStage<HttpResponse> detail(HttpRequest request) {
        return reads.find(request).thenCompose(found -> {
            if (found.response() != null) {
                return CompletableFuture.completedFuture(found.response());
            }
            HistoryEntry entry = found.entry();
            return entry == null
                    ? CompletableFuture.completedFuture(NONE)
                    : after(entry).thenApply(after -> success(detail(entry, after)));
        });
    }

    /** A content with its digest; both null for none. */
    private record Content(@Nullable String text, @Nullable String md5) {

        static final Content NONE = new Content(null, null);
    }

    /** What the change has left behind: what the next one found, or what is there now. */
    private CompletionStage<Content> after(HistoryEntry entry) {
        if (entry.operation() == HistoryOperation.DELETE) {
            return CompletableFuture.completedFuture(Content.NONE);
        }
        if (entry.operation() == HistoryOperation.INSERT) {
            return CompletableFuture.completedFuture(new Content(entry.content(), entry.md5()));
        }
        if (entry.grayName() != null) {
            return CompletableFuture.completedFuture(Content.NONE);
        }
        return history.leftBehind(entry)
                .thenApply(left -> left.map(content -> new Content(content.content(), content.md5()))
                        .orElse(Content.NONE));
    }

    private static byte[] detail(HistoryEntry entry, Content after) {
        boolean isNew = entry.operation() == HistoryOperation.INSERT;
        String user = entry.sourceUser();
        return new JsonOutput(1024)
                .number("id", entry.id())
                .number("lastId", -1)
                .text("dataId", entry.key().dataId())
                .text("group", entry.key().group())
                .text("tenant", ConfigJson.tenant(entry.key().namespace()))
                .text("opType", entry.operation().letter())
                .text("publishType", entry.publishType())
                .text("grayName", entry.grayName() == null ? "" : entry.grayName())
                .text("appName", entry.appName())
                .textOrNull("srcIp", entry.sourceIp())
                .textOrNull("srcUser", user)
                .textOrNull("originalMd5", isNew ? null : entry.md5())
                .textOrNull("originalContent", isNew ? null : entry.content())
                .text("originalEncryptedDataKey", isNew ? "" : entry.encryptedDataKey())
                .textOrNull("originalExtInfo", isNew ? null : entry.extInfo())
                .textOrNull("updatedMd5", after.md5())
                .textOrNull("updatedContent", after.text())
                .text("updatedEncryptedDataKey", isNew ? entry.encryptedDataKey() : "")
                .textOrNull("updateExtInfo", isNew ? entry.extInfo() : null)
                .text("createdTime", ConfigJson.time(entry.at()))
                .text("lastModifiedTime", ConfigJson.time(entry.at()))
                .toBytes();
    }

    private static HttpResponse success(byte[] json) {
        return V2.ENVELOPE.success(json.length, out -> out.json("data", json));
    }
}
