package io.cairn.cli.migrate;

import io.cairn.api.naming.ServiceKey;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Holds removals while a server may show fewer instances than it has. For one thread. */
final class RemovalGuard {

    private final Side side;
    private final Follow follow;
    private final Clock clock;
    private final Map<ServiceKey, Instant> emptySince = new HashMap<>();
    private @Nullable Instant answersSince;
    private @Nullable Instant allEmptySince;
    private boolean hadOutage;
    private boolean suspected;
    private int natives;
    private @Nullable Instant heldFrom;
    private boolean hasStarted;

    RemovalGuard(Side side, Follow follow, Clock clock) {
        this.side = side;
        this.follow = follow;
        this.clock = clock;
    }

    /** Holds removals, because the process before may have ended with this side. */
    void takesOver() {
        hasStarted = true;
    }

    void failed() {
        hadOutage = true;
        answersSince = null;
    }

    /**
     * Holds removals; without a missing instance not during a hold, and not for the same time after it, because a proxy may end
     * connections often.
     */
    void reconnected(int present) {
        if (present < natives || !hasHeld(follow.holdAll().multipliedBy(2))) {
            failed();
        }
    }

    /** Holds removals until the next list, which counts the instances. */
    void suspect() {
        suspected = true;
    }

    private boolean hasHeld(Duration time) {
        Instant answers = answersSince;
        return hadOutage && answers != null && isWithin(answers, clock.instant(), time);
    }

    void answered(int present) {
        natives = present;
        suspected = false;
        Instant now = clock.instant();
        if (answersSince == null) {
            answersSince = now;
        }
        if (hasStarted && heldFrom == null) {
            heldFrom = now;
        }
        if (present > 0) {
            allEmptySince = null;
        } else if (allEmptySince == null) {
            allEmptySince = now;
        }
    }

    Optional<String> hold(ServiceKey key, int present) {
        Instant now = clock.instant();
        if (present > 0) {
            emptySince.remove(key);
        } else {
            emptySince.putIfAbsent(key, now);
        }
        Instant answers = answersSince;
        if (answers == null) {
            return Optional.of("held, the " + side + " does not answer");
        }
        if (suspected) {
            return Optional.of("held until the next list of the " + side + ", which has ended a connection");
        }
        if (hasHeld(follow.holdAll())) {
            return Optional.of("held until the " + side + " has answered for "
                    + follow.holdAll().toSeconds() + " s: its clients may not be back yet");
        }
        if (heldFrom != null && isWithin(heldFrom, now, follow.hold())) {
            return Optional.of("held for " + follow.hold().toSeconds()
                    + " s after the start of the bridge: the clients of the " + side + " may not be back yet");
        }
        Instant allEmpty = allEmptySince;
        if (allEmpty != null && isWithin(allEmpty, now, follow.holdAll())) {
            return Optional.of("held for " + follow.holdAll().toSeconds() + " s: the " + side
                    + " shows no instance of any service");
        }
        Instant empty = emptySince.get(key);
        if (empty != null && isWithin(empty, now, follow.hold())) {
            return Optional.of(
                    "held for " + follow.hold().toSeconds() + " s: the " + side + " shows no instance of this service");
        }
        return Optional.empty();
    }

    private static boolean isWithin(Instant since, Instant now, Duration time) {
        return now.isBefore(since.plus(time));
    }
}
