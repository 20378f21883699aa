package io.cairn.server.naming;

/**
 * How many instances a service has and how they are, without the instances.
 *
 * @param instances disabled and unhealthy ones included
 * @param healthy of all these
 * @param isProtected whether so few are healthy that consumers are told that all are
 */
public record ServiceTally(int instances, int healthy, boolean isProtected) {

    /** What there is of a service that is not. */
    public static final ServiceTally NOTHING = new ServiceTally(0, 0, false);

    /** Whether some instance is not healthy. */
    public boolean isIll() {
        return healthy < instances;
    }

    /** Whether there are instances and none is healthy. */
    public boolean isDown() {
        return instances > 0 && healthy == 0;
    }
}
