package io.cairn.server.naming;

/**
 * When the silence of HTTP clients and the windows of recovered publications begin at the earliest: they begin again after a pause of
 * this node and while it is cut off, because the clients may be at other nodes meanwhile. Thread-safe.
 */
final class LeaseRenewal {

    private final Registry registry;
    private final NodePause pause;
    private volatile long renewedNanos;

    LeaseRenewal(Registry registry) {
        this.registry = registry;
        this.pause = new NodePause(registry::nanoTime);
        this.renewedNanos = registry.nanoTime();
    }

    long renewedNanos() {
        return renewedNanos;
    }

    /** Whether there was a pause, and this node has not caught up with the others since. */
    boolean isPauseFound() {
        return pause.isFound();
    }

    /**
     * To be called every second by a thread of the group. After a pause of this node and while it is cut off, the leases of HTTP clients
     * and the windows of recovered publications begin again: the clients may be at other nodes, which this node does not see yet.
     *
     * @param isInStep whether the copies of all members are up to date
     * @param isCutOff whether this node does not see a node that is alive
     */
    void everySecond(boolean isInStep, boolean isCutOff) {
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

    /** All leases of HTTP clients and all windows of recovered publications begin again. */
    private void renewLeases() {
        renewedNanos = registry.nanoTime();
    }
}
