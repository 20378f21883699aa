package io.cairn.server.cluster.replication;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The distance between the clock of another machine and that of this one, by the times in its heartbeats. A heartbeat that was under
 * way for long makes the other clock look slow, so the highest distance of the last ones counts. Thread-safe.
 */
final class ClockOffset {

    /** A clock that is set back is seen after this many heartbeats. */
    static final int KEPT = 10;

    private final ArrayDeque<Long> last = new ArrayDeque<>(KEPT);

    /** A heartbeat with that time has arrived now. */
    synchronized void note(long theirMillis, long ownMillis) {
        if (last.size() == KEPT) {
            last.remove();
        }
        last.add(theirMillis - ownMillis);
    }

    /** How far the other clock is ahead, negative when it is behind; null before the first heartbeat. */
    synchronized @Nullable Long millis() {
        Long highest = null;
        for (Long each : last) {
            highest = highest == null ? each : Long.valueOf(Math.max(highest, each));
        }
        return highest;
    }
}
