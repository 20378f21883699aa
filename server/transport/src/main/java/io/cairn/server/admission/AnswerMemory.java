package io.cairn.server.admission;

import io.cairn.server.limit.Limit;

/**
 * Limits the memory of large responses to all clients, from their creation until the clients have read them. Thread-safe.
 */
public final class AnswerMemory {

    private final MemoryBudget budget;
    private final Limit limit;

    /** @param limit in bytes; shows the used bytes from now on */
    public AnswerMemory(Limit limit) {
        this.budget = new MemoryBudget(limit.max(), 1);
        this.limit = limit.measuredBy(budget::reservedBytes);
    }

    /** For requests that use no port. */
    public static AnswerMemory unlimited() {
        return new AnswerMemory(new Limit("unread-answer-bytes", "", Long.MAX_VALUE));
    }

    /** The budget of responses that several clients share. */
    public MemoryBudget budget() {
        return budget;
    }

    /** An empty lease for one response. */
    public MemoryLease lease() {
        return new MemoryLease(this);
    }

    /** Counts a rejected response and returns the message for its client. */
    public String refusal(long bytes) {
        limit.countExceeded();
        return limit.text(budget.reservedBytes() + bytes)
                + ": too many large answers wait to be read; try again shortly, or ask for less at a time";
    }
}
