package io.cairn.server.http.v3;

import io.cairn.api.wire.JsonOutput;
import io.cairn.server.auth.Caller;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.Manifest;
import io.cairn.server.http.FileBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.envelope.EnvelopeErrors;
import io.cairn.server.http.naming.NamingParameters;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.OldOperation;
import io.cairn.server.http.route.RequestCaller;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** {@code /v3/admin/core/backup} and {@code restore}: all that is stored as one file, and back. */
public final class BackupEndpoints {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final BackupService backups;
    private final EnvelopeErrors errors;
    private final Clock clock;
    private final Executor disk;

    /** @param disk a small bounded pool that reads and writes archives */
    public BackupEndpoints(BackupService backups, ContainerErrors container, Clock clock, Executor disk) {
        this.backups = backups;
        this.errors = V3.errors(container);
        this.clock = clock;
        this.disk = disk;
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                HttpRoute.get("/v3/admin/core/backup", errors, this::backup)
                        .longPoll()
                        .does(OldOperation.of(
                                        "Makes an archive of all that is stored, as it is at one moment",
                                        "history:boolean audit:boolean",
                                        "string")
                                .as(OldOperation.Form.FILE)),
                HttpRoute.post("/v3/admin/core/restore", errors, this::restore)
                        .longPoll()
                        .does(OldOperation.of(
                                        "Puts an archive in the place of all that is stored, or only verifies it",
                                        "overwrite:boolean dryRun:boolean",
                                        "Restored")
                                .with(OldOperation.Body.UPLOAD)));
    }

    private CompletionStage<HttpResponse> backup(HttpRequest request) {
        return backups.create(
                        NamingParameters.flag(request, "history", true),
                        NamingParameters.flag(request, "audit", false),
                        RequestCaller.of(request))
                .thenApply(backup -> V3.ENVELOPE
                        .start(200)
                        .header(
                                "Content-Disposition",
                                "attachment;filename=cairn-backup-" + STAMP.format(clock.instant()) + ".zip")
                        .contentType("application/octet-stream")
                        .body(new FileBody(backup.file(), backup.sizeBytes(), disk, backup::delete)));
    }

    private CompletionStage<HttpResponse> restore(HttpRequest request) {
        boolean overwrite = NamingParameters.flag(request, "overwrite", false);
        boolean dryRun = NamingParameters.flag(request, "dryRun", false);
        Caller by = RequestCaller.of(request);
        return backups.checkRoom(overwrite || dryRun)
                .thenApply(room -> backups.newFile())
                .thenCompose(file ->
                        received(request, file).thenCompose(done -> backups.restore(file, overwrite, dryRun, by)))
                .thenCompose(manifest -> V3.data(json(manifest, dryRun)));
    }

    private CompletionStage<Void> received(HttpRequest request, Path file) {
        CompletionStage<Void> body = request.receive(file, disk);
        return body.handle((done, failure) -> failure == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : forgotten(file).<Void>thenCompose(gone -> CompletableFuture.failedFuture(failure)))
                .thenCompose(outcome -> outcome);
    }

    /** Deletes it off the event loop, on which the end of a body is heard of. */
    private CompletableFuture<Void> forgotten(Path file) {
        try {
            return CompletableFuture.runAsync(() -> BackupService.forget(file), disk);
        } catch (RejectedExecutionException e) {
            // Better to wait here once than to leave the file where it is.
            BackupService.forget(file);
            return CompletableFuture.completedFuture(null);
        }
    }

    private byte[] json(Manifest manifest, boolean dryRun) {
        return new JsonOutput(1024)
                .flag("restored", !dryRun)
                .flag("accounts", backups.withAccounts())
                .number("version", manifest.version())
                .text("cairn", manifest.cairn())
                .text("at", manifest.at().toString())
                .objects("sections", manifest.sections(), (section, out) -> out.text("name", section.name())
                        .number("rows", section.rows()))
                .toBytes();
    }
}
