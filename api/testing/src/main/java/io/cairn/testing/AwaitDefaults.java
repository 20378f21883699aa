package io.cairn.testing;

import static org.awaitility.pollinterval.IterativePollInterval.iterative;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Gives Awaitility {@link Patience#PATIENCE} as its default limit, and poll intervals of 5 ms, 10 ms, 20 ms… up to 100 ms; its own
 * 100 ms would delay each wait. JUnit finds this listener by {@code META-INF/services}.
 */
public final class AwaitDefaults implements LauncherSessionListener {

    private static final Duration FIRST = Duration.ofMillis(5);
    private static final Duration LONGEST = Duration.ofMillis(100);

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Patience.PATIENCE);
        Awaitility.setDefaultPollDelay(FIRST);
        Awaitility.setDefaultPollInterval(iterative(AwaitDefaults::twice, FIRST));
    }

    private static Duration twice(Duration before) {
        Duration next = before.multipliedBy(2);
        return next.compareTo(LONGEST) < 0 ? next : LONGEST;
    }
}
