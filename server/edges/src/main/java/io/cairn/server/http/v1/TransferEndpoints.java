package io.cairn.server.http.v1;

import io.cairn.api.error.CairnException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Export, import and clone, which version 1 hides behind parameters of {@code /v1/cs/configs}. */
public final class TransferEndpoints {

    private static final String ZIP = "application/octet-stream;charset=UTF-8";

    private final TransferActions actions;

    public TransferEndpoints(TransferActions actions) {
        this.actions = actions;
    }

    CompletionStage<HttpResponse> export(HttpRequest request, boolean listed) {
        return actions.exportArchive(request, listed ? ArchiveLayout.LISTED : ArchiveLayout.APP_NAMES, ZIP);
    }

    CompletionStage<HttpResponse> importArchive(HttpRequest request) {
        return answer("import success", () -> actions.importArchive(request));
    }

    CompletionStage<HttpResponse> copy(HttpRequest request) {
        HttpResponse refusal = V1ConfigErrors.missingOf(request, "tenant");
        return refusal == null
                ? answer("Clone Completed Successfully", () -> actions.copy(request))
                : CompletableFuture.completedFuture(refusal);
    }

    private static CompletionStage<HttpResponse> answer(String done, Supplier<CompletionStage<TransferReport>> work) {
        CompletionStage<TransferReport> stage;
        try {
            stage = work.get();
        } catch (TransferException e) {
            stage = CompletableFuture.failedFuture(e);
        }
        return stage.handle((report, failure) -> {
            if (failure == null) {
                JsonOutput data = new JsonOutput(128);
                TransferActions.report(data, report);
                return json(200, done, data);
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof TransferException refused) {
                return json(code(refused.fault()), message(refused), new JsonOutput(16).number("succCount", 0));
            }
            if (cause instanceof CairnException known) {
                throw known;
            }
            throw new CompletionException(cause);
        });
    }

    private static HttpResponse json(int code, String message, JsonOutput data) {
        return HttpResponse.status(200)
                .contentType(HttpResponse.JSON_UTF8)
                .body(new JsonOutput(256)
                        .number("code", code)
                        .text("message", message)
                        .json("data", data.toBytes())
                        .toBytes());
    }

    private static int code(TransferException.Fault fault) {
        return switch (fault) {
            case NO_SUCH_NAMESPACE -> 100001;
            case ILLEGAL_METADATA -> 100002;
            case ILLEGAL_CONFIG -> 100003;
            case UNREADABLE -> 100004;
            case EMPTY, NO_CONFIGURATION, NOTHING_FOUND -> 100005;
            case NOTHING_SELECTED -> 100006;
        };
    }

    /** The words that scripts know, and what is wrong. */
    private static String message(TransferException refused) {
        return switch (refused.fault()) {
            case NO_SUCH_NAMESPACE -> "目标 namespace 不存在";
            case ILLEGAL_METADATA -> "导入的元数据非法: " + refused.text();
            case EMPTY, NOTHING_FOUND -> "导入的文件数据为空";
            case NO_CONFIGURATION -> "导入的文件数据为空: " + refused.text();
            case NOTHING_SELECTED -> "没有选择任何配置";
            case ILLEGAL_CONFIG, UNREADABLE -> refused.text();
        };
    }
}
