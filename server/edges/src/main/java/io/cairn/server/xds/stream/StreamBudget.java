package io.cairn.server.xds.stream;

import io.cairn.server.push.PushBudget;
import java.util.concurrent.TimeUnit;

/** A stream's part of the budget of large pushes. For the event loop of the stream. */
final class StreamBudget {

    private final XdsStream stream;
    private final StreamHome home;
    private boolean waits;

    StreamBudget(XdsStream stream, StreamHome home) {
        this.stream = stream;
        this.home = home;
    }

    /** Takes a response's bytes; -1 without room: the stream continues later. */
    int reserve(int bytes) {
        // A stream waits once for all its tries; small responses need no room.
        int taken = waits && bytes > PushBudget.SMALL_BYTES ? -1 : home.reserve(bytes, this::onRoom);
        waits |= taken < 0;
        return taken;
    }

    /** Releases the last response's bytes after a while, even without an acknowledgement. */
    void releaseInTime(TypeState type) {
        String nonce = type.nonce();
        stream.call()
                .channel()
                .eventLoop()
                .schedule(
                        () -> {
                            if (type.nonce().equals(nonce)) {
                                home.release(type.takeBudget());
                            }
                        },
                        XdsLimits.BUDGET_NANOS,
                        TimeUnit.NANOSECONDS);
    }

    /** By any thread. False when the stream cannot use the room. */
    private boolean onRoom() {
        return stream.execute(() -> {
            waits = false;
            stream.advance();
            if (!waits) {
                // Memory may remain, also if the stream ended or sends less, so the next response tries.
                home.passOn();
            }
        });
    }
}
