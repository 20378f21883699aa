package io.cairn.server.http;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.RequestHeadTimeout;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import io.netty.handler.timeout.IdleStateEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP/2 connection with Netty's codec, which also limits floods of resets, empty frames and continuations.
 * {@link Http2Wire} serves the requests.
 */
final class Http2Channel extends Http2ConnectionHandler {

    private static final Logger log = LoggerFactory.getLogger(Http2Channel.class);

    private static final int STREAM_WINDOW_BYTES = 256 * 1024;
    private static final int CONNECTION_WINDOW_BYTES = 1024 * 1024;
    /** The bytes of a stream before the next stream's turn. */
    private static final int TURN_BYTES = 16 * 1024;

    private static final int SMALL_CONTINUATIONS = 16;
    private static final int EMPTY_FRAMES = 16;
    private static final int RESETS = 500;
    private static final int RESET_SECONDS = 30;

    private final Http2Wire wire;
    private final FrameWatch frames = new FrameWatch();
    private final HttpMemory memory;
    private @Nullable RequestHeadTimeout heading;
    /** The bytes reserved for an incomplete large head. */
    private int headTaken;

    private int headsSeen;
    private boolean isWindowOpened;
    /** Whether memory for a head was unavailable, so that received bytes are dropped. */
    private boolean isRefused;

    private Http2Channel(
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            Http2Wire wire,
            HttpMemory memory) {
        super(decoder, encoder, settings);
        this.wire = wire;
        this.memory = memory;
        wire.on(this);
    }

    static Http2Channel create(
            RequestHandler handler, int maxStreams, HttpMemory memory, ResponseCompression compression) {
        Http2HeadDecoder heads = new Http2HeadDecoder(memory.maxHeadBytes());
        return new Builder(new Http2Wire(handler, memory, compression, heads), maxStreams, memory, heads).build();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        wire.exchanges().open(context);
        super.handlerAdded(context);
        openWindow(context);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext context) throws Exception {
        if (heading != null) {
            heading.close();
        }
        endLargeHead();
        super.handlerRemoved0(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (message instanceof ByteBuf bytes) {
            if (isRefused) {
                bytes.release();
                return;
            }
            frames.inspect(bytes);
        }
        super.channelRead(context, message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        if (heading != null && headsSeen != frames.ended()) {
            heading.ended();
        }
        if (frames.isInHead()) {
            RequestHeadTimeout deadline = heading;
            if (deadline == null) {
                deadline = new RequestHeadTimeout(
                        memory.limits().headSeconds(),
                        context.executor(),
                        () -> !context.channel().config().isAutoRead(),
                        late -> context.close());
                heading = deadline;
            }
            headsSeen = frames.ended();
            deadline.begun();
        }
        if (!isRefused) {
            admitHead(context);
        }
        super.channelReadComplete(context);
    }

    /** Reserves the memory for an incomplete large head, or ends the connection. */
    private void admitHead(ChannelHandlerContext context) {
        if (frames.headBytes() <= MemoryBudget.SMALL_BYTES) {
            endLargeHead();
            return;
        }
        if (headTaken == 0) {
            headTaken = memory.reserveHead(frames.headBytes());
        }
        if (headTaken > 0) {
            return;
        }
        isRefused = true;
        log.debug("HTTP/2 connection from {} closed: {}", wire.exchanges().remoteIp(), HttpPipeline.TOO_MANY_LARGE);
        // A closed channel would keep the head until the loop has read all ready channels, which may hold hundreds of
        // heads.
        decoder().close();
        goAway(
                context,
                connection().remote().lastStreamCreated(),
                Http2Error.ENHANCE_YOUR_CALM.code(),
                ByteBufUtil.writeAscii(context.alloc(), HttpPipeline.TOO_MANY_LARGE),
                context.newPromise());
        context.flush();
        context.close();
    }

    /** From here on the stream holds the memory. */
    private void endLargeHead() {
        memory.releaseHead(headTaken);
        headTaken = 0;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
        super.channelActive(context);
        openWindow(context);
    }

    private void openWindow(ChannelHandlerContext context) throws Http2Exception {
        if (context.channel().isActive() && !isWindowOpened) {
            isWindowOpened = true;
            Http2Stream all = connection().connectionStream();
            int more = CONNECTION_WINDOW_BYTES
                    - connection().local().flowController().initialWindowSize(all);
            connection().local().flowController().incrementWindowSize(all, more);
            context.flush();
        }
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // compares identity
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        if (event == HttpPipeline.FINISH) {
            wire.finish();
        } else if (event instanceof IdleStateEvent && wire.isIdle()) {
            context.close();
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        // Stops reads from a client that does not read, because responses outside flow control, such as to pings, would
        // accumulate.
        context.channel().config().setAutoRead(context.channel().isWritable());
        super.channelWritabilityChanged(context);
    }

    /** Handles failures outside HTTP/2, such as a reset connection; Netty would log a warning for each. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) != null) {
            super.exceptionCaught(context, cause);
            return;
        }
        wire.exchanges().fail(cause);
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext context, boolean outbound, Throwable cause, @Nullable Http2Exception http2) {
        wire.exchanges().logFailure(cause, http2 != null || cause instanceof IOException);
        super.onConnectionError(context, outbound, cause, http2);
    }

    private static final class Builder extends AbstractHttp2ConnectionHandlerBuilder<Http2Channel, Builder> {

        private final Http2Wire wire;
        private final HttpMemory memory;
        private final Http2HeadDecoder heads;

        Builder(Http2Wire wire, int maxStreams, HttpMemory memory, Http2HeadDecoder heads) {
            this.wire = wire;
            this.memory = memory;
            this.heads = heads;
            initialSettings(Http2Settings.defaultSettings()
                    .maxConcurrentStreams(maxStreams)
                    .initialWindowSize(STREAM_WINDOW_BYTES)
                    .maxHeaderListSize(memory.maxHeadBytes()));
            frameListener(new FrameFlood(wire));
            // A graceful close would wait for long polls.
            gracefulShutdownTimeoutMillis(0);
            decoderEnforceMaxConsecutiveEmptyDataFrames(EMPTY_FRAMES);
            decoderEnforceMaxRstFramesPerWindow(RESETS, RESET_SECONDS);
            encoderEnforceMaxRstFramesPerWindow(RESETS, RESET_SECONDS);
        }

        @Override
        protected Http2Channel build() {
            var connection = new DefaultHttp2Connection(true);
            var shares = new UniformStreamByteDistributor(connection);
            shares.minAllocationChunk(TURN_BYTES);
            connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, shares));
            connection.addListener(wire);
            var encoder =
                    new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter(new Http2HeadEncoder()));
            var reader = new DefaultHttp2FrameReader(heads, SMALL_CONTINUATIONS);
            codec(new DefaultHttp2ConnectionDecoder(connection, encoder, reader), encoder);
            return super.build();
        }

        @Override
        protected Http2Channel build(
                Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
            return new Http2Channel(decoder, encoder, settings, wire, memory);
        }
    }
}
