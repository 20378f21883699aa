package io.cairn.server.config.validation;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.ConfigService;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.PublishResult;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.changeset.ConfigEdit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** Publishes configurations, and validates contents before or after. Does not block. */
public final class ValidatedPublishing {

    private final ConfigService configs;
    private final ChangeSetStore changes;
    private final ContentChecks checks;
    private final LateValidation late;
    private final Executor pool;

    /** @param pool a small bounded pool for validation before the store */
    public ValidatedPublishing(
            ConfigService configs, ChangeSetStore changes, ContentChecks checks, LateValidation late, Executor pool) {
        this.configs = configs;
        this.changes = changes;
        this.checks = checks;
        this.late = late;
        this.pool = pool;
    }

    /**
     * Publishes as {@link ConfigService#publish}.
     *
     * @param validate whether the request demands the refusal of invalid contents
     * @return also fails, without a store, with {@code INVALID_PARAMETER}, line and column for a refused content, and with
     *     {@code BUSY} for too many validations
     */
    public CompletionStage<PublishResult> publish(PublishConfig command, boolean validate) {
        return store(
                List.of(command),
                validate,
                () -> configs.publish(command),
                result -> result instanceof PublishResult.Published);
    }

    /** As {@link ChangeSetStore#apply}, with validation as for a publish. */
    public CompletionStage<ChangeSetResult> apply(ChangeSet set, boolean validate) {
        List<PublishConfig> contents = new ArrayList<>();
        for (ConfigEdit edit : set.edits()) {
            if (edit instanceof ConfigEdit.Put put) {
                contents.add(put.command());
            }
        }
        return store(contents, validate, () -> changes.apply(set), result -> result.conflicts()
                .isEmpty());
    }

    private interface IsStored<R> {
        boolean test(R result);
    }

    private <R> CompletionStage<R> store(
            List<PublishConfig> commands, boolean validate, Supplier<CompletionStage<R>> work, IsStored<R> isStored) {
        boolean checkFirst = commands.stream().anyMatch(command -> checks.mayRefuse(command, validate));
        boolean checkLater = checks.validates(validate)
                && !checks.refuse(validate)
                && commands.stream().anyMatch(ContentChecks::concern);
        Supplier<CompletionStage<R>> stored = !checkLater
                ? work
                : () -> work.get().whenComplete((result, failure) -> {
                    if (failure == null && isStored.test(result)) {
                        commands.stream().filter(ContentChecks::concern).forEach(late::offer);
                    }
                });
        if (!checkFirst) {
            return stored.get();
        }
        try {
            return CompletableFuture.runAsync(() -> check(commands, validate), pool)
                    .thenCompose(inOrder -> stored.get());
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    new CairnException(ErrorCode.BUSY, "Too many contents are being validated; try again shortly", e));
        }
    }

    private void check(List<PublishConfig> commands, boolean validate) {
        for (PublishConfig command : commands) {
            checks.refusal(command, validate).ifPresent(finding -> {
                // A single content needs no key in the message.
                String which = commands.size() == 1 ? "" : command.key() + ": ";
                throw new CairnException(ErrorCode.INVALID_PARAMETER, which + finding.words());
            });
        }
    }
}
