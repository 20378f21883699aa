package io.cairn.client.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The newest revision of configurations that this client has seen. Each read requires this revision, and a node that is
 * behind waits before it responds, so contents never go back after a move. Stays 0 with Nacos servers, whose responses
 * contain no revision.
 */
final class SeenRevision {

    /** A node that needs longer has an earlier state of its database. */
    static final Duration LONGEST_BEHIND = Duration.ofSeconds(3);

    private static final System.Logger LOG = System.getLogger("io.cairn.client");
    private static final long NONE = -1;

    private final LongSupplier nanoTime;

    @GuardedBy("this")
    private long revision;

    @GuardedBy("this")
    private boolean behind;

    @GuardedBy("this")
    private long behindSinceNanos;

    SeenRevision(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The revision that the next read requires. */
    synchronized long least() {
        return revision;
    }

    synchronized void written(Payload answer) {
        revision = Math.max(revision, shown(answer));
    }

    /** @return whether the server's revision is lower than required; then the read must be repeated */
    synchronized boolean isBehind(Payload answer, long least) {
        long shown = shown(answer);
        if (shown == NONE) {
            return false;
        }
        if (shown >= least) {
            revision = Math.max(revision, shown);
            behind = false;
            return false;
        }
        long now = nanoTime.getAsLong();
        if (!behind) {
            behind = true;
            behindSinceNanos = now;
        } else if (now - behindSinceNanos > LONGEST_BEHIND.toNanos() && revision > shown) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The servers show revision " + shown + ", this client has seen " + revision
                            + ", and they have not come to"
                            + " that in " + LONGEST_BEHIND.toSeconds()
                            + " s: their database has gone back, or the address"
                            + " leads to another one. Their contents are taken as they are");
            revision = shown;
            behind = false;
        }
        return true;
    }

    private static long shown(Payload answer) {
        String text = answer.header(RevisionHeaders.REVISION);
        return text == null ? NONE : number(text);
    }

    private static long number(@Nullable String text) {
        try {
            return text == null ? NONE : Long.parseLong(text);
        } catch (NumberFormatException e) {
            LOG.log(System.Logger.Level.DEBUG, "An answer names a revision that is none", e);
            return NONE;
        }
    }
}
