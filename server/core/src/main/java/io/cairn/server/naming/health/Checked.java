package io.cairn.server.naming.health;

/**
 * An object under health checks. Methods are called in each round, on various threads, so they must be thread-safe and never block;
 * never concurrently for one object.
 */
public interface Checked {

    /** An IP address or host name. */
    String host();

    /** 1-65535. */
    int port();

    HealthCheck check();

    boolean isHealthy();

    /**
     * Called with each result, before {@link #report}.
     *
     * @param result in one line for a log
     */
    default void checked(boolean passed, String result) {}

    /**
     * Called when the health must change, and again after as many results if {@link #isHealthy()} stays.
     *
     * @param healthy the opposite of {@link #isHealthy()} in this round
     * @param reason in one line for a log
     */
    void report(boolean healthy, String reason);
}
