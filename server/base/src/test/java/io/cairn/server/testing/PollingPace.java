package io.cairn.server.testing;

import static org.awaitility.pollinterval.IterativePollInterval.iterative;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Has Awaitility look soon and then less and less often, where a test sets no interval: after 5 ms, 10 ms, 20 ms… and every
 * 100 ms in the end, for a minute at most. Its own default is 100 ms from the beginning, which each await costs at least. JUnit finds this
 * extension by itself ({@code junit-platform.properties}).
 */
public final class PollingPace implements BeforeAllCallback {

    /** Of a busy machine, where Awaitility's own 10 s are not enough. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(100);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
        Awaitility.setDefaultPollDelay(FIRST);
        Awaitility.setDefaultPollInterval(iterative(PollingPace::twice, FIRST));
    }

    private static Duration twice(Duration before) {
        Duration next = before.multipliedBy(2);
        return next.compareTo(LONGEST) < 0 ? next : LONGEST;
    }
}
