package io.cairn.server.admission;

import io.cairn.api.config.Namespace;
import io.cairn.server.attention.Finding;
import io.cairn.server.attention.FindingSource;
import io.cairn.server.limit.Limit;
import io.cairn.server.limit.LimitFindings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Reports a process close to its limit of open files. A failure to accept is reported for an hour, because clients can
 * hardly connect while it lasts.
 */
public final class OpenFileFindings implements FindingSource {

    private static final Duration FAILURE_IS_NEWS = Duration.ofHours(1);

    private final Limit files;
    private final AcceptFailures failures;
    private final Clock clock;

    public OpenFileFindings(Limit files, AcceptFailures failures, Clock clock) {
        this.files = files;
        this.failures = failures;
        this.clock = clock;
    }

    @Override
    public List<Finding> findings(Namespace namespace) {
        Instant failed = failures.last();
        if (failed == null || !failed.plus(FAILURE_IS_NEWS).isAfter(clock.instant())) {
            return LimitFindings.near(files);
        }
        return List.of(LimitFindings.near(
                files,
                true,
                files.setting() + "; connections that were not accepted: " + files.timesExceeded() + ", the last at "
                        + failed.truncatedTo(ChronoUnit.SECONDS)));
    }
}
