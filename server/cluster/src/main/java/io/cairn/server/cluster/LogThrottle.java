package io.cairn.server.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/** Admits one log line for each subject in an interval, and a limited number of subjects. */
final class LogThrottle {

    private final Duration interval;
    private final int maxSubjects;
    private final Clock clock;

    @GuardedBy("this")
    private final Map<String, Instant> admitted = new HashMap<>();

    LogThrottle(Duration interval, int maxSubjects, Clock clock) {
        this.interval = interval;
        this.maxSubjects = maxSubjects;
        this.clock = clock;
    }

    synchronized boolean admits(String subject) {
        Instant now = clock.instant();
        Instant before = now.minus(interval);
        if (admitted.size() >= maxSubjects) {
            admitted.values().removeIf(then -> !then.isAfter(before));
        }
        Instant last = admitted.get(subject);
        if (last == null ? admitted.size() >= maxSubjects : last.isAfter(before)) {
            return false;
        }
        admitted.put(subject, now);
        return true;
    }
}
