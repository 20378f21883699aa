package io.cairn.server.auth.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server of a directory, and whether it answers. Thread-safe. */
final class LdapServer {

    /** After a failure, in which other servers are asked before this one. */
    static final Duration REST = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(LdapServer.class);

    private final URI url;
    private final Clock clock;
    private final LongSupplier nanoTime;
    private volatile @Nullable Away away;

    @GuardedBy("this")
    private long failedAtNanos;

    /** @param sinceMillis epoch milliseconds */
    record Away(long sinceMillis, String cause) {}

    LdapServer(URI url, Clock clock, LongSupplier nanoTime) {
        this.url = url;
        this.clock = clock;
        this.nanoTime = nanoTime;
    }

    URI url() {
        return url;
    }

    /** Null while the last attempt was good. */
    @Nullable
    Away away() {
        return away;
    }

    synchronized boolean rests() {
        return away != null && nanoTime.getAsLong() - failedAtNanos < REST.toNanos();
    }

    synchronized void reached() {
        if (away != null) {
            away = null;
            log.info("The directory server {} answers again", url);
        }
    }

    synchronized void failed(Exception failure) {
        Away before = away;
        String cause = LdapFailures.text(failure);
        away = new Away(before == null ? clock.millis() : before.sinceMillis, cause);
        failedAtNanos = nanoTime.getAsLong();
        if (before == null) {
            log.warn(
                    "The directory server {} failed: {}. Its users who have logged in keep their tokens. The next attempt is in"
                            + " {} s at the latest",
                    url,
                    cause,
                    REST.toSeconds());
        }
    }
}
