package io.cairn.server.limit;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** How much there may be of something. Thread-safe; asking takes no lock and allocates nothing. */
public final class Limit {

    private final String name;
    private final String setting;
    private final long max;
    private final LongAdder exceeded = new LongAdder();
    private volatile long largest;
    private volatile LongSupplier used = this::largest;

    /**
     * @param name such as {@code instances-per-client}
     * @param setting by which it is changed
     */
    public Limit(String name, String setting, long max) {
        this.name = name;
        this.setting = setting;
        this.max = max;
    }

    /** Says how much is used at the moment; without it, the largest that was asked for is told. */
    public Limit measuredBy(LongSupplier measure) {
        used = measure;
        return this;
    }

    /** Whether there may be that much; if not, that is counted. */
    public boolean allows(long wanted) {
        if (wanted > max) {
            countExceeded();
            return false;
        }
        if (wanted > largest) {
            // Two at once may leave the smaller one; it is for people to look at.
            largest = wanted;
        }
        return true;
    }

    /** Counts that it has stopped somebody, where the operating system holds the limit. */
    public void countExceeded() {
        exceeded.increment();
    }

    /** @throws CairnException {@code LIMIT_EXCEEDED} naming the limit and its setting when there may not be that much */
    public void check(long wanted) {
        if (!allows(wanted)) {
            throw exceeded(ErrorCode.LIMIT_EXCEEDED, wanted);
        }
    }

    /** The failure that names the limit, its setting and what was asked for. */
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

    /** How much is used; what that means depends on the limit: of those that are for each client, by the largest one. */
    public long used() {
        return used.getAsLong();
    }

    /** How often it has stopped somebody. */
    public long timesExceeded() {
        return exceeded.sum();
    }

    private long largest() {
        return largest;
    }
}
