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
 * Looks up what configurations were, and brings it back. Thread-safe; nothing here blocks. Reads fail with {@code BUSY}
 * or {@code UNAVAILABLE}.
 */
public final class HistoryService {

    /** Entries that a page of the history carries at most; larger pages are cut to this, as Nacos does. */
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

    /** The changes of that configuration and of its gray releases, the newest first, without contents. */
    public CompletionStage<Page<HistoryEntry>> list(ConfigKey key, PageRequest page) {
        return reads.read(() -> store.list(key, page.atMost(MAX_PAGE)));
    }

    /** The entry of that id with its content, of whatever configuration it is: the caller compares the key. */
    public CompletionStage<Optional<HistoryEntry>> find(long id) {
        return reads.read(() -> store.find(id));
    }

    /**
     * The newest entry of the configuration with its content: the state before the last change.
     *
     * @param configId the id of the configuration's row; where another one has it, the entry is of that other one: the
     *     caller compares the key
     */
    public CompletionStage<Optional<HistoryEntry>> previous(ConfigKey key, long configId) {
        return reads.read(() -> store.newest(key, configId).or(() -> store.newestOfRow(configId)));
    }

    /**
     * What all clients got at that time; empty when there was no such configuration.
     *
     * @return fails as {@link #mustReachBack} does
     */
    public CompletionStage<Optional<PastContent>> at(ConfigKey key, Instant time) {
        return mustReachBack(key, time).thenCompose(reached -> takenOrPresent(key, () -> store.oldestAfter(key, time)));
    }

    /** What all clients got after the change that this entry, of an update, is about; empty when it is not known. */
    public CompletionStage<Optional<PastContent>> leftBehind(HistoryEntry entry) {
        return takenOrPresent(entry.key(), () -> store.next(entry.key(), entry.id()));
    }

    /** What the next change took away; without a next one, what there is. */
    private CompletionStage<Optional<PastContent>> takenOrPresent(
            ConfigKey key, Supplier<Optional<HistoryEntry>> next) {
        return reads.read(next)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(taken(found.get()))
                        // A change between the two reads would be told as what was before it; the history has it by
                        // then.
                        : present(key).thenCompose(now -> reads.read(next)
                                .thenApply(meanwhile -> meanwhile.isPresent() ? taken(meanwhile.get()) : now)));
    }

    /** What that change took away. */
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
     * Refuses a time from which on changes of the configuration may have been forgotten: those that are older than all that
     * is kept, unless the configuration has not changed since.
     *
     * @return fails with {@code NOT_FOUND}, naming the time and for how long the history is kept
     */
    public CompletionStage<Void> mustReachBack(ConfigKey key, Instant time) {
        if (!time.isBefore(clock.instant().minus(kept))) {
            return CompletableFuture.completedFuture(null);
        }
        // What is forgotten is the oldest: an entry from before the time says that all after it are there.
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
     * Undoes the change that this entry is about, and whatever came after it: publishes what an update or a delete took
     * away, deletes what an insert brought. That is a change like any other, with an entry of its own.
     *
     * @param key that the entry must be of
     * @param expectedMd5 what the md5 of the present content, or of the gray release that the entry is about, must spell,
     *     or null for any; only a gray release that is not there any more comes back whatever is expected
     * @param validate whether a content with which something is wrong is refused, whatever is set
     * @return fails with a {@link CairnException}: {@code NOT_FOUND} without such an entry, {@code INVALID_PARAMETER}
     *     when it is of another configuration, or its content is refused, {@code CONFLICT} when the present content is not the expected one, and as
     *     a publish does
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
