package io.cairn.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.concurrent.TimeUnit;

/**
 * Ends a connection whose client floods the server with pings and settings (RFC 9113, section 10.5), which no other limit
 * counts.
 */
final class FrameFlood extends Http2FrameListenerDecorator {

    static final int MAX_FRAMES = 2_000;
    private static final long SPAN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private int frames;
    private long sinceNanos = System.nanoTime();

    FrameFlood(Http2FrameListener next) {
        super(next);
    }

    @Override
    public void onPingRead(ChannelHandlerContext context, long data) throws Http2Exception {
        count();
        super.onPingRead(context, data);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) throws Http2Exception {
        count();
        super.onSettingsRead(context, settings);
    }

    private void count() throws Http2Exception {
        if (++frames < MAX_FRAMES) {
            return;
        }
        long now = System.nanoTime();
        if (now - sinceNanos <= SPAN_NANOS) {
            throw Http2Exception.connectionError(
                    Http2Error.ENHANCE_YOUR_CALM, "%d pings and settings in less than 30 seconds", frames);
        }
        frames = 0;
        sinceNanos = now;
    }
}
