package io.cairn.server.naming.health;

/**
 * Something whose health is checked. All methods are called at each round anew, from the timer's thread, an event loop or
 * a thread of the checks, so they must be thread-safe and never block; but never two at a time for one subject.
 */
public interface Checked {

    /** An address or a name. */
    String host();

    /** Where to connect to, 1-65535. */
    int port();

    HealthCheck check();

    /** What it counts as at present. */
    boolean isHealthy();

    /**
     * A check has given a result; called before {@link #report}, at each round.
     *
     * @param result what was seen and where, in one line fit for a log
     */
    default void checked(boolean passed, String result) {}

    /**
     * Its health is to become another. When it does not, it is reported again after as many further results.
     *
     * @param healthy never what {@link #isHealthy()} said in this round
     * @param reason what was seen, in one line fit for a log
     */
    void report(boolean healthy, String reason);
}
