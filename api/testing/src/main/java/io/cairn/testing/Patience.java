package io.cairn.testing;

import java.time.Duration;

/**
 * The limit of every wait for a required event, far above the time of a passing test. It is Awaitility's default ({@link
 * AwaitDefaults}); futures, latches, sockets and requests use {@link #PATIENCE}. To prove an absence, a test waits for a later
 * event instead.
 *
 * <p>The system property {@code cairn.test.patience} sets the seconds for slower machines.
 */
public final class Patience {

    public static final Duration PATIENCE = ofSetting(System.getProperty("cairn.test.patience", "60"));

    /** For the start of a server, because several may share two cores. */
    public static final Duration START = PATIENCE.multipliedBy(3);

    private Patience() {}

    static Duration ofSetting(String seconds) {
        if (!seconds.matches("[1-9]\\d{0,5}")) {
            throw new IllegalArgumentException("cairn.test.patience: " + seconds + " (expected: 1-999999, in seconds)");
        }
        return Duration.ofSeconds(Long.parseLong(seconds));
    }
}
