package io.cairn.server.auth;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps what was done. There is no way to change or to take away a single record. Thread-safe. */
public interface AuditStore {

    /** Adds a record. Never blocks. */
    CompletionStage<Void> append(AuditRecord entry);

    /**
     * What to look for; null for whatever. In a text, {@code *} stands for any characters, and capital letters are then the
     * same as small ones: {@code service.*} begins so, {@code *orders*} has it somewhere. A text without {@code *} is looked
     * for as it is. Times are epoch milliseconds, the end is not included.
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

    /** Forgets what is older than that, at most so many at once; returns how many. */
    CompletionStage<Integer> forgetBefore(long millis, int limit);
}
