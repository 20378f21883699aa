package io.cairn.server.naming.health;

/**
 * An object whose health is checked. Methods are called again in each round, on the timer's thread, an event loop or a
 * thread of the checks, so they must be thread-safe and never block. They are not called concurrently for one object.
 */
public interface Checked {

    /** An IP address or a host name. */
    String host();

    /** The port to connect to, 1-65535. */
    int port();

    HealthCheck check();

    /** Its current health. */
    boolean isHealthy();

    /**
     * Called with each result of a check, before {@link #report}.
     *
     * @param result what was found and where, in one line for a log
     */
    default void checked(boolean passed, String result) {}

    /**
     * Called when the health must change. If {@link #isHealthy()} stays the same, this is called again after as many
     * further results.
     *
     * @param healthy the opposite of {@link #isHealthy()} in this round
     * @param reason what was found, in one line for a log
     */
    void report(boolean healthy, String reason);
}
