package io.cairn.server.xds;

import io.cairn.server.push.PushBudget;
import java.util.function.BooleanSupplier;

/** Takes the bytes of large responses from the budget that all pushes share. Thread-safe. */
final class LargeResponses {

    private final PushBudget budget;

    LargeResponses(PushBudget budget) {
        this.budget = budget;
    }

    /** Returns the bytes taken, which are 0 for a small response; -1 when there is no room, and the turn is called when there is. */
    int take(int bytes, BooleanSupplier turn) {
        if (bytes <= PushBudget.SMALL_BYTES) {
            return 0;
        }
        if (budget.take(bytes)) {
            return bytes;
        }
        budget.await(turn);
        return -1;
    }

    void release(int bytes) {
        if (bytes > 0) {
            budget.release(bytes);
        }
    }

    /** Gives the turn to the next one that waits: there may be room for it, too. */
    void passOn() {
        budget.release(0);
    }
}
