package io.cairn.server.xds;

import io.cairn.server.push.PushBudget;
import java.util.concurrent.TimeUnit;

/** The part of a stream in the budget of large pushes. Used on the event loop of the stream. */
final class StreamBudget {

    private final XdsStream stream;
    private final StreamHome home;
    private boolean waits;

    StreamBudget(XdsStream stream, StreamHome home) {
        this.stream = stream;
        this.home = home;
    }

    /** Takes the bytes of a response; -1 when there is no room, and the stream goes on when there is. */
    int take(int bytes) {
        // A stream waits once, however often it tries meanwhile; small responses need no room.
        int taken = waits && bytes > PushBudget.SMALL_BYTES ? -1 : home.take(bytes, this::onRoom);
        waits |= taken < 0;
        return taken;
    }

    /** Gives the bytes of the last response back in a while, also when the client never acknowledges it. */
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

    /** There may be room; by any thread. False when the stream cannot use it. */
    private boolean onRoom() {
        return XdsStream.execute(stream.loop(), () -> {
            waits = false;
            stream.advance();
            if (!waits) {
                // There may be room for others, too; a stream that has ended or sends less must not keep its turn.
                home.passOn();
            }
        });
    }
}
