package io.cairn.server.http.config;

import io.cairn.api.config.Namespace;
import io.cairn.server.config.Author;
import io.cairn.server.config.transfer.ArchiveLayout;
import io.cairn.server.config.transfer.ConfigSelection;
import io.cairn.server.config.transfer.ConfigTransfer;
import io.cairn.server.config.transfer.ConflictPolicy;
import io.cairn.server.config.transfer.TransferException;
import io.cairn.server.config.transfer.TransferTarget;
import io.cairn.server.http.FileBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.RequestCaller;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Export, import and copies of configurations, for requests of versions 1 and 3. Thread-safe; nothing blocks. */
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

    /** The transfer itself. */
    public ConfigTransfer transfer() {
        return transfer;
    }

    /**
     * The archive of the selected configurations that the caller may read.
     *
     * @param response with the headers of the version
     */
    public CompletionStage<HttpResponse> export(
            ConfigSelection selection,
            ArchiveLayout layout,
            HttpRequest http,
            HttpResponse.Builder response,
            String contentType) {
        return transfer.exportArchive(selection, layout, RequestCaller.of(http).principal()::mayRead)
                .thenApply(file -> response.header(
                                "Content-Disposition",
                                "attachment;filename=nacos_config_export_"
                                        + FILE_TIME.format(clock.instant().atZone(ZoneId.systemDefault())) + ".zip")
                        .contentType(contentType)
                        .body(new FileBody(file.path(), file.sizeBytes(), reader, file::close)));
    }

    /** @throws TransferException when the form of an import has no file */
    public static byte[] file(HttpRequest request) {
        byte[] file = request.file("file");
        if (file == null) {
            throw new TransferException(TransferException.Fault.NO_CONFIGURATION, "The form has no file 'file'");
        }
        return file;
    }

    /** The namespace that configurations go to, with the policy and the validation that a request asks for. */
    public static TransferTarget target(HttpRequest request, Namespace namespace, Author by) {
        return new TransferTarget(
                namespace, ConflictPolicy.of(request.parameter("policy")), ConfigForm.validates(request), by);
    }
}
