package io.cairn.server.config.validation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.change.ChangeFeed;
import io.cairn.server.change.ConfigChanged;
import io.cairn.server.config.Author;
import io.cairn.server.config.ConfigAttributes;
import io.cairn.server.config.ConfigEntry;
import io.cairn.server.config.ConfigLimits;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.ConfigStore;
import io.cairn.server.config.ConfigVersion;
import io.cairn.server.config.ConfigView;
import io.cairn.server.config.ContentLoader;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.RemoveConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Publishes more contents than can be validated. */
class ValidatedPublishingTest {

    private static final Executor FULL = work -> {
        throw new RejectedExecutionException("full");
    };

    private final List<PublishConfig> stored = new ArrayList<>();

    /** A store that accepts every publish. */
    private final ConfigStore store = new ConfigStore() {
        @Override
        public CompletionStage<PublishResult> publish(PublishConfig command) {
            stored.add(command);
            return CompletableFuture.completedFuture(new PublishResult.Published(
                    new ConfigChanged(command.key(), stored.size(), Optional.empty(), Optional.of(command.digest()))));
        }

        @Override
        public CompletionStage<Optional<ConfigChanged>> remove(RemoveConfig command) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void forEachEntry(Consumer<ConfigEntry> consumer) {}

        @Override
        public Optional<ConfigVersion> load(ConfigEntry entry) {
            return Optional.empty();
        }
    };

    private final ConfigView view = new ConfigView(new ChangeFeed(), 1 << 20);
    private final ConfigService configs = new ConfigService(
            store, view, new ConfigLimits(1 << 20, 1 << 20), new ContentLoader(store, view, Runnable::run, 1, 10));

    private static PublishConfig command(String dataId, String content) {
        byte[] utf8 = content.getBytes(StandardCharsets.UTF_8);
        return new PublishConfig(
                new ConfigKey(Namespace.DEFAULT, "G", dataId),
                utf8,
                ContentDigest.of(utf8),
                null,
                ConfigAttributes.ofType(ConfigType.JSON),
                null,
                new Author("anna", "10.0.0.9"));
    }

    private ValidatedPublishing publishing(ContentChecks checks, LateValidation late, Executor pool) {
        return new ValidatedPublishing(
                configs,
                changes -> {
                    throw new UnsupportedOperationException();
                },
                checks,
                late,
                pool);
    }

    @Test
    void refusesPublishAsBusyWhenTheValidationQueueIsFull() {
        ContentChecks checks = new ContentChecks(ValidationMode.REFUSE, key -> Optional.empty(), RequiredCheck.NONE);
        try (LateValidation late = new LateValidation(checks)) {
            ValidatedPublishing publishing = publishing(checks, late, FULL);

            assertThatThrownBy(() -> publishing
                            .publish(command("a", "{}"), false)
                            .toCompletableFuture()
                            .join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .isInstanceOfSatisfying(CairnException.class, failure -> {
                        assertThat(failure.code()).isEqualTo(ErrorCode.BUSY);
                        assertThat(failure.text()).contains("try again");
                    });
            assertThatThrownBy(() -> publishing
                            .apply(
                                    new ChangeSet(
                                            List.of(new ConfigEdit.Put(command("a", "{}"), Condition.NONE)),
                                            ChangeSet.Mode.EACH),
                                    false)
                            .toCompletableFuture()
                            .join())
                    .hasRootCauseInstanceOf(RejectedExecutionException.class);
            assertThat(stored).isEmpty();
        }
    }

    /** Finds a problem with each configuration whose dataId begins with "own". */
    private static final RequiredCheck OWN = new RequiredCheck() {
        @Override
        public boolean concerns(ConfigKey key) {
            return key.dataId().startsWith("own");
        }

        @Override
        public Optional<Finding> find(PublishConfig command) {
            Problem problem = new Problem(3, 5, "a.b: is missing");
            return Optional.of(
                    new Finding(Finding.Kind.NOT_READABLE, command.attributes().type(), problem));
        }
    };

    @Test
    void refusesContentThatTheServerCannotReadInEveryMode() {
        for (ValidationMode mode : ValidationMode.values()) {
            ContentChecks checks = new ContentChecks(mode, key -> Optional.empty(), OWN);
            try (LateValidation late = new LateValidation(checks)) {
                ValidatedPublishing publishing = publishing(checks, late, Runnable::run);

                assertThatThrownBy(() -> publishing
                                .publish(command("own", "{}"), false)
                                .toCompletableFuture()
                                .join())
                        .cause()
                        .isInstanceOfSatisfying(CairnException.class, failure -> {
                            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_PARAMETER);
                            assertThat(failure.text()).isEqualTo("content: line 3, column 5: a.b: is missing");
                        });
                ChangeSet set = new ChangeSet(
                        List.of(
                                new ConfigEdit.Put(command("a", "{}"), Condition.NONE),
                                new ConfigEdit.Put(command("own", "{}"), Condition.NONE)),
                        ChangeSet.Mode.EACH);
                assertThatThrownBy(() -> publishing
                                .apply(set, false)
                                .toCompletableFuture()
                                .join())
                        .hasMessageContaining("own: content: line 3, column 5: a.b: is missing");
                assertThat(stored).isEmpty();

                publishing
                        .publish(command("other", "{}"), false)
                        .toCompletableFuture()
                        .join();
                assertThat(stored).hasSize(1);
                stored.clear();
            }
        }
    }

    @Test
    void checksOtherContentsLaterWhereOneOfASetIsCheckedBefore() {
        ContentChecks checks = new ContentChecks(ValidationMode.WARN, key -> Optional.empty(), RequiredCheck.NONE);
        PublishConfig malformed = command("a", "{");
        assertThat(checks.mayRefuse(malformed, false)).isFalse();
        assertThat(checks.refusal(malformed, false)).isEmpty();
        assertThat(checks.findAny(malformed, false))
                .hasValueSatisfying(
                        finding -> assertThat(checks.refuses(finding, false)).isFalse());
        assertThat(checks.refusal(malformed, true))
                .hasValueSatisfying(
                        finding -> assertThat(checks.refuses(finding, true)).isTrue());
    }

    @Test
    void storesContentWithoutValidationWhileTheQueueIsFull() {
        ContentChecks checks = new ContentChecks(ValidationMode.REFUSE, key -> Optional.empty(), RequiredCheck.NONE);
        try (LateValidation late = new LateValidation(checks)) {
            PublishConfig json = command("a", "{");
            PublishConfig text = new PublishConfig(
                    json.key(),
                    json.utf8(),
                    json.digest(),
                    null,
                    ConfigAttributes.ofType(ConfigType.TEXT),
                    null,
                    json.by());

            assertThat(publishing(checks, late, FULL)
                            .publish(text, true)
                            .toCompletableFuture()
                            .join())
                    .isInstanceOf(PublishResult.Published.class);
        }
    }

    @Test
    void skipsAndCountsContentsBeyondTheQueueInWarnMode() {
        CountDownLatch held = new CountDownLatch(1);
        ContentChecks checks = new ContentChecks(
                ValidationMode.WARN,
                key -> {
                    try {
                        held.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return Optional.empty();
                },
                RequiredCheck.NONE);
        int sent = 400;
        try (LateValidation late = new LateValidation(checks)) {
            ValidatedPublishing publishing = publishing(checks, late, FULL);
            for (int i = 0; i < sent; i++) {
                assertThat(publishing
                                .publish(command("a" + i, i == 0 ? "{" : "{}"), false)
                                .toCompletableFuture()
                                .join())
                        .isInstanceOf(PublishResult.Published.class);
            }

            assertThat(stored).hasSize(sent);
            // One content is being validated and 256 are queued; the malformed one is found before the schema is read.
            assertThat(late.passedOver()).isBetween(sent - 258L, sent - 256L);
            held.countDown();
            await().until(() -> late.malformed() == 1);
        }
    }
}
