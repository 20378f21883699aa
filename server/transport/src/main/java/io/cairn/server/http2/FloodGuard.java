package io.cairn.server.http2;

import java.util.concurrent.TimeUnit;

/** Counts frames that cost only the server (RFC 9113, section 10.5). */
final class FloodGuard {

    private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int MAX_FRAMES = 2_000;

    private int frames;
    private long sinceNanos = System.nanoTime();

    /** @throws Http2Failure after too many frames in too short a time */
    void count() throws Http2Failure {
        if (++frames < MAX_FRAMES) {
            return;
        }
        long now = System.nanoTime();
        if (now - sinceNanos <= SPAN_NANOS) {
            throw new Http2Failure(Http2Failure.ENHANCE_YOUR_CALM, "too many frames that do nothing");
        }
        frames = 0;
        sinceNanos = now;
    }
}
