package io.cairn.server.xds.stream;

import io.cairn.server.http2.GrpcStatus;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Ends a stream without a request. For the event loop of the stream. */
final class FirstRequestDeadline {

    private final Future<?> timer;

    FirstRequestDeadline(XdsStream stream) {
        this.timer = stream.call()
                .channel()
                .eventLoop()
                .schedule(() -> passed(stream), XdsLimits.FIRST_REQUEST_NANOS, TimeUnit.NANOSECONDS);
    }

    private static void passed(XdsStream stream) {
        stream.end(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "no request came (limit: " + TimeUnit.NANOSECONDS.toSeconds(XdsLimits.FIRST_REQUEST_NANOS)
                        + " s after the start of the stream)");
    }

    void cancel() {
        timer.cancel(false);
    }
}
