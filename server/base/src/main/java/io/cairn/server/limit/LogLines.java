package io.cairn.server.limit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** Limits the log lines that strangers can cause, and counts the lines that are left out. Thread-safe. */
public final class LogLines {

    /** No line now. */
    public static final long NONE = -1;

    private static final long MINUTE_MILLIS = TimeUnit.MINUTES.toMillis(1);

    private final int perMinute;
    private final Clock clock;

    @GuardedBy("this")
    private long minuteBegan;

    @GuardedBy("this")
    private int lines;

    @GuardedBy("this")
    private long leftOut;

    public LogLines(int perMinute, Clock clock) {
        this.perMinute = perMinute;
        this.clock = clock;
    }

    /** The number of lines that were left out since the last one, or {@link #NONE}. */
    public synchronized long next() {
        long now = clock.millis();
        if (now - minuteBegan >= MINUTE_MILLIS) {
            minuteBegan = now;
            lines = 0;
        }
        if (++lines > perMinute) {
            return leaveOut();
        }
        long before = leftOut;
        leftOut = 0;
        return before;
    }

    /** Counts a line that its caller leaves out. */
    public synchronized long leaveOut() {
        leftOut++;
        return NONE;
    }
}
