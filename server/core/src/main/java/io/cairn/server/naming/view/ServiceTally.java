package io.cairn.server.naming.view;

/**
 * The counts of a service.
 *
 * @param instances with disabled and unhealthy ones
 * @param healthy of all these
 * @param isProtected whether so few are healthy that all are returned as healthy
 */
public record ServiceTally(int instances, int healthy, boolean isProtected) {

    /** Of an unknown service. */
    public static final ServiceTally NOTHING = new ServiceTally(0, 0, false);

    /** Whether an instance is unhealthy. */
    public boolean isIll() {
        return healthy < instances;
    }

    /** Whether all instances are unhealthy. */
    public boolean isDown() {
        return instances > 0 && healthy == 0;
    }
}
