package io.cairn.server.backup;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.auth.AuditRecord;
import io.cairn.server.auth.AuditStore;
import io.cairn.server.auth.Caller;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Archives the whole store, and restores it. Never blocks, except {@link #newFile}. */
public final class BackupService {

    private static final Logger log = LoggerFactory.getLogger(BackupService.class);

    private final BackupStore store;
    private final AuditStore audit;
    private final boolean withAccounts;
    private final Runnable reloadAccounts;
    private final String version;
    private final Path scratch;
    private final Clock clock;
    private final Executor worker;

    /**
     * @param withAccounts whether to include users, roles, permissions and tokens. False without authentication: any caller could
     *     read the hashes, or add an account
     * @param reloadAccounts blocks
     * @param version of the server
     * @param scratch a folder for archives
     * @param worker a single thread, because archives take long
     */
    public BackupService(
            BackupStore store,
            AuditStore audit,
            boolean withAccounts,
            Runnable reloadAccounts,
            String version,
            Path scratch,
            Clock clock,
            Executor worker) {
        this.store = store;
        this.audit = audit;
        this.withAccounts = withAccounts;
        this.reloadAccounts = reloadAccounts;
        this.version = version;
        this.scratch = scratch;
        this.clock = clock;
        this.worker = worker;
    }

    /** A finished archive, deleted by its receiver. */
    public record Backup(Path file, long sizeBytes, Manifest manifest) {

        public void delete() {
            forget(file);
        }
    }

    public boolean withAccounts() {
        return withAccounts;
    }

    /** Fails with {@code UNAVAILABLE} if the database or the disk fails. */
    public CompletionStage<Backup> create(boolean history, boolean withAudit, Caller by) {
        BackupOptions options = new BackupOptions(history, withAudit, withAccounts);
        CompletionStage<Backup> made = later(() -> {
            Path file = newFile("backup-");
            try {
                Manifest manifest = write(options, file);
                log.info("A backup was made of {}", manifest.sections());
                return new Backup(file, Files.size(file), manifest);
            } catch (IOException | UncheckedIOException e) {
                forget(file);
                throw noScratch(e);
            } catch (RuntimeException e) {
                forget(file);
                throw e;
            }
        });
        return made.thenCompose(backup -> audit.append(AuditRecord.of(by, "backup.create", "*")
                        .withDetail(options.history() ? "with history" : "without history"))
                .handle((done, failure) -> {
                    if (failure != null) {
                        backup.delete();
                        throw new CompletionException(failure);
                    }
                    return backup;
                }));
    }

    private Manifest write(BackupOptions options, Path file) throws IOException {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16);
                BackupWriter writer = new BackupWriter(out, version, clock.instant())) {
            store.write(options, writer);
            return writer.finish();
        }
    }

    /** An empty file for an upload. Blocks briefly. */
    public Path newFile() {
        return newFile("restore-");
    }

    private Path newFile(String prefix) {
        try {
            return Files.createTempFile(scratch, prefix, ".zip");
        } catch (IOException e) {
            throw noScratch(e);
        }
    }

    /** Fails with {@code CONFLICT} if the server is not empty and {@code overwrite} is false. */
    public CompletionStage<Void> checkRoom(boolean overwrite) {
        return later(() -> {
            List<String> occupied = overwrite ? List.of() : store.occupied(new RestoreOptions(false, withAccounts));
            if (!occupied.isEmpty()) {
                throw occupied(occupied);
            }
            return null;
        });
    }

    public static CairnException occupied(List<String> sections) {
        return new CairnException(
                ErrorCode.CONFLICT,
                "The server is not empty, it holds " + String.join(", ", sections)
                        + " (expected: an empty one, or overwrite=true to have the archive take the place of all that)");
    }

    /**
     * Verifies an archive, restores it unless it is a dry run, and always deletes the file.
     *
     * @return fails, without a change, with {@code INVALID_PARAMETER} for a damaged archive, and as {@link #checkRoom}
     */
    public CompletionStage<Manifest> restore(Path file, boolean overwrite, boolean dryRun, Caller by) {
        return later(() -> {
                    try (BackupArchive archive = BackupArchive.open(file)) {
                        archive.verify(store.sections());
                        if (!dryRun) {
                            restore(archive, overwrite, by);
                        }
                        return archive.manifest();
                    } catch (IOException e) {
                        throw noScratch(e);
                    }
                })
                .whenComplete((done, failure) -> forget(file));
    }

    private void restore(BackupArchive archive, boolean overwrite, Caller by) {
        AuditRecord entry = AuditRecord.of(by, "backup.restore", "*")
                .withDetail("of " + archive.manifest().at() + ", made by "
                        + archive.manifest().cairn());
        store.restore(archive, new RestoreOptions(overwrite, withAccounts), entry)
                .toCompletableFuture()
                .join();
        try {
            reloadAccounts.run();
        } catch (CairnException e) {
            // The restore has succeeded, and accounts are read periodically.
            log.warn("Accounts could not be read after a restore; the next periodic read retries it", e);
        }
        log.warn(
                "An archive of {} was restored: {}",
                archive.manifest().at(),
                archive.manifest().sections().stream()
                        .filter(section -> section.rows() > 0)
                        .map(section -> section.rows() + " " + section.name())
                        .collect(Collectors.joining(", ")));
    }

    private <R> CompletionStage<R> later(Supplier<R> work) {
        try {
            return CompletableFuture.supplyAsync(work, worker);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.BUSY, "Too many archives are waiting; try again shortly", e));
        }
    }

    private CairnException noScratch(Exception failure) {
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "The archive cannot be kept in " + scratch + ": " + failure.getMessage(),
                failure);
    }

    public static void forget(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            log.warn("{} cannot be deleted; it is no longer needed", file, e);
        }
    }
}
