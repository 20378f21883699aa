package io.cairn.server.auth;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stores audit records, which cannot be changed or deleted singly. */
public interface AuditStore {

    /** Never blocks. */
    CompletionStage<Void> append(AuditRecord entry);

    /**
     * Search criteria; null matches everything. {@code *} stands for any characters, and the comparison then ignores case:
     * {@code service.*} is a prefix, {@code *orders*} any part. Other texts must match exactly. Times are epoch milliseconds; the
     * end is exclusive.
     */
    record Query(
            @Nullable String who,
            @Nullable String action,
            @Nullable String target,
            @Nullable String address,
            long fromMillis,
            long untilMillis) {}

    /** Blocks. */
    long count(Query query);

    /** Newest first. Blocks. */
    List<AuditRecord> find(Query query, long offset, int limit);

    /** Records older than that one, newest first. Blocks. */
    List<AuditRecord> findBefore(Query query, long id, int limit);

    /** Deletes at most {@code limit} records from before that time; returns the number. */
    CompletionStage<Integer> forgetBefore(long millis, int limit);
}
