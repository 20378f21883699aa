package io.cairn.server.naming;

/**
 * The number of instances of a service and of its healthy instances.
 *
 * @param instances disabled and unhealthy ones included
 * @param healthy of all these
 * @param isProtected whether the share of healthy instances is so low that all are returned as healthy
 */
public record ServiceTally(int instances, int healthy, boolean isProtected) {

    /** The counts of a service that does not exist. */
    public static final ServiceTally NOTHING = new ServiceTally(0, 0, false);

    /** Whether an instance is unhealthy. */
    public boolean isIll() {
        return healthy < instances;
    }

    /** Whether there are instances and none of them is healthy. */
    public boolean isDown() {
        return instances > 0 && healthy == 0;
    }
}
