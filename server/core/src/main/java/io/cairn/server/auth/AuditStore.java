package io.cairn.server.auth;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Stores audit records. A single record cannot be changed or deleted. Thread-safe. */
public interface AuditStore {

    /** Adds a record. Never blocks. */
    CompletionStage<Void> append(AuditRecord entry);

    /**
     * Search criteria; null matches everything. In a text, {@code *} stands for any characters, and the comparison then
     * ignores case: {@code service.*} matches a prefix, {@code *orders*} matches anywhere. A text without {@code *}
     * must match exactly. Times are epoch milliseconds; the end is exclusive.
     */
    record Query(
            @Nullable String who,
            @Nullable String action,
            @Nullable String target,
            @Nullable String address,
            long fromMillis,
            long untilMillis) {}

    /** The number of matching records. Blocks. */
    long count(Query query);

    /** Matching records, the newest first. Blocks. */
    List<AuditRecord> find(Query query, long offset, int limit);

    /** Deletes records that are older than that time, at most {@code limit} of them; returns the number deleted. */
    CompletionStage<Integer> forgetBefore(long millis, int limit);
}
