package io.cairn.server.support;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes {@code await()} look at its condition at once, then after 10 ms, 20 ms and so on, and finally every 100 ms. Awaitility
 * itself looks for the first time after 100 ms, which most conditions do not take; over all tests that sums up to minutes.
 * Registered for all tests in {@code META-INF/services}.
 */
public final class EarlyPolling implements BeforeAllCallback {

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(100);

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultPollInterval(IterativePollInterval.iterative(
                pause -> pause.multipliedBy(2).compareTo(LONGEST) < 0 ? pause.multipliedBy(2) : LONGEST, FIRST));
    }
}
