package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.group.MirroredRegistry;
import io.cairn.server.naming.registry.MirroredPublication;
import io.cairn.server.naming.registry.RecoveryWindow;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The ends of a departed node's publications: each has the window of its SDK, which restarts while clients return. Not thread-safe.
 */
final class OrphanWindows {

    private final Function<String, Duration> length;
    private long departedNanos;
    private boolean started;
    private long startNanos;
    private long delayNanos;

    private long nextEndNanos;
    /** The count of returned clients at the last check, and the time of its change. */
    private long returned;

    private long returnedNanos;

    /** @param length how long an instance is kept, by the SDK of its client */
    OrphanWindows(Function<String, Duration> length) {
        this.length = length;
    }

    /** Notes the departure; the windows begin with the next {@link #areDue} that finds the node dead. */
    void departed(long now, Duration delay) {
        departedNanos = now;
        delayNanos = delay.toNanos();
        started = false;
        returnedNanos = now;
    }

    /** Notes a departure that another node reports, with the age of its windows. */
    void departedBefore(long now, long ageMillis) {
        departedNanos = now;
        started = ageMillis != ClusterMessage.Orphans.NOT_STARTED;
        startNanos = started ? now - Duration.ofMillis(ageMillis).toNanos() : now;
        // The time of the last return is unknown here: perhaps a moment ago.
        returnedNanos = now;
    }

    /**
     * Call it before {@link #areDue}.
     *
     * @param clients how many have returned to any node, as {@link MirroredRegistry#returned}
     */
    void returned(long now, long clients) {
        if (clients != returned) {
            returned = clients;
            returnedNanos = now;
        }
    }

    long departedNanos() {
        return departedNanos;
    }

    void added(long now) {
        nextEndNanos = now;
    }

    /**
     * Whether publications may be due.
     *
     * @param isHeld whether the node may be alive, or no client can return; the windows do not begin then, for a time
     */
    boolean areDue(long now, boolean isHeld) {
        if (isHeld && now - departedNanos < PeerCopy.CUT_OFF.toNanos()) {
            started = false;
            return false;
        }
        if (!started) {
            started = true;
            startNanos = now + delayNanos;
            nextEndNanos = now;
        }
        return now - nextEndNanos >= 0;
    }

    boolean end(long now, CopiedEntries entries, Consumer<MirroredPublication> ended) {
        Map<String, Long> ends = new HashMap<>();
        int before = entries.count();
        long[] next = {Long.MAX_VALUE};
        entries.takeIf(slot -> {
            MirroredPublication publication = slot.publication();
            long end = ends.computeIfAbsent(
                    publication.publisher().client().version(),
                    sdk -> RecoveryWindow.endNanos(startNanos, returnedNanos, length.apply(sdk)));
            if (now - end < 0) {
                next[0] = Math.min(next[0], end - now);
                return false;
            }
            ended.accept(publication);
            return true;
        });
        nextEndNanos = next[0] == Long.MAX_VALUE ? now : now + next[0];
        return entries.count() < before;
    }

    /** Negative before the begin; {@link ClusterMessage.Orphans#NOT_STARTED} for windows that have not begun. */
    long ageMillis(long now) {
        if (!started) {
            return ClusterMessage.Orphans.NOT_STARTED;
        }
        long age = Duration.ofNanos(now - startNanos).toMillis();
        return age == ClusterMessage.Orphans.NOT_STARTED ? 0 : age;
    }
}
