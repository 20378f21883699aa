package io.cairn.server.http.v3;

import io.cairn.server.auth.Caller;
import io.cairn.server.backup.BackupService;
import io.cairn.server.backup.Manifest;
import io.cairn.server.http.FileBody;
import io.cairn.server.http.HttpRequest;
import io.cairn.server.http.HttpResponse;
import io.cairn.server.http.route.ContainerErrors;
import io.cairn.server.http.route.Endpoints;
import io.cairn.server.http.route.Form;
import io.cairn.server.http.route.HttpRoute;
import io.cairn.server.http.route.Operation;
import io.cairn.server.http.route.Parameter;
import io.cairn.server.http.route.RequestCaller;
import io.cairn.server.http.route.Right;
import java.nio.file.Path;
import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** {@code /v3/admin/core/backup} and {@code restore}: the whole store as one file. */
public final class BackupEndpoints {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final Operation<BackupRequest> BACKUP = Operation.of(BackupRequest.FORM)
            .needs(Right.admin())
            .answers("string")
            .as(Operation.Wrapping.FILE)
            .says("Creates a backup of all stored data, as a snapshot");
    private static final Operation<RestoreRequest> RESTORE = Operation.of(RestoreRequest.FORM)
            .needs(Right.admin())
            .answers(Restored.class)
            .says("Replaces all stored data by a backup, or only verifies the backup");

    private final BackupService backups;
    private final Endpoints endpoints;
    private final Clock clock;
    private final Executor disk;

    /** @param disk a small bounded pool for archives */
    public BackupEndpoints(BackupService backups, ContainerErrors container, Clock clock, Executor disk) {
        this.backups = backups;
        this.endpoints = new Endpoints(V3.errors(container));
        this.clock = clock;
        this.disk = disk;
    }

    private record BackupRequest(boolean withHistory, boolean withAudit) {

        private static final Parameter<Boolean> HISTORY =
                Parameter.flag("history", "With the history of configurations").orElse(true);
        private static final Parameter<Boolean> AUDIT =
                Parameter.flag("audit", "With the audit log").orElse(false);

        static final Form<BackupRequest> FORM =
                Form.of(HISTORY, AUDIT).as(request -> new BackupRequest(HISTORY.of(request), AUDIT.of(request)));
    }

    /**
     * @param overwrite whether to replace stored data
     * @param dryRun whether to verify only
     */
    private record RestoreRequest(boolean overwrite, boolean dryRun) {

        private static final Parameter<Boolean> OVERWRITE =
                Parameter.flag("overwrite", "Replaces data that is stored").orElse(false);
        private static final Parameter<Boolean> DRY_RUN = Parameter.flag(
                        "dryRun", "Verifies the backup and restores nothing")
                .orElse(false);

        static final Form<RestoreRequest> FORM = Form.of(OVERWRITE, DRY_RUN)
                .as(request -> new RestoreRequest(OVERWRITE.of(request), DRY_RUN.of(request)))
                .with(Form.Body.UPLOAD);
    }

    /** The restored or verified archive. */
    record Restored(boolean restored, boolean accounts, int version, String cairn, String at, List<Section> sections) {

        record Section(String name, long rows) {}
    }

    public List<HttpRoute> adminRoutes() {
        return List.of(
                endpoints.get("/v3/admin/core/backup", BACKUP, this::backup).longPoll(),
                endpoints.post("/v3/admin/core/restore", RESTORE, this::restore).longPoll());
    }

    private CompletionStage<HttpResponse> backup(BackupRequest request, HttpRequest http) {
        return backups.create(request.withHistory, request.withAudit, RequestCaller.of(http))
                .thenApply(backup -> V3.ENVELOPE
                        .start(200)
                        .header(
                                "Content-Disposition",
                                "attachment;filename=cairn-backup-" + STAMP.format(clock.instant()) + ".zip")
                        .contentType("application/octet-stream")
                        .body(new FileBody(backup.file(), backup.sizeBytes(), disk, backup::delete)));
    }

    private CompletionStage<HttpResponse> restore(RestoreRequest request, HttpRequest http) {
        Caller by = RequestCaller.of(http);
        return backups.checkRoom(request.overwrite || request.dryRun)
                .thenApply(room -> backups.newFile())
                .thenCompose(file -> received(http, file)
                        .thenCompose(done -> backups.restore(file, request.overwrite, request.dryRun, by)))
                .thenApply(manifest -> V3.ENVELOPE.written(restored(manifest, request.dryRun)));
    }

    private CompletionStage<Void> received(HttpRequest request, Path file) {
        CompletionStage<Void> body = request.receive(file, disk);
        return body.handle((done, failure) -> failure == null
                        ? CompletableFuture.<Void>completedFuture(null)
                        : forgotten(file).<Void>thenCompose(gone -> CompletableFuture.failedFuture(failure)))
                .thenCompose(outcome -> outcome);
    }

    /** Deletes the file off the event loop, where a body ends. */
    private CompletableFuture<Void> forgotten(Path file) {
        try {
            return CompletableFuture.runAsync(() -> BackupService.forget(file), disk);
        } catch (RejectedExecutionException e) {
            // Better to block once than to leave the file.
            BackupService.forget(file);
            return CompletableFuture.completedFuture(null);
        }
    }

    private Restored restored(Manifest manifest, boolean dryRun) {
        return new Restored(
                !dryRun,
                backups.withAccounts(),
                manifest.version(),
                manifest.cairn(),
                manifest.at().toString(),
                manifest.sections().stream()
                        .map(section -> new Restored.Section(section.name(), section.rows()))
                        .toList());
    }
}
