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
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** Export, import and copies of configurations, for versions 1 and 3. Does not block. */
public final class TransferActions {

    /** The policy for configurations that exist in the target. */
    public static final Parameter<String> POLICY = Parameter.text(
                    "policy", "The policy for configurations that exist in the target")
            .values("ABORT", "ABORT_IF_DIFFERENT", "SKIP", "OVERWRITE")
            .orElse("ABORT");

    private static final DateTimeFormatter FILE_TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    private final ConfigTransfer transfer;
    private final Executor reader;
    private final Clock clock;

    /** @param reader a small bounded pool that reads exported archives */
    public TransferActions(ConfigTransfer transfer, Executor reader, Clock clock) {
        this.transfer = transfer;
        this.reader = reader;
        this.clock = clock;
    }

    public ConfigTransfer transfer() {
        return transfer;
    }

    /**
     * The archive of the selected, readable configurations.
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

    /** @throws TransferException for an import without a file */
    public static byte[] file(HttpRequest request) {
        byte[] file = request.file("file");
        if (file == null) {
            throw new TransferException(TransferException.Fault.NO_CONFIGURATION, "The form has no file 'file'");
        }
        return file;
    }

    /** The target namespace with the requested policy and validation. */
    public static TransferTarget target(HttpRequest request, Namespace namespace, Author by) {
        return new TransferTarget(
                namespace, ConflictPolicy.of(POLICY.orNull(request)), ConfigForm.validates(request), by);
    }
}
