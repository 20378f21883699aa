package io.cairn.server.http.v1;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.ParameterException;
import io.cairn.api.wire.JsonOutput;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.ConfigTransfer;
import io.cairn.server.config.transfer.ConflictPolicy;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferReport;
import io.cairn.server.config.transfer.TransferTarget;
import io.cairn.server.http.FileBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.config.ConfigForm;
import io.cairn.server.http.config.CopyItems;
import io.cairn.server.http.route.RequestCaller;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Export, import and clone in the words of version 1. */
public final class TransferActions {

    private static final DateTimeFormatter FILE_TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    private final ConfigTransfer transfer;
    private final Executor reader;
    private final Clock clock;

    /** @param reader a small bounded pool on which archives are read that go out */
    public TransferActions(ConfigTransfer transfer, Executor reader, Clock clock) {
        this.transfer = transfer;
        this.reader = reader;
        this.clock = clock;
    }

    /** The archive of what the query selects. */
    CompletionStage<HttpResponse> exportArchive(HttpRequest request, ArchiveLayout layout, String contentType) {
        String namespace = request.parameter("tenant");
        ParameterCheck.namespace(namespace);
        ConfigSelection selection = new ConfigSelection(
                Namespace.ofNullable(namespace),
                ids(request.parameter("ids")),
                request.parameter("dataId"),
                request.parameter("group"),
                request.parameter("appName"));
        return transfer.exportArchive(
                        selection, layout, RequestCaller.of(request).principal()::mayRead)
                .thenApply(file -> HttpResponse.status(200)
                        .header(
                                "Content-Disposition",
                                "attachment;filename=nacos_config_export_"
                                        + FILE_TIME.format(clock.instant().atZone(ZoneId.systemDefault())) + ".zip")
                        .contentType(contentType)
                        .body(new FileBody(file.path(), file.sizeBytes(), reader, file::close)));
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

    /** Stores what is in the file of the form. */
    CompletionStage<TransferReport> importArchive(HttpRequest request) {
        return transfer.importArchive(file(request), target(request, request.parameter("namespace")));
    }

    private static byte[] file(HttpRequest request) {
        byte[] file = request.file("file");
        if (file == null) {
            throw new TransferException(TransferException.Fault.NO_CONFIGURATION, "The form has no file 'file'");
        }
        return file;
    }

    /** Copies what the JSON body lists. */
    CompletionStage<TransferReport> copy(HttpRequest request) {
        TransferTarget target = target(request, request.parameter("tenant"));
        return transfer.copy(CopyItems.read(request.body()), target);
    }

    private static TransferTarget target(HttpRequest request, @Nullable String namespace) {
        ParameterCheck.namespace(namespace);
        return new TransferTarget(
                Namespace.ofNullable(namespace),
                ConflictPolicy.of(request.parameter("policy")),
                ConfigForm.validates(request),
                ConfigEndpoints.by(request));
    }

    /** What became of it, as all versions say it: lists only where there is something in them. */
    static void report(JsonOutput out, TransferReport report) {
        keys(out, "skipData", report.skipped());
        out.number("succCount", report.stored());
        if (!report.unrecognized().isEmpty()) {
            out.number("unrecognizedCount", report.unrecognized().size());
        }
        keys(out, "failData", report.failed());
        out.number("skipCount", report.skipped().size());
        if (!report.unrecognized().isEmpty()) {
            out.objects("unrecognizedData", report.unrecognized(), (entry, item) -> item.text("itemName", entry.name())
                    .text("reason", entry.reason()));
        }
    }

    private static void keys(JsonOutput out, String name, List<ConfigKey> keys) {
        if (!keys.isEmpty()) {
            out.objects(
                    name, keys, (key, item) -> item.text("dataId", key.dataId()).text("group", key.group()));
        }
    }
}
