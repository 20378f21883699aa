package io.cairn.server.http2;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Streams ended by the server whose clients may still send frames, which are ignored (RFC 9113, section 5.1). Bounded: the
 * oldest streams are forgotten when a client never ends its side.
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

    /** Whether the stream is in the set; removes it at the client's end. */
    boolean has(int stream, boolean end) {
        Set<Integer> present = streams;
        return present != null && (end ? present.remove(stream) : present.contains(stream));
    }
}
