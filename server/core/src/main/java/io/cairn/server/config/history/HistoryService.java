package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.Page;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.validation.ValidatedPublishing;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads former states of configurations and restores them. Thread-safe; nothing here blocks. Reads fail with
 * {@code BUSY} or {@code UNAVAILABLE}.
 */
public final class HistoryService {

    /** Maximum entries of a history page; larger pages are cut to this size, as Nacos does. */
    public static final int MAX_PAGE = 500;

    private final HistoryStore store;
    private final ConfigService configs;
    private final ValidatedPublishing publishing;
    private final ReadPool reads;
    private final Duration kept;
    private final Clock clock;

    public HistoryService(
            HistoryStore store,
            ConfigService configs,
            ValidatedPublishing publishing,
            ReadPool reads,
            Duration kept,
            Clock clock) {
        this.store = store;
        this.configs = configs;
        this.publishing = publishing;
        this.reads = reads;
        this.kept = kept;
        this.clock = clock;
    }

    /** The changes of that configuration and of its gray releases, newest first, without contents. */
    public CompletionStage<Page<HistoryEntry>> list(ConfigKey key, PageRequest page) {
        return reads.read(() -> store.list(key, page.atMost(MAX_PAGE)));
    }

    /** The entry with that id and its content. It may be of any configuration: the caller compares the key. */
    public CompletionStage<Optional<HistoryEntry>> find(long id) {
        return reads.read(() -> store.find(id));
    }

    /**
     * The newest entry of the configuration with its content: the state before the last change.
     *
     * @param configId the id of the configuration's row. If the row belongs to another configuration, the entry is of
     *     that other one: the caller compares the key
     */
    public CompletionStage<Optional<HistoryEntry>> previous(ConfigKey key, long configId) {
        return reads.read(() -> store.newest(key, configId).or(() -> store.newestOfRow(configId)));
    }

    /**
     * The content that all clients got at that time; empty if there was no such configuration.
     *
     * @return fails as {@link #mustReachBack} does
     */
    public CompletionStage<Optional<PastContent>> at(ConfigKey key, Instant time) {
        return mustReachBack(key, time).thenCompose(reached -> takenOrPresent(key, () -> store.oldestAfter(key, time)));
    }

    /** The content that all clients got after the update that this entry records; empty if it is not known. */
    public CompletionStage<Optional<PastContent>> leftBehind(HistoryEntry entry) {
        return takenOrPresent(entry.key(), () -> store.next(entry.key(), entry.id()));
    }

    /** The content that the next change replaced; the current content if there is no next change. */
    private CompletionStage<Optional<PastContent>> takenOrPresent(
            ConfigKey key, Supplier<Optional<HistoryEntry>> next) {
        return reads.read(next)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(taken(found.get()))
                        // A change between the two reads would return the new content as the old one. In that case the
                        // history has the entry by now, so it is read once more.
                        : present(key).thenCompose(now -> reads.read(next)
                                .thenApply(meanwhile -> meanwhile.isPresent() ? taken(meanwhile.get()) : now)));
    }

    /** The content that the change replaced. */
    private static Optional<PastContent> taken(HistoryEntry change) {
        String content = change.content();
        return change.operation() == HistoryOperation.INSERT || content == null
                ? Optional.empty()
                : Optional.of(new PastContent(
                        content,
                        change.md5() == null ? ContentDigest.of(content).toString() : change.md5()));
    }

    private CompletionStage<Optional<PastContent>> present(ConfigKey key) {
        ConfigEntry entry = configs.find(key);
        if (entry == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ConfigVersion version = configs.resident(entry);
        CompletionStage<Optional<ConfigVersion>> found = version == null
                ? configs.load(entry, () -> configs.find(key))
                : CompletableFuture.completedFuture(Optional.of(version));
        return found.thenApply(stored -> stored.map(present -> new PastContent(
                new String(present.utf8(), StandardCharsets.UTF_8),
                present.entry().digest().toString())));
    }

    /**
     * Refuses a time for which the history of the configuration may be incomplete, because older entries may have been
     * deleted. A time within the retention period is always accepted, and so is a configuration that has an entry at or
     * before that time.
     *
     * @return fails with {@code NOT_FOUND}, naming the time and the retention period
     */
    public CompletionStage<Void> mustReachBack(ConfigKey key, Instant time) {
        if (!time.isBefore(clock.instant().minus(kept))) {
            return CompletableFuture.completedFuture(null);
        }
        // The oldest entries are deleted first. So an entry at or before that time proves that all later ones exist.
        return reads.read(() -> store.oldestAfter(key, Instant.EPOCH)).thenAccept(oldest -> {
            boolean reaches = oldest.isPresent() && !oldest.get().at().isAfter(time);
            ConfigEntry present = configs.find(key);
            boolean unchanged =
                    oldest.isEmpty() && present != null && present.lastModifiedMillis() <= time.toEpochMilli();
            if (!reaches && !unchanged) {
                throw new CairnException(
                        ErrorCode.NOT_FOUND,
                        "time: " + time + ": the history of " + key + " does not reach back to it (kept: "
                                + kept.toDays() + " days)");
            }
        });
    }

    /**
     * Undoes the change that this entry records and all later ones: publishes the content that an update or a delete
     * removed, and deletes a configuration that an insert added. This is a normal change with a history entry of its
     * own.
     *
     * @param key the configuration of the entry
     * @param expectedMd5 the expected md5 of the current content, or of the gray release that the entry is about; null
     *     for any. A gray release that does not exist any more is restored whatever the value
     * @param validate whether an invalid content is refused, whatever the server's setting
     * @return fails with a {@link CairnException}: {@code NOT_FOUND} if there is no such entry,
     *     {@code INVALID_PARAMETER} if it is of another configuration, or its content is refused, {@code CONFLICT} if
     *     the current content is not the expected one, and as a publish does
     */
    public CompletionStage<RolledBack> rollback(
            ConfigKey key, long id, @Nullable String expectedMd5, boolean validate, Author by) {
        return find(id).thenCompose(found -> {
            HistoryEntry entry = found.orElseThrow(
                    () -> new CairnException(ErrorCode.NOT_FOUND, "nid: " + id + ": there is no such history entry"));
            if (!entry.key().equals(key)) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, "nid: " + id + ": the history entry is not of " + key);
            }
            return undo(entry, expectedMd5, validate, by).thenApply(change -> new RolledBack(entry, change));
        });
    }

    private CompletionStage<Optional<ConfigChanged>> undo(
            HistoryEntry entry, @Nullable String expectedMd5, boolean validate, Author by) {
        Condition condition = expectedMd5 == null ? Condition.NONE : Condition.digest(expectedMd5);
        if (entry.operation() == HistoryOperation.INSERT) {
            return apply(
                    new ConfigEdit.Remove(new RemoveConfig(entry.key(), entry.grayName(), by), condition), validate);
        }
        return entry.grayName() == null
                ? apply(new ConfigEdit.Put(publish(entry, null, by), condition), validate)
                : publishing
                        .publish(publish(entry, expectedMd5, by), validate)
                        .thenApply(result -> Optional.of(change(result)));
    }

    private CompletionStage<Optional<ConfigChanged>> apply(ConfigEdit edit, boolean validate) {
        return publishing
                .apply(new ChangeSet(List.of(edit), ChangeSet.Mode.ALL_OR_NOTHING), validate)
                .thenApply(result -> {
                    result.conflicts().forEach(conflict -> {
                        throw changedMeanwhile(conflict.actual());
                    });
                    return result.changes().stream().findFirst();
                });
    }

    private static PublishConfig publish(HistoryEntry entry, @Nullable String expectedMd5, Author by) {
        String content = entry.content();
        byte[] utf8 = (content == null ? "" : content).getBytes(StandardCharsets.UTF_8);
        ExtInfo info = ExtInfo.of(entry);
        GrayRule rule = entry.grayName() == null ? null : info.rule(entry.grayName());
        return new PublishConfig(
                entry.key(), utf8, ContentDigest.of(utf8), expectedMd5, info.attributes(entry), rule, by);
    }

    private static ConfigChanged change(PublishResult result) {
        return result.fold(PublishResult.Published::change, conflict -> {
            throw changedMeanwhile(conflict.actual());
        });
    }

    private static CairnException changedMeanwhile(Optional<ContentDigest> actual) {
        return new CairnException(
                ErrorCode.CONFLICT,
                "The configuration has changed meanwhile; its md5 is "
                        + actual.map(ContentDigest::toString).orElse("none"));
    }
}
