package io.cairn.server.http.v1;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ParameterException;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.TransferTarget;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigLookup;
import io.cairn.server.http.config.CopyItems;
import io.cairn.server.http.config.TransferActions;
import io.cairn.server.http.config.Transferred;
import io.cairn.server.http.envelope.JsonBody;
import io.cairn.server.http.route.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Export, import and clone, selected by parameters of {@code /v1/cs/configs}. */
public final class TransferEndpoints {

    private static final String ZIP = "application/octet-stream;charset=UTF-8";
    private static final Map<String, Integer> NOTHING = Map.of("succCount", 0);

    private final TransferActions actions;

    public TransferEndpoints(TransferActions actions) {
        this.actions = actions;
    }

    CompletionStage<HttpResponse> export(HttpRequest request) {
        boolean listed = ConfigsRequest.is(request, ConfigsRequest.EXPORT_LISTED, "true");
        ConfigSelection selection = new ConfigSelection(
                namespace(request, V1Forms.TENANT),
                ids(ConfigLookup.IDS.orNull(request)),
                V1Forms.DATA_ID.sent(request),
                V1Forms.GROUP.sent(request),
                ConfigLookups.APP_NAME.orNull(request));
        return actions.export(
                selection,
                listed ? ArchiveLayout.LISTED : ArchiveLayout.APP_NAMES,
                request,
                HttpResponse.status(200),
                ZIP);
    }

    private static List<Long> ids(@Nullable String text) {
        List<Long> ids = new ArrayList<>();
        if (text != null && !text.isBlank()) {
            for (String id : text.split(",")) {
                try {
                    ids.add(Long.valueOf(id.trim()));
                } catch (NumberFormatException e) {
                    throw ParameterException.refused("ids", "'" + id + "' is no id.");
                }
            }
        }
        return ids;
    }

    CompletionStage<HttpResponse> importArchive(HttpRequest request) {
        return answer(request, "import success", () -> {
            byte[] archive = TransferActions.file(request);
            return actions.transfer().importArchive(archive, target(request, ConfigsRequest.TARGET));
        });
    }

    CompletionStage<HttpResponse> copy(HttpRequest request) {
        V1Forms.mustHave(request, V1Forms.TENANT);
        return answer(request, "Clone Completed Successfully", () -> {
            TransferTarget target = target(request, V1Forms.TENANT);
            return actions.transfer().copy(CopyItems.read(request.body()), target);
        });
    }

    private static TransferTarget target(HttpRequest request, Parameter<String> named) {
        return TransferActions.target(request, namespace(request, named), V1Forms.by(request));
    }

    private static Namespace namespace(HttpRequest request, Parameter<String> parameter) {
        String namespace = parameter.orNull(request);
        ParameterCheck.namespace(namespace);
        return Namespace.ofNullable(namespace);
    }

    private static CompletionStage<HttpResponse> answer(
            HttpRequest request, String done, Supplier<CompletionStage<TransferReport>> work) {
        CompletionStage<TransferReport> stage;
        try {
            stage = work.get();
        } catch (TransferException e) {
            stage = CompletableFuture.failedFuture(e);
        }
        return stage.handle((report, failure) -> {
            if (failure == null) {
                request.stored(report.lastRevision());
                return json(200, done, OldTransferred.of(report));
            }
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            if (cause instanceof TransferException refused) {
                return json(code(refused.fault()), message(refused), data(refused));
            }
            if (cause instanceof CairnException known) {
                throw known;
            }
            throw new CompletionException(cause);
        });
    }

    private static HttpResponse json(int code, String message, Object data) {
        return HttpResponse.status(200)
                .contentType(HttpResponse.JSON_UTF8)
                .body(JsonBody.enveloped(code, message, data));
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

    /** Scripts compare the whole message about metadata, so place and reason are beside it. */
    private static Object data(TransferException refused) {
        return refused.fault() == TransferException.Fault.ILLEGAL_METADATA
                ? new NothingImported(0, refused.text())
                : NOTHING;
    }

    /** The result of an import with an unusable list. */
    record NothingImported(int succCount, String reason) {}

    /** The text that scripts know, and the fault. */
    private static String message(TransferException refused) {
        return switch (refused.fault()) {
            case NO_SUCH_NAMESPACE -> "目标 namespace 不存在";
            case ILLEGAL_METADATA -> "导入的元数据非法";
            case EMPTY, NOTHING_FOUND -> "导入的文件数据为空";
            case NO_CONFIGURATION -> "导入的文件数据为空: " + refused.text();
            case NOTHING_SELECTED -> "没有选择任何配置";
            case ILLEGAL_CONFIG, UNREADABLE -> refused.text();
        };
    }

    /** The result of an import or copy, without empty lists. */
    record OldTransferred(
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Transferred.Name> skipData,
            int succCount,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            Integer unrecognizedCount,

            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Transferred.Name> failData,
            int skipCount,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Transferred.Unrecognized> unrecognizedData) {

        private static OldTransferred of(TransferReport report) {
            Transferred same = Transferred.of(report);
            return new OldTransferred(
                    same.skipData(),
                    same.succCount(),
                    same.unrecognizedCount(),
                    same.failData(),
                    same.skipCount(),
                    same.unrecognizedData());
        }
    }
}
