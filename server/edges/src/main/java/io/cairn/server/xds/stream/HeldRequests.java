package io.cairn.server.xds.stream;

import java.util.ArrayList;
import java.util.List;

/** The requests before the admission of a stream's client. For the event loop of the stream. */
final class HeldRequests {

    private final List<byte[]> messages = new ArrayList<>(1);
    private long bytes;

    /** @throws XdsLimits.ExceededException for too many requests or bytes */
    void add(byte[] message) {
        if (messages.size() == XdsLimits.MAX_HELD) {
            throw new XdsLimits.ExceededException(
                    "more requests than fit before the first response, while the stored resources are read",
                    XdsLimits.MAX_HELD);
        }
        if (bytes + message.length > XdsLimits.MAX_HELD_BYTES) {
            throw new XdsLimits.ExceededException(
                    "more bytes of requests than fit before the first response, while the stored resources are read",
                    XdsLimits.MAX_HELD_BYTES);
        }
        messages.add(message);
        bytes += message.length;
    }

    List<byte[]> messages() {
        return messages;
    }
}
