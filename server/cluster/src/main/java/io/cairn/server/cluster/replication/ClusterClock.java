package io.cairn.server.cluster.replication;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A hybrid logical clock: it never goes back, is not behind any received time, and advances with the machine's clock. So a client
 * that moves to another node gets no list with an older time than its own, which clients would ignore.
 *
 * <p>It keeps the distance to the machine's clock: with the highest time alone, a node with a slow clock would fall behind between
 * two messages. Lock-free.
 */
public final class ClusterClock extends Clock {

    /** A larger lead means a wrong clock, which is not followed. */
    public static final Duration MAX_AHEAD = Duration.ofSeconds(60);

    /** Stamps within one millisecond differ in these bits. */
    private static final int COUNTER_BITS = 20;

    private final Clock machine;
    private final AtomicLong last = new AtomicLong();
    private final AtomicLong aheadMillis = new AtomicLong();

    public ClusterClock(Clock machine) {
        this.machine = machine;
    }

    /** A unique, rising time of this node; {@link #millisOf} converts it. */
    public long stamp() {
        long now = present() << COUNTER_BITS;
        return last.updateAndGet(before -> Math.max(before + 1, now));
    }

    public static long millisOf(long stamp) {
        return stamp >>> COUNTER_BITS;
    }

    /** Epoch milliseconds that never decrease. */
    @Override
    public long millis() {
        long now = present() << COUNTER_BITS;
        long before = last.get();
        while (before < now) {
            long found = last.compareAndExchange(before, now);
            if (found == before) {
                return now >>> COUNTER_BITS;
            }
            before = found;
        }
        return before >>> COUNTER_BITS;
    }

    long machineMillis() {
        return machine.millis();
    }

    private long present() {
        return machine.millis() + aheadMillis.get();
    }

    /**
     * Follows a received time.
     *
     * @param millis epoch milliseconds
     * @return false when it is too far ahead
     */
    public boolean follow(long millis) {
        long ahead = millis - machine.millis();
        if (ahead > MAX_AHEAD.toMillis()) {
            return false;
        }
        if (ahead > aheadMillis.get()) {
            aheadMillis.accumulateAndGet(ahead, Math::max);
        }
        return true;
    }

    public boolean followStamp(long stamp) {
        return follow(millisOf(stamp));
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public ZoneId getZone() {
        return machine.getZone();
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("the clock of the group has the zone of the machine");
    }
}
