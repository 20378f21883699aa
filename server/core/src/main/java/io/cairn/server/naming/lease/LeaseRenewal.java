package io.cairn.server.naming.lease;

import io.cairn.server.naming.registry.Registry;

/**
 * The earliest begin of HTTP clients' silence and of recovery windows. They restart after a pause of this node and while it is cut
 * off, because clients may be at other nodes.
 */
public final class LeaseRenewal {

    private final Registry registry;
    private final NodePause pause;
    private volatile long renewedNanos;

    public LeaseRenewal(Registry registry) {
        this.registry = registry;
        this.pause = new NodePause(registry::nanoTime);
        this.renewedNanos = registry.nanoTime();
    }

    long renewedNanos() {
        return renewedNanos;
    }

    /** Whether there was a pause without a catch-up since. */
    boolean isPauseFound() {
        return pause.isFound();
    }

    /**
     * To be called every second by a thread of the group. After a pause and while this node is cut off, restarts the leases of HTTP
     * clients and the recovery windows: clients may be at nodes not seen yet.
     *
     * @param isInStep whether all copies are up to date
     * @param isCutOff whether a living node is out of view
     */
    public void everySecond(boolean isInStep, boolean isCutOff) {
        findPause();
        boolean isJustFound = pause.ran();
        if (isCutOff) {
            renewLeases();
        } else if (isInStep && !isJustFound) {
            pause.caughtUp();
        }
    }

    void findPause() {
        if (registry.group().isShared() && pause.find()) {
            renewLeases();
        }
    }

    /** Restarts all leases of HTTP clients and all recovery windows. */
    void renewLeases() {
        renewedNanos = registry.nanoTime();
    }
}
