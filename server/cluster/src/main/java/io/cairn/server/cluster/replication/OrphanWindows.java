package io.cairn.server.cluster.replication;

import io.cairn.server.cluster.wire.ClusterMessage;
import io.cairn.server.naming.MirroredPublication;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** When the publications of a departed node end: each with the window of its SDK. Not thread-safe. */
final class OrphanWindows {

    private final Function<String, Duration> length;
    private long departedNanos;
    private boolean started;
    private long startNanos;
    /** For how long the windows begin later. */
    private long delayNanos;

    private long nextEndNanos;

    /** @param length for how long an instance is kept, by the SDK of its client */
    OrphanWindows(Function<String, Duration> length) {
        this.length = length;
    }

    /** The node has departed; the windows begin with the next call of {@link #areDue} that finds it dead. */
    void departed(long now, Duration delay) {
        departedNanos = now;
        delayNanos = delay.toNanos();
        started = false;
    }

    /** The node has departed before, as another node says, which has begun the windows at that age. */
    void departedBefore(long now, long ageMillis) {
        departedNanos = now;
        started = ageMillis != ClusterMessage.Orphans.NOT_STARTED;
        startNanos = started ? now - Duration.ofMillis(ageMillis).toNanos() : now;
    }

    long departedNanos() {
        return departedNanos;
    }

    /** There are publications whose ends are not known yet. */
    void added(long now) {
        nextEndNanos = now;
    }

    /**
     * Whether publications may have to end now.
     *
     * @param isCutOff whether the node may be alive; the windows do not begin then, for a time
     */
    boolean areDue(long now, boolean isCutOff) {
        if (isCutOff && now - departedNanos < PeerCopy.CUT_OFF.toNanos()) {
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

    /** Takes those away whose window has ended; true when there is one. */
    boolean end(long now, CopiedEntries entries, Consumer<MirroredPublication> ended) {
        Map<String, Long> ends = new HashMap<>();
        int before = entries.count();
        long[] next = {Long.MAX_VALUE};
        entries.takeIf(slot -> {
            MirroredPublication publication = slot.publication();
            long end = ends.computeIfAbsent(
                    publication.publisher().client().version(),
                    sdk -> startNanos + length.apply(sdk).toNanos());
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

    /** Negative for windows that begin later; {@link ClusterMessage.Orphans#NOT_STARTED} for those that have not begun. */
    long ageMillis(long now) {
        if (!started) {
            return ClusterMessage.Orphans.NOT_STARTED;
        }
        long age = Duration.ofNanos(now - startNanos).toMillis();
        return age == ClusterMessage.Orphans.NOT_STARTED ? 0 : age;
    }
}
