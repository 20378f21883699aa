package io.cairn.server.cluster.replication;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The clock of the group, a hybrid logical clock: it never goes back, is not behind any time that another node has sent, and runs at
 * the pace of the clock of this machine. A client that moves to another node therefore gets no list with an older time than the one
 * it has, which clients would ignore.
 *
 * <p>The distance to the clock of the machine is kept, not only the highest time seen: a node whose own clock is slow would fall behind
 * again between two messages. Thread-safe; takes no lock.
 */
public final class ClusterClock extends Clock {

    /** A time further ahead than this is a clock that is set wrong, and is not followed. */
    public static final Duration MAX_AHEAD = Duration.ofSeconds(60);

    /** Stamps within one millisecond differ in these bits. */
    private static final int COUNTER_BITS = 20;

    private final Clock machine;
    private final AtomicLong last = new AtomicLong();
    private final AtomicLong aheadMillis = new AtomicLong();

    public ClusterClock(Clock machine) {
        this.machine = machine;
    }

    /** A time that this node gives only once; later ones are higher. {@link #millisOf} tells its milliseconds. */
    public long stamp() {
        long now = present() << COUNTER_BITS;
        return last.updateAndGet(before -> Math.max(before + 1, now));
    }

    /** The time of a stamp in epoch milliseconds. */
    public static long millisOf(long stamp) {
        return stamp >>> COUNTER_BITS;
    }

    /** The time in epoch milliseconds; never lower than what was returned before. */
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

    /** The time on the clock of this machine in epoch milliseconds. */
    long machineMillis() {
        return machine.millis();
    }

    private long present() {
        return machine.millis() + aheadMillis.get();
    }

    /**
     * Follows a time that another node has sent.
     *
     * @param millis the time in epoch milliseconds
     * @return false when it is too far ahead, and was not followed
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

    /** As {@link #follow}, for the stamp of an entry. */
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
