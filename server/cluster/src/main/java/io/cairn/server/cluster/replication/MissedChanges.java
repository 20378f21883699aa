package io.cairn.server.cluster.replication;

/**
 * Finds the changes of an owner that were made while this node and the owner did not see each other, or may have been. A connection that
 * had ended by then may be at a third node, whose change arrives later. Not thread-safe.
 */
final class MissedChanges {

    /** Number of the owner's last change when the two met again. */
    private long metAt = OwnLog.START;
    /** Until when the two count as just met: messages from before that, and heartbeats among them, may arrive first. */
    private long justMetUntilNanos;

    MissedChanges(long now) {
        justMetUntilNanos = now;
    }

    /** The two may not have seen each other until now. */
    void met(long now) {
        justMetUntilNanos = now + PeerCopy.PATIENCE.toNanos();
    }

    /**
     * The owner opens a stream.
     *
     * @param ownerSequence the number of its last change
     * @param orphaned whether it has departed and is back
     */
    void opened(long ownerSequence, boolean orphaned, long now) {
        if (orphaned || haveJustMet(now)) {
            metAt = Math.max(metAt, ownerSequence);
        }
    }

    /** Whether the change with this number is one of them. */
    boolean mayHave(long number, long now) {
        return number <= metAt || haveJustMet(now);
    }

    private boolean haveJustMet(long now) {
        return now - justMetUntilNanos < 0;
    }
}
