package io.cairn.server.config.history;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.admission.MemoryLease;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.GrayRule;
import io.cairn.server.config.PageRequest;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.ReadPool;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.RowPage;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import io.cairn.server.config.query.ConfigQueries;
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
 * Reads and restores former states of configurations. Does not block. Reads fail with {@code BUSY} or {@code UNAVAILABLE};
 * {@code BUSY} also without room for a large content, whose memory the request's lease takes.
 */
public final class HistoryService {

    /** Most entries of a page. */
    static final int MAX_PAGE = 10_000;

    private final HistoryStore store;
    private final ConfigService configs;
    private final ValidatedPublishing publishing;
    private final ConfigQueries queries;
    private final ReadPool reads;
    private final Duration kept;
    private final Clock clock;

    public HistoryService(
            HistoryStore store,
            ConfigService configs,
            ValidatedPublishing publishing,
            ConfigQueries queries,
            ReadPool reads,
            Duration kept,
            Clock clock) {
        this.store = store;
        this.configs = configs;
        this.publishing = publishing;
        this.queries = queries;
        this.reads = reads;
        this.kept = kept;
        this.clock = clock;
    }

    /**
     * The changes of the configuration and its gray releases, newest first, without contents. Fails with {@code INVALID_PARAMETER}
     * for a page beyond a response, because a cut page would look complete.
     */
    public CompletionStage<RowPage<HistoryEntry>> list(ConfigKey key, PageRequest page, MemoryLease lease) {
        return reads.read(() -> {
            long total = store.count(key);
            page.mustFit(MAX_PAGE, total, "changes");
            return RowPage.of(page, total, store.list(key, page).begun(lease));
        });
    }

    /** The entry with its content, of any configuration: the caller compares the key. */
    public CompletionStage<Optional<HistoryEntry>> find(long id, MemoryLease lease) {
        return reads.read(() -> store.find(id, lease));
    }

    /**
     * The newest entry with its content: the state before the last change.
     *
     * @param configId the configuration's row. Of another configuration's row the entry is that one's: the caller compares the key
     */
    public CompletionStage<Optional<HistoryEntry>> previous(ConfigKey key, long configId, MemoryLease lease) {
        return reads.read(() -> store.newest(key, configId, lease).or(() -> store.newestOfRow(configId, lease)));
    }

    /**
     * The content for all clients at that time.
     *
     * @return fails as {@link #mustReachBack}
     */
    public CompletionStage<Optional<PastContent>> at(ConfigKey key, Instant time, MemoryLease lease) {
        return mustReachBack(key, time)
                .thenCompose(reached -> takenOrPresent(key, () -> store.oldestAfter(key, time, lease), lease));
    }

    /** The content for all clients after the entry's update; empty if unknown. */
    public CompletionStage<Optional<PastContent>> leftBehind(HistoryEntry entry, MemoryLease lease) {
        return takenOrPresent(entry.key(), () -> store.next(entry.key(), entry.id(), lease), lease);
    }

    /** The content replaced by the next change, or the current one. */
    private CompletionStage<Optional<PastContent>> takenOrPresent(
            ConfigKey key, Supplier<Optional<HistoryEntry>> next, MemoryLease lease) {
        return reads.read(next)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(taken(found.get()))
                        // A change between the two reads would return the new content as the old one. The history has
                        // the entry by now, so read it again.
                        : present(key, lease).thenCompose(now -> reads.read(next)
                                .thenApply(meanwhile -> meanwhile.isPresent() ? taken(meanwhile.get()) : now)));
    }

    private static Optional<PastContent> taken(HistoryEntry change) {
        String content = change.content();
        return change.operation() == HistoryOperation.INSERT || content == null
                ? Optional.empty()
                : Optional.of(new PastContent(
                        content,
                        change.md5() == null ? ContentDigest.of(content).toString() : change.md5()));
    }

    private CompletionStage<Optional<PastContent>> present(ConfigKey key, MemoryLease lease) {
        ConfigEntry entry = configs.find(key);
        if (entry == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ConfigVersion version = configs.resident(entry);
        CompletionStage<Optional<ConfigVersion>> found = version == null
                ? configs.load(entry, () -> configs.find(key))
                : CompletableFuture.completedFuture(Optional.of(version));
        return found.thenApply(stored -> stored.map(present -> {
            lease.reserveContent(present.length());
            return new PastContent(
                    new String(present.utf8(), StandardCharsets.UTF_8),
                    present.entry().digest().toString());
        }));
    }

    /**
     * Refuses a time for which entries may have been deleted. Accepts times within the retention period, and configurations with an
     * entry at or before the time.
     *
     * @return fails with {@code NOT_FOUND}, with time and retention period
     */
    public CompletionStage<Void> mustReachBack(ConfigKey key, Instant time) {
        if (!time.isBefore(clock.instant().minus(kept))) {
            return CompletableFuture.completedFuture(null);
        }
        // The oldest entries are deleted first, so an entry at or before that time proves that all later ones exist.
        return reads.read(() -> store.oldest(key)).thenAccept(oldest -> {
            boolean reaches = oldest.isPresent() && !oldest.get().isAfter(time);
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
     * Undoes the entry's change and all later ones: publishes the content removed by an update or delete, or deletes an inserted
     * configuration. A normal change with its own history entry.
     *
     * @param key of the entry
     * @param expectedMd5 of the current content, or of the entry's gray release; null for any. An absent gray release is restored
     *     anyway
     * @param validate whether to refuse an invalid content, whatever the server's setting
     * @param lease reserves the memory of a large content
     * @return fails with a {@link CairnException}: {@code NOT_FOUND} without such an entry, {@code INVALID_PARAMETER} for another
     *     configuration's or a refused content, {@code CONFLICT} for an unexpected current content, and as a publish
     */
    public CompletionStage<RolledBack> rollback(
            ConfigKey key, long id, @Nullable String expectedMd5, boolean validate, Author by, MemoryLease lease) {
        return find(id, lease).thenCompose(found -> {
            HistoryEntry entry = found.orElseThrow(
                    () -> new CairnException(ErrorCode.NOT_FOUND, "nid: " + id + ": there is no such history entry"));
            if (!entry.key().equals(key)) {
                throw new CairnException(
                        ErrorCode.INVALID_PARAMETER, "nid: " + id + ": the history entry is not of " + key);
            }
            return attributes(entry, lease)
                    .thenCompose(attributes -> undo(entry, attributes, expectedMd5, validate, by))
                    .thenApply(change -> new RolledBack(entry, change));
        });
    }

    private CompletionStage<ConfigAttributes> attributes(HistoryEntry entry, MemoryLease lease) {
        ExtInfo info = ExtInfo.of(entry);
        return info.isEmpty()
                ? queries.attributes(entry.key(), lease).thenApply(stored -> ExtInfo.present(entry, stored))
                : CompletableFuture.completedFuture(info.attributes(entry));
    }

    private CompletionStage<Optional<ConfigChanged>> undo(
            HistoryEntry entry,
            ConfigAttributes attributes,
            @Nullable String expectedMd5,
            boolean validate,
            Author by) {
        Condition condition = expectedMd5 == null ? Condition.NONE : Condition.digest(expectedMd5);
        if (entry.operation() == HistoryOperation.INSERT) {
            return apply(
                    new ConfigEdit.Remove(new RemoveConfig(entry.key(), entry.grayName(), by), condition), validate);
        }
        return entry.grayName() == null
                ? apply(new ConfigEdit.Put(publish(entry, attributes, null, by), condition), validate)
                : publishing
                        .publish(publish(entry, attributes, expectedMd5, by), validate)
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

    private static PublishConfig publish(
            HistoryEntry entry, ConfigAttributes attributes, @Nullable String expectedMd5, Author by) {
        String content = entry.content();
        byte[] utf8 = (content == null ? "" : content).getBytes(StandardCharsets.UTF_8);
        GrayRule rule = entry.grayName() == null ? null : ExtInfo.of(entry).rule(entry.grayName());
        return new PublishConfig(entry.key(), utf8, ContentDigest.of(utf8), expectedMd5, attributes, rule, by);
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
