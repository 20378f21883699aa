package io.cairn.server.config.validation;

import io.cairn.api.config.ConfigType;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Publishes one configuration, and looks at its content before or after as it is set. Thread-safe; nothing blocks. */
public final class ValidatedPublishing {

    /** Up to this size, looking at a content takes no longer than other work of an event loop. */
    private static final int MAX_AT_ONCE = 16 * 1024;

    private final ConfigService configs;
    private final ValidationMode mode;
    private final LateValidation late;
    private final Executor pool;
    private final ContentValidator validator = new ContentValidator();

    /** @param pool a small bounded one, on which contents are looked at that would hold up an event loop */
    public ValidatedPublishing(ConfigService configs, ValidationMode mode, LateValidation late, Executor pool) {
        this.configs = configs;
        this.mode = mode;
        this.late = late;
        this.pool = pool;
    }

    /**
     * Stores a content as {@link ConfigService#publish} does.
     *
     * @param validate whether the request itself asks that a malformed content is refused
     * @return fails besides with {@code INVALID_PARAMETER} and the line and column when the content is refused, and with
     *     {@code BUSY} when too many contents wait to be looked at; then nothing was stored
     */
    public CompletionStage<PublishResult> publish(PublishConfig command, boolean validate) {
        if (!isChecked(command)) {
            return configs.publish(command);
        }
        if (validate || mode == ValidationMode.REFUSE) {
            return refuseOrPublish(command);
        }
        CompletionStage<PublishResult> stored = configs.publish(command);
        return mode == ValidationMode.OFF
                ? stored
                : stored.whenComplete((result, failure) -> {
                    if (result instanceof PublishResult.Published) {
                        late.offer(command);
                    }
                });
    }

    /** An encrypted content is none of the format that it has for those who hold the key. */
    private static boolean isChecked(PublishConfig command) {
        ConfigType type = command.attributes().type();
        return type != ConfigType.TEXT
                && type != ConfigType.HTML
                && type != ConfigType.UNSET
                && command.attributes().encryptedDataKey().isEmpty();
    }

    private CompletionStage<PublishResult> refuseOrPublish(PublishConfig command) {
        if (command.utf8().length <= MAX_AT_ONCE) {
            check(command);
            return configs.publish(command);
        }
        try {
            return CompletableFuture.runAsync(() -> check(command), pool)
                    .thenCompose(checked -> configs.publish(command));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.BUSY, "Too many contents are being validated; try again shortly", e));
        }
    }

    private void check(PublishConfig command) {
        ConfigType type = command.attributes().type();
        Optional<Problem> found = validator.check(type, new String(command.utf8(), StandardCharsets.UTF_8));
        if (found.isPresent()) {
            Problem problem = found.get();
            throw new CairnException(
                    ErrorCode.INVALID_PARAMETER,
                    "content: line " + problem.line() + ", column " + problem.column() + ": " + problem.message()
                            + " (expected: " + type.wireName() + ")");
        }
    }
}
