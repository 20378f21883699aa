package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigDraft;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ParameterCheck;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.transfer.TransferException.Fault;
import io.cairn.server.config.validation.ContentChecks;
import io.cairn.server.config.validation.Finding;
import io.cairn.server.config.validation.LateValidation;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Exports, imports and copies configurations in bulk. They are published like others: with history, notices and limits. An archive
 * is checked completely first. Stores in groups; after a failure of the database, earlier groups stay. Does not block the caller.
 */
public final class ConfigTransfer {

    private final TransferStore store;
    private final ChangeSetStore changes;
    private final ConfigLimits limits;
    private final ArchiveLimits archiveLimits;
    private final ExistingConfigs existing;
    private final ContentChecks checks;
    private final LateValidation late;
    private final Path scratch;
    private final Executor worker;

    /**
     * @param checks of contents before the store
     * @param late logs the problems of stored contents
     * @param scratch an existing folder for archives
     * @param worker a small bounded pool, because the work blocks
     */
    public ConfigTransfer(
            TransferStore store,
            ChangeSetStore changes,
            ConfigLimits limits,
            ExistingConfigs existing,
            ContentChecks checks,
            LateValidation late,
            Path scratch,
            Executor worker) {
        this.store = store;
        this.changes = changes;
        this.limits = limits;
        this.archiveLimits = ArchiveLimits.of(limits.maxContentBytes());
        this.existing = existing;
        this.checks = checks;
        this.late = late;
        this.scratch = scratch;
        this.worker = worker;
    }

    /**
     * Fails with {@code BUSY} or {@code UNAVAILABLE}.
     *
     * @param readable selects the configurations to include
     */
    public CompletionStage<TransferFile> exportArchive(
            ConfigSelection selection, ArchiveLayout layout, Predicate<ConfigKey> readable) {
        return later(() -> {
            try {
                return write(selection, layout, readable);
            } catch (IOException e) {
                throw noScratch(e);
            }
        });
    }

    private TransferFile write(ConfigSelection selection, ArchiveLayout layout, Predicate<ConfigKey> readable)
            throws IOException {
        Path file = Files.createTempFile(scratch, "export-", ".zip");
        boolean done = false;
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 64 * 1024)) {
            try (ArchiveWriter archive = new ArchiveWriter(out, layout)) {
                store.forEach(selection, config -> {
                    try {
                        if (readable.test(config.key())) {
                            archive.add(config);
                        }
                    } catch (IOException e) {
                        throw noScratch(e);
                    }
                });
            }
            done = true;
        } finally {
            if (!done) {
                Files.deleteIfExists(file);
            }
        }
        return new TransferFile(file, Files.size(file));
    }

    /**
     * Stores the configurations of an archive of either layout.
     *
     * @return fails with a {@link io.cairn.server.auth.DeniedException} without the right to all, and with a
     *     {@link TransferException} if nothing was stored; after {@code BUSY} or {@code UNAVAILABLE} some may be stored
     */
    public CompletionStage<TransferReport> importArchive(byte[] archive, TransferTarget target) {
        return later(() -> read(archive, target, reader -> {
            TransferStorage into = storage(target);
            // Checks all before the first is stored, and leaves out unpublishable ones.
            reader.forEach(config -> mustBeInOrder(publish(config, target), target));
            reader.forEach(config -> into.add(publish(config, target)));
            return into.report(reader.unrecognized());
        }));
    }

    /** The outcome of {@link #importArchive} now. */
    public CompletionStage<TransferPreview> previewImport(byte[] archive, TransferTarget target) {
        return later(() -> read(archive, target, reader -> {
            TransferComparison comparison = comparison(target);
            reader.forEach(config -> comparison.add(publish(config, target)));
            return comparison.preview(reader.unrecognized());
        }));
    }

    private TransferStorage storage(TransferTarget target) {
        boolean tell = checks.validates(false) && !checks.refuse(target.validate());
        return new TransferStorage(changes, target.policy(), config -> {
            if (tell) {
                late.validateNow(config);
            }
        });
    }

    private TransferComparison comparison(TransferTarget target) {
        return new TransferComparison(
                existing::current,
                target.policy(),
                target.by()::mayRead,
                config -> checks.findAny(config, target.validate()),
                finding -> checks.refuses(finding, target.validate()));
    }

    private void mustBeInOrder(PublishConfig config, TransferTarget target) {
        Optional<Finding> finding = checks.refusal(config, target.validate());
        if (finding.isPresent()) {
            throw new TransferException(
                    Fault.ILLEGAL_CONFIG,
                    config.key().group() + '/' + config.key().dataId() + ": "
                            + finding.get().words());
        }
    }

    private interface ArchiveWork<R> {
        R run(ArchiveReader reader);
    }

    private <R> R read(byte[] archive, TransferTarget target, ArchiveWork<R> work) {
        mustExist(target.namespace());
        try {
            Path file = Files.createTempFile(scratch, "import-", ".zip");
            try {
                Files.write(file, archive);
                try (ArchiveReader reader = ArchiveReader.open(file, archiveLimits)) {
                    return work.run(reader);
                }
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw noScratch(e);
        }
    }

    /** @throws NotPublishable if the publish would be refused for any caller */
    private PublishConfig publish(ArchiveReader.ArchivedConfig config, TransferTarget target) throws NotPublishable {
        String namespace = target.namespace().id();
        try {
            ParameterCheck.config(config.dataId(), config.group(), null);
            target.by().mustMayWrite(ConfigDraft.key(config.dataId(), config.group(), namespace));
            return ConfigDraft.named(config.dataId(), config.group(), namespace)
                    .content(config.content())
                    .attributes(config.attributes())
                    .build()
                    .check(limits, target.by());
        } catch (CairnException e) {
            if (e.code() != ErrorCode.INVALID_PARAMETER) {
                throw e;
            }
            throw new NotPublishable(e.text());
        }
    }

    /**
     * Copies configurations with attributes and tags to a namespace. Unreadable ones count as absent.
     *
     * @return fails with a {@link io.cairn.server.auth.DeniedException} without the right to store all, and with a
     *     {@link TransferException} without a selected, existing configuration
     */
    public CompletionStage<TransferReport> copy(List<CopyItem> items, TransferTarget target) {
        return later(() -> {
            TransferStorage into = storage(target);
            if (mayBeRefused(target)) {
                forEachCopy(items, target, config -> mustBeInOrder(config, target));
            }
            forEachCopy(items, target, into::add);
            return into.report(List.of());
        });
    }

    /** The outcome of {@link #copy} now. */
    public CompletionStage<TransferPreview> previewCopy(List<CopyItem> items, TransferTarget target) {
        return later(() -> {
            TransferComparison comparison = comparison(target);
            forEachCopy(items, target, comparison::add);
            return comparison.preview(List.of());
        });
    }

    /** Copies all selected, readable configurations under their names. Fails as {@link #copy}. */
    public CompletionStage<TransferReport> copyAll(ConfigSelection selection, TransferTarget target) {
        return later(() -> {
            mustDiffer(selection, target);
            TransferStorage into = storage(target);
            if (mayBeRefused(target)) {
                forEachOf(selection, target, config -> mustBeInOrder(config, target));
            }
            forEachOf(selection, target, into::add);
            return into.report(List.of());
        });
    }

    /** The outcome of {@link #copyAll} now. */
    public CompletionStage<TransferPreview> previewCopyAll(ConfigSelection selection, TransferTarget target) {
        return later(() -> {
            mustDiffer(selection, target);
            TransferComparison comparison = comparison(target);
            forEachOf(selection, target, comparison::add);
            return comparison.preview(List.of());
        });
    }

    private void mustDiffer(ConfigSelection selection, TransferTarget target) {
        mustExist(target.namespace());
        if (selection.namespace().equals(target.namespace())) {
            // A copy into the same namespace would select its own copies without end.
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "namespace: '" + target.namespace() + "' is source and target (expected: two different ones)");
        }
    }

    private interface Sink {
        void add(PublishConfig config);
    }

    /** Whether all must be checked before any is stored. */
    private boolean mayBeRefused(TransferTarget target) {
        return checks.mayRefuseAny(target.validate()) || !target.by().mayDoEverything();
    }

    private void forEachOf(ConfigSelection selection, TransferTarget target, Sink sink) {
        store.forEach(selection, config -> {
            if (target.by().mayRead(config.key())) {
                sink.add(copy(config, config.key(), target));
            }
        });
    }

    private void forEachCopy(List<CopyItem> items, TransferTarget target, Sink sink) {
        if (items.isEmpty()) {
            throw new TransferException(Fault.NOTHING_SELECTED, "No configuration is selected");
        }
        mustExist(target.namespace());
        boolean[] found = {false};
        for (CopyItem item : items) {
            store.forEachOf(List.of(item.id()), config -> {
                if (target.by().mayRead(config.key())) {
                    found[0] = true;
                    String group = orElse(item.group(), config.key().group());
                    String dataId = orElse(item.dataId(), config.key().dataId());
                    ParameterCheck.config(dataId, group, null);
                    sink.add(copy(config, new ConfigKey(target.namespace(), group, dataId), target));
                }
            });
        }
        if (!found[0]) {
            throw new TransferException(Fault.NOTHING_FOUND, "None of the selected configurations is there");
        }
    }

    private static PublishConfig copy(WholeConfig config, ConfigKey to, TransferTarget target) {
        ConfigKey key = new ConfigKey(target.namespace(), to.group(), to.dataId());
        target.by().mustMayWrite(key);
        return new PublishConfig(
                key, config.utf8(), ContentDigest.of(config.utf8()), null, config.attributes(), null, target.by());
    }

    private static String orElse(@Nullable String wanted, String original) {
        return wanted == null || wanted.isBlank() ? original : wanted;
    }

    private void mustExist(Namespace namespace) {
        if (!existing.exists(namespace)) {
            throw new TransferException(Fault.NO_SUCH_NAMESPACE, "namespace '" + namespace + "' does not exist");
        }
    }

    private <R> CompletionStage<R> later(Supplier<R> work) {
        try {
            return CompletableFuture.supplyAsync(work, worker);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new CairnException(
                    ErrorCode.BUSY, "Too many exports and imports are waiting; try again shortly", e));
        }
    }

    private CairnException noScratch(IOException failure) {
        return new CairnException(
                ErrorCode.UNAVAILABLE,
                "The archive cannot be kept in " + scratch + ": " + failure.getMessage(),
                failure);
    }
}
