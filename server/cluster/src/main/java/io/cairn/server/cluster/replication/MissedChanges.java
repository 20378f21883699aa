package io.cairn.server.cluster.replication;

/**
 * Detects changes of an owner from a time without contact. A connection that ended then may be at a third node, whose change
 * arrives later. Not thread-safe.
 */
final class MissedChanges {

    /** Number of the owner's last change when the two met again. */
    private long metAt = OwnLog.START;
    /** The end of the just-met time: earlier messages may arrive first. */
    private long justMetUntilNanos;

    MissedChanges(long now) {
        justMetUntilNanos = now;
    }

    void met(long now) {
        justMetUntilNanos = now + PeerCopy.PATIENCE.toNanos();
    }

    /**
     * The owner opens a stream.
     *
     * @param ownerSequence number of its last change
     * @param orphaned whether it returns after its departure
     */
    void opened(long ownerSequence, boolean orphaned, long now) {
        if (orphaned || haveJustMet(now)) {
            metAt = Math.max(metAt, ownerSequence);
        }
    }

    boolean mayHave(long number, long now) {
        return number <= metAt || haveJustMet(now);
    }

    private boolean haveJustMet(long now) {
        return now - justMetUntilNanos < 0;
    }
}
