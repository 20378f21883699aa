package io.cairn.server.xds;

import io.cairn.server.push.PushBudget;
import java.util.function.BooleanSupplier;

/** Takes large responses from the budget of all pushes. */
public final class LargeResponses {

    private final PushBudget budget;

    public LargeResponses(PushBudget budget) {
        this.budget = budget;
    }

    /** Returns the taken bytes, 0 for a small response; -1 without room: the turn is called later. */
    public int reserve(int bytes, BooleanSupplier turn) {
        if (bytes <= PushBudget.SMALL_BYTES) {
            return 0;
        }
        if (budget.tryReserve(bytes)) {
            return bytes;
        }
        budget.await(turn);
        return -1;
    }

    public void release(int bytes) {
        if (bytes > 0) {
            budget.release(bytes);
        }
    }

    /** Lets the next response try, because memory may remain. */
    public void passOn() {
        budget.release(0);
    }
}
