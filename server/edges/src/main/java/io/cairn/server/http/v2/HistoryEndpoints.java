package io.cairn.server.http.v2;

import io.cairn.api.config.ConfigKey;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.config.history.HistoryEntry;
import io.cairn.server.config.history.HistoryOperation;
import io.cairn.server.config.history.HistoryService;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.HistoryReads;
import io.cairn.server.http.config.OldConfig;
import io.cairn.server.http.config.OldHistory;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

public final class HistoryEndpoints {

    private static final String PATH = "/v2/cs/history";
    private static final HttpResponse NONE = V2.ENVELOPE.success(0, out -> out.json("data", "null"));

    private final HistoryService history;
    private final HistoryReads reads;

    public HistoryEndpoints(HistoryService history) {
        this.history = history;
        this.reads = new HistoryReads(
                history,
                ConfigForm.V2,
                V2.ENVELOPE,
                new HistoryReads.Words<>(
                        OldHistory.class, OldHistory::listed, OldHistory.class, OldHistory::whole, NONE));
    }

    public List<HttpRoute> routes() {
        Endpoints endpoints = new Endpoints(V2.SINGLE_PARAMETERS);
        List<HttpRoute> routes = new ArrayList<>(reads.routes(PATH, endpoints));
        routes.add(endpoints.get(
                PATH + "/detail",
                Operation.of(ConfigForm.V2.namesAnd(HistoryReads.NID.required()))
                        .needs(ConfigForm.READ)
                        .answers(ChangedContent.class)
                        .says("Shows a change with the contents before and after it"),
                this::detail));
        return routes;
    }

    private CompletionStage<HttpResponse> detail(ConfigKey key, HttpRequest http) {
        return reads.find(key, http).thenCompose(found -> {
            if (found.response() != null) {
                return CompletableFuture.completedFuture(found.response());
            }
            HistoryEntry entry = found.entry();
            return entry == null
                    ? CompletableFuture.completedFuture(NONE)
                    : after(entry, http.lease())
                            .thenApply(after -> V2.ENVELOPE.written(ChangedContent.of(entry, after)));
        });
    }

    /** Both null if absent. */
    private record Content(@Nullable String text, @Nullable String md5) {

        static final Content NONE = new Content(null, null);
    }

    /** The content after the change: that found by the next change, or the present one. */
    private CompletionStage<Content> after(HistoryEntry entry, MemoryLease lease) {
        if (entry.operation() == HistoryOperation.DELETE) {
            return CompletableFuture.completedFuture(Content.NONE);
        }
        if (entry.operation() == HistoryOperation.INSERT) {
            return CompletableFuture.completedFuture(new Content(entry.content(), entry.md5()));
        }
        if (entry.grayName() != null) {
            return CompletableFuture.completedFuture(Content.NONE);
        }
        return history.leftBehind(entry, lease)
                .thenApply(left -> left.map(content -> new Content(content.content(), content.md5()))
                        .orElse(Content.NONE));
    }

    record ChangedContent(
            long id,
            long lastId,
            String dataId,
            String group,
            String tenant,
            String opType,
            String publishType,
            String grayName,
            String appName,
            @Nullable String srcIp,
            @Nullable String srcUser,
            @Nullable String originalMd5,
            @Nullable String originalContent,
            String originalEncryptedDataKey,
            @Nullable String originalExtInfo,
            @Nullable String updatedMd5,
            @Nullable String updatedContent,
            String updatedEncryptedDataKey,
            @Nullable String updateExtInfo,
            String createdTime,
            String lastModifiedTime) {

        private static ChangedContent of(HistoryEntry entry, Content after) {
            boolean isNew = entry.operation() == HistoryOperation.INSERT;
            return new ChangedContent(
                    entry.id(),
                    -1,
                    entry.key().dataId(),
                    entry.key().group(),
                    OldConfig.tenant(entry.key().namespace()),
                    entry.operation().letter(),
                    entry.publishType(),
                    entry.grayName() == null ? "" : entry.grayName(),
                    entry.appName(),
                    entry.sourceIp(),
                    entry.sourceUser(),
                    isNew ? null : entry.md5(),
                    isNew ? null : entry.content(),
                    isNew ? "" : entry.encryptedDataKey(),
                    isNew ? null : entry.extInfo(),
                    after.md5,
                    after.text,
                    isNew ? entry.encryptedDataKey() : "",
                    isNew ? entry.extInfo() : null,
                    OldHistory.time(entry.at()),
                    OldHistory.time(entry.at()));
        }
    }
}
