package io.cairn.server.http2;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Streams that the server has ended and the client may not know of yet: what it sends on them is passed over (RFC 9113, section
 * 5.1). Bounded: of a client that never ends its side, the oldest are not remembered. Used on one event loop.
 */
final class EndedStreams {

    private static final int MAX = 200;

    private @Nullable Set<Integer> streams;

    void add(int stream) {
        Set<Integer> present = streams;
        if (present == null) {
            present = new HashSet<>(4);
            streams = present;
        }
        if (present.size() >= MAX) {
            present.clear();
        }
        present.add(stream);
    }

    /** Whether it is one of them; when the client ends it as well, that is forgotten. */
    boolean has(int stream, boolean end) {
        Set<Integer> present = streams;
        return present != null && (end ? present.remove(stream) : present.contains(stream));
    }
}
