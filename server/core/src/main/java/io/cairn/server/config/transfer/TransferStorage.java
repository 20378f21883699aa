package io.cairn.server.config.transfer;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import io.cairn.server.config.PublishConfig;
import io.cairn.server.config.changeset.ChangeSet;
import io.cairn.server.config.changeset.ChangeSetResult;
import io.cairn.server.config.changeset.ChangeSetStore;
import io.cairn.server.config.changeset.Condition;
import io.cairn.server.config.changeset.ConfigEdit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/** Stores configurations in order, in groups that share a transaction. Blocks; not thread-safe. */
final class TransferStorage {

    private static final int GROUP_EDITS = 200;
    private static final int GROUP_BYTES = 2 << 20;
    private static final int MAX_TRIES = 50;
    private static final long PAUSE_MILLIS = 100;

    private final ChangeSetStore store;
    private final ConflictPolicy policy;
    private final Consumer<PublishConfig> observer;
    private final List<ConfigEdit.Put> group = new ArrayList<>();
    private final Set<ConfigKey> keys = new HashSet<>();
    private final List<ConfigKey> failed = new ArrayList<>();
    private final List<ConfigKey> skipped = new ArrayList<>();
    private int bytes;
    private int stored;
    private long lastRevision;

    /** @param observer called for each stored configuration */
    TransferStorage(ChangeSetStore store, ConflictPolicy policy, Consumer<PublishConfig> observer) {
        this.store = store;
        this.policy = policy;
        this.observer = observer;
    }

    void add(PublishConfig config) {
        if (policy.stops() && !failed.isEmpty()) {
            skipped.add(config.key());
            return;
        }
        ConfigEdit.Put edit = new ConfigEdit.Put(config, condition());
        // A second edit of a key must see the result of the first.
        if (group.size() >= GROUP_EDITS || bytes + edit.weightBytes() > GROUP_BYTES || keys.contains(edit.key())) {
            flush();
            if (policy.stops() && !failed.isEmpty()) {
                skipped.add(config.key());
                return;
            }
        }
        group.add(edit);
        keys.add(edit.key());
        bytes += edit.weightBytes();
    }

    private Condition condition() {
        return switch (policy) {
            case ABORT, SKIP -> Condition.ABSENT;
            case ABORT_IF_DIFFERENT -> Condition.ABSENT_OR_SAME;
            case OVERWRITE -> Condition.NONE;
        };
    }

    TransferReport report(List<UnrecognizedEntry> unrecognized) {
        flush();
        return new TransferReport(stored, failed, skipped, unrecognized, lastRevision);
    }

    private void flush() {
        if (group.isEmpty()) {
            return;
        }
        ChangeSetResult result = store(new ChangeSet(
                List.copyOf(group), policy.stops() ? ChangeSet.Mode.UNTIL_CONFLICT : ChangeSet.Mode.EACH));
        lastRevision = Math.max(lastRevision, result.lastRevision());
        for (int i = 0; i < result.outcomes().size(); i++) {
            ChangeSetResult.Outcome outcome = result.outcomes().get(i);
            if (outcome instanceof ChangeSetResult.Applied) {
                stored++;
                observer.accept(group.get(i).command());
            } else if (outcome instanceof ChangeSetResult.Conflicting && policy.stops()) {
                failed.add(outcome.key());
            } else {
                skipped.add(outcome.key());
            }
        }
        group.clear();
        keys.clear();
        bytes = 0;
    }

    /** Waits for a busy writer. */
    private ChangeSetResult store(ChangeSet changes) {
        for (int attempt = 1; ; attempt++) {
            try {
                return store.apply(changes).toCompletableFuture().join();
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof CairnException failure)) {
                    throw e;
                }
                if (failure.code() != ErrorCode.BUSY || attempt == MAX_TRIES) {
                    throw new CairnException(
                            failure.code(), failure.text() + " (" + stored + " were stored before)", failure);
                }
                pause();
            }
        }
    }

    /** Lets the writer's full queue drain; on a transfer thread, which may wait. */
    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CairnException(ErrorCode.UNAVAILABLE, "The server is stopping", e);
        }
    }
}
