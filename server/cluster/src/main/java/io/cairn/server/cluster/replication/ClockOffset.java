package io.cairn.server.cluster.replication;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The offset of another machine's clock, by the times in its heartbeats. A late heartbeat makes that clock look slow, so the
 * highest recent offset counts.
 */
final class ClockOffset {

    /** A clock that is set back is seen after this many heartbeats. */
    static final int KEPT = 10;

    private final ArrayDeque<Long> last = new ArrayDeque<>(KEPT);

    synchronized void note(long theirMillis, long ownMillis) {
        if (last.size() == KEPT) {
            last.remove();
        }
        last.add(theirMillis - ownMillis);
    }

    /** How far the other clock is ahead, or null before the first heartbeat. */
    synchronized @Nullable Long millis() {
        Long highest = null;
        for (Long each : last) {
            highest = highest == null ? each : Long.valueOf(Math.max(highest, each));
        }
        return highest;
    }
}
