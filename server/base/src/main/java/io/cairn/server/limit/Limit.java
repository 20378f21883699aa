package io.cairn.server.limit;

import io.cairn.api.error.CairnException;
import io.cairn.api.error.ErrorCode;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

public final class Limit {

    private final String name;
    private final String setting;
    private final long max;
    private final LongAdder exceeded = new LongAdder();
    private volatile long largest;
    private volatile LongSupplier used = this::largest;

    /**
     * @param name such as {@code instances-per-client}
     * @param setting name of the setting that changes the limit
     */
    public Limit(String name, String setting, long max) {
        this.name = name;
        this.setting = setting;
        this.max = max;
    }

    public Limit measuredBy(LongSupplier measure) {
        used = measure;
        return this;
    }

    public boolean allows(long wanted) {
        if (wanted > max) {
            countExceeded();
            return false;
        }
        if (wanted > largest) {
            // Two racing threads may store the smaller value; it is only displayed.
            largest = wanted;
        }
        return true;
    }

    /** Counts a refusal by the operating system. */
    public void countExceeded() {
        exceeded.increment();
    }

    /** @throws CairnException {@code LIMIT_EXCEEDED} with limit and setting */
    public void check(long wanted) {
        if (!allows(wanted)) {
            throw exceeded(ErrorCode.LIMIT_EXCEEDED, wanted);
        }
    }

    public CairnException exceeded(ErrorCode code, long wanted) {
        return new CairnException(code, text(wanted));
    }

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

    public long used() {
        return used.getAsLong();
    }

    public long timesExceeded() {
        return exceeded.sum();
    }

    private long largest() {
        return largest;
    }
}
