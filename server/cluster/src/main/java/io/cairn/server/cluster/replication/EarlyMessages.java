package io.cairn.server.cluster.replication;

import io.cairn.server.node.NodeId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/** Messages of senders that the view does not name yet. Not thread-safe. */
final class EarlyMessages {

    /** A message waits for this time for a view that names its sender. */
    private static final Duration WAIT = Duration.ofSeconds(2);

    /** Further messages are dropped; the stream repairs the gap. */
    private static final int MOST = 2_000;

    private final ArrayDeque<Early> waiting = new ArrayDeque<>();

    private record Early(NodeId from, byte[] message, long sinceNanos) {}

    /** False when too many wait. */
    boolean add(NodeId from, byte[] message, long now) {
        return waiting.size() < MOST && waiting.add(new Early(from, message, now));
    }

    /** Removes a sender's messages and passes them, in order. */
    void take(NodeId from, Consumer<byte[]> to) {
        for (Iterator<Early> all = waiting.iterator(); all.hasNext(); ) {
            Early each = all.next();
            if (each.from().equals(from)) {
                all.remove();
                to.accept(each.message());
            }
        }
    }

    int dropLate(long now) {
        int dropped = 0;
        for (Early oldest = waiting.peek();
                oldest != null && now - oldest.sinceNanos() > WAIT.toNanos();
                oldest = waiting.peek()) {
            waiting.remove();
            dropped++;
        }
        return dropped;
    }
}
