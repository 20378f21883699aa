package io.cairn.server.limit;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** An upper limit for an amount. Thread-safe; a check takes no lock and allocates nothing. */
public final class Limit {

    private final String name;
    private final String setting;
    private final long max;
    private final LongAdder exceeded = new LongAdder();
    private volatile long largest;
    private volatile LongSupplier used = this::largest;

    /**
     * @param name such as {@code instances-per-client}
     * @param setting the setting that changes it
     */
    public Limit(String name, String setting, long max) {
        this.name = name;
        this.setting = setting;
        this.max = max;
    }

    /** Sets how the current use is measured; without it, {@link #used()} is the largest amount that was requested. */
    public Limit measuredBy(LongSupplier measure) {
        used = measure;
        return this;
    }

    /** Whether the limit allows this amount; if not, counts the refusal. */
    public boolean allows(long wanted) {
        if (wanted > max) {
            countExceeded();
            return false;
        }
        if (wanted > largest) {
            // Two threads at once may leave the smaller value; it is only displayed.
            largest = wanted;
        }
        return true;
    }

    /** Counts a refusal by the operating system, if that enforces the limit. */
    public void countExceeded() {
        exceeded.increment();
    }

    /** @throws CairnException {@code LIMIT_EXCEEDED} naming the limit and its setting, if the limit does not allow this amount */
    public void check(long wanted) {
        if (!allows(wanted)) {
            throw exceeded(ErrorCode.LIMIT_EXCEEDED, wanted);
        }
    }

    /** The failure that names the limit, its setting and the requested amount. */
    public CairnException exceeded(ErrorCode code, long wanted) {
        return new CairnException(code, text(wanted));
    }

    /** The text of the refusal, with the wanted value, the limit and its setting. */
    public String text(long wanted) {
        return "Limit " + name + ": " + wanted + " (expected: at most " + max + ", " + setting + ")";
    }

    public String name() {
        return name;
    }

    public String setting() {
        return setting;
    }

    public long max() {
        return max;
    }

    /** The current use; for a limit of each client, that of the largest client. */
    public long used() {
        return used.getAsLong();
    }

    /** The number of refusals. */
    public long timesExceeded() {
        return exceeded.sum();
    }

    private long largest() {
        return largest;
    }
}
