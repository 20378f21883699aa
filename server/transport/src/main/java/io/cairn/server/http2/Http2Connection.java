package io.cairn.server.http2;

import io.cairn.server.admission.MemoryBudget;
import io.cairn.server.admission.RequestHeadTimeout;
import io.cairn.server.compress.SharedCompression;
import io.cairn.server.limit.Limit;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.collection.IntObjectHashMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of one HTTP/2 connection (RFC 9113): its streams, and the handling of protocol violations. */
public final class Http2Connection extends ChannelInboundHandlerAdapter implements FrameListener {

    /** The receive window of a stream and of the connection, in bytes. */
    static final int WINDOW_BYTES = 1024 * 1024;

    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int ENABLE_PUSH = 2;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int MAX_FRAME_SIZE = 5;
    private static final int MAX_HEADER_LIST_SIZE = 6;

    /** The limit of unread output; beyond it, reads stop. */
    private static final long MAX_UNREAD_BYTES = 1024 * 1024;

    private static final long GOOD_BYE_MILLIS = 2_000;
    private static final long LINGER_MILLIS = 1_000;
    private static final Logger log = LoggerFactory.getLogger(Http2Connection.class);

    private final Limits limits;
    private final FrameReader frames = new FrameReader(this);
    private final HeadReader heads;
    private final @Nullable SharedCompression compression;
    private final KeepAlive keepAlive;
    private final LongSupplier nanoTime;
    private final MessageMemory memory;
    private final FloodGuard floods = new FloodGuard();
    private final EndedStreams endedEarly = new EndedStreams();
    private final IntObjectHashMap<ServerStream> streams = new IntObjectHashMap<>(4);
    private @Nullable Outbound out;
    private @Nullable ScheduledFuture<?> alarm;
    private @Nullable RequestHeadTimeout heading;
    private int headsSeen;
    private int lastStream;
    /** The call whose head arrived without a whole DATA frame; 0 for no call. */
    private int awaitedStream;
    /** The last call whose head arrived alone. */
    private int lateStream;
    /** Whether messages arrive after their heads, as from clients with Nagle's algorithm. */
    private boolean sendsInPieces;
    /** The open stream with the last message, such as a response to a push; 0 for no stream. */
    private int answeringStream;

    private int receiveWindow = WINDOW_BYTES;
    private int initialWindow = Outbound.DEFAULT_WINDOW_BYTES;
    private boolean greeted;
    private boolean goingAway;
    private boolean hangingUp;

    /**
     * The limits of a client.
     *
     * @param messageBytes of one incoming message
     * @param maxCalls concurrent calls per connection
     * @param permitKeepAliveMillis the least interval of the client's pings
     * @param keepAliveMillis the silence after which the client receives a ping
     * @param keepAliveTimeoutMillis the limit for its response
     * @param headSeconds the limit for the first settings, and for a header block
     * @param memory of incomplete requests, for all connections
     */
    public record Limits(
            Limit messageBytes,
            int maxCalls,
            long permitKeepAliveMillis,
            long keepAliveMillis,
            long keepAliveTimeoutMillis,
            Limit headSeconds,
            MemoryBudget memory) {}

    /**
     * @param methods the handlers by path
     * @param compression of large messages; null disables compression
     */
    public Http2Connection(
            Limits limits, Map<AsciiString, Call.Handler> methods, @Nullable SharedCompression compression) {
        this(limits, methods, compression, System::nanoTime);
    }

    Http2Connection(
            Limits limits,
            Map<AsciiString, Call.Handler> methods,
            @Nullable SharedCompression compression,
            LongSupplier nanoTime) {
        this.compression = compression;
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.heads = new HeadReader(methods);
        this.memory = new MessageMemory(limits.memory(), limits.headSeconds().max());
        this.keepAlive = new KeepAlive(
                limits.permitKeepAliveMillis(),
                limits.keepAliveMillis(),
                limits.keepAliveTimeoutMillis(),
                nanoTime.getAsLong());
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        out = new Outbound(context, FlushQueue.of(context.channel().eventLoop()), keepAlive, nanoTime);
        setAlarm(context.channel());
        heading = new RequestHeadTimeout(
                limits.headSeconds(),
                context.channel().eventLoop(),
                () -> !context.channel().config().isAutoRead(),
                text -> fail(new Http2Failure(Http2Failure.ENHANCE_YOUR_CALM, text)));
        // The time limit for the first frames starts with the connection.
        heading.begun();
        context.fireChannelActive();
    }

    MessageMemory memory() {
        return memory;
    }

    private Outbound out() {
        Outbound present = out;
        if (present == null) {
            throw new IllegalStateException("the connection is not active");
        }
        return present;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (hangingUp || !(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        Outbound outbound = out();
        outbound.beginReading();
        try {
            frames.read(context.alloc(), bytes);
            if (frames.isPrefaceSeen()) {
                sendServerPreface(outbound);
            }
        } catch (Http2Failure e) {
            fail(e);
        } catch (RuntimeException e) {
            log.error(
                    "Connection from {} failed on a defect of the server",
                    context.channel().remoteAddress(),
                    e);
            fail(new Http2Failure(Http2Failure.INTERNAL_ERROR, "a defect of the server"));
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        keepAlive.heard(nanoTime.getAsLong());
        out().endReading();
        if (awaitedStream != 0) {
            lateStream = awaitedStream;
            awaitedStream = 0;
            out().acknowledgeAtOnce(true);
        } else if (answeringStream != 0 && sendsInPieces) {
            // The client delays its next call until the acknowledgement, too.
            out().acknowledgeAtOnce(true);
        }
        answeringStream = 0;
        watchHead();
        Channel channel = context.channel();
        if (!channel.isWritable() && channel.bytesBeforeWritable() > MAX_UNREAD_BYTES) {
            channel.config().setAutoRead(false);
        }
        context.fireChannelReadComplete();
    }

    private void watchHead() {
        RequestHeadTimeout deadline = heading;
        if (deadline == null) {
            return;
        }
        if (headsSeen != frames.heads()) {
            headsSeen = frames.heads();
            deadline.ended();
        }
        if (frames.isInHead()) {
            deadline.begun();
        } else {
            deadline.ended();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (out != null && context.channel().isWritable()) {
            out.sendWaiting();
            context.channel().config().setAutoRead(true);
        }
        context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        frames.close();
        if (alarm != null) {
            alarm.cancel(false);
        }
        if (heading != null) {
            heading.close();
        }
        cancelStreams();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        frames.close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof IOException)) {
            log.debug("Connection from {} is closed", context.channel().remoteAddress(), cause);
        }
        context.close();
    }

    /** Sends the first frames of the server (section 3.4). */
    private void sendServerPreface(Outbound outbound) {
        if (greeted) {
            return;
        }
        greeted = true;
        outbound.settings(
                MAX_CONCURRENT_STREAMS,
                limits.maxCalls(),
                INITIAL_WINDOW_SIZE,
                WINDOW_BYTES,
                MAX_HEADER_LIST_SIZE,
                HeadReader.MAX_LIST_BYTES);
        outbound.windowUpdate(0, WINDOW_BYTES - Outbound.DEFAULT_WINDOW_BYTES);
    }

    private void setAlarm(Channel channel) {
        long wait = Math.max(1, keepAlive.waitNanos(nanoTime.getAsLong()));
        alarm = channel.eventLoop().schedule(() -> checkSilence(channel), wait, TimeUnit.NANOSECONDS);
    }

    private void checkSilence(Channel channel) {
        switch (keepAlive.due(nanoTime.getAsLong())) {
            case PING -> out().ping(0);
            case HANG_UP -> {
                log.debug("{} does not answer a ping", channel.remoteAddress());
                channel.close();
                return;
            }
            case NOTHING -> {}
        }
        setAlarm(channel);
    }

    @Override
    public void onHeaders(int stream, ByteBuf block, boolean end) throws Http2Failure {
        ServerStream present = streams.get(stream);
        if (present != null) {
            boolean isTrailers = readsTrailers(stream, block);
            if (present.hasRemoteEnded()) {
                reset(stream, Http2Failure.STREAM_CLOSED);
            } else if (!end || !isTrailers || !present.admits(0, true)) {
                reset(stream, Http2Failure.PROTOCOL_ERROR);
            } else {
                present.remoteEnd();
            }
            return;
        }
        if ((stream & 1) == 0) {
            throw new Http2Failure(Http2Failure.PROTOCOL_ERROR, "stream " + stream + " opened by a client");
        }
        if (stream <= lastStream) {
            if (!endedEarly.has(stream, end)) {
                throw new Http2Failure(
                        Http2Failure.STREAM_CLOSED, "headers for stream " + stream + ", which is closed");
            }
            readsTrailers(stream, block);
            return;
        }
        lastStream = stream;
        if (goingAway || streams.size() >= limits.maxCalls()) {
            readsTrailers(stream, block);
            floods.count();
            refuse(stream, Http2Failure.REFUSED_STREAM, end);
            return;
        }
        open(stream, block, end);
    }

    private void open(int stream, ByteBuf block, boolean end) throws Http2Failure {
        RequestHead head;
        try {
            head = heads.read(stream, block);
        } catch (Http2Exception.HeaderListSizeException e) {
            head = RequestHead.TOO_LONG;
        } catch (Http2Exception e) {
            if (!Http2Exception.isStreamError(e)) {
                throw new Http2Failure((int) e.error().code(), String.valueOf(e.getMessage()));
            }
            refuse(stream, (int) e.error().code(), end);
            return;
        }
        MessageReader messages = new MessageReader(limits.messageBytes(), head.gzip());
        ServerStream opened = new ServerStream(
                this, out(), stream, initialWindow, messages, head.takesGzip() ? compression : null, head);
        streams.put(stream, opened);
        Call.Handler handler = head.handler();
        byte[] refusal = opened.admitsHead() ? head.refusal() : RequestHead.NO_ROOM.refusal();
        if (handler != null && refusal == null) {
            opened.start(handler);
        } else if (refusal != null) {
            opened.refuse(refusal, end);
            return;
        }
        if (!end) {
            awaitedStream = stream;
        } else if (opened.admits(0, true)) {
            opened.remoteEnd();
        } else {
            reset(stream, Http2Failure.PROTOCOL_ERROR);
        }
    }

    /** Decodes headers to update the table; returns whether they are valid trailers (section 8.1). */
    private boolean readsTrailers(int stream, ByteBuf block) throws Http2Failure {
        try {
            for (CharSequence name : heads.decode(stream, block).names()) {
                if (Http2Headers.PseudoHeaderName.hasPseudoHeaderFormat(name)) {
                    return false;
                }
            }
            return true;
        } catch (Http2Exception e) {
            if (!Http2Exception.isStreamError(e)) {
                throw new Http2Failure((int) e.error().code(), String.valueOf(e.getMessage()));
            }
            return false;
        }
    }

    @Override
    public void onData(int stream, ByteBuf buffer, int offset, int length, int charged, boolean end)
            throws Http2Failure {
        if (stream == awaitedStream) {
            awaitedStream = 0;
        }
        if (!end) {
            answeringStream = stream;
        } else {
            // A stream opened in advance also has a separate head, but does not end.
            sendsInPieces |= stream == lateStream;
            answeringStream = stream == answeringStream ? 0 : answeringStream;
        }
        receiveWindow -= charged;
        if (receiveWindow < 0) {
            throw new Http2Failure(Http2Failure.FLOW_CONTROL_ERROR, "more data than the window of the connection");
        }
        if (receiveWindow < WINDOW_BYTES / 2) {
            out().windowUpdate(0, WINDOW_BYTES - receiveWindow);
            receiveWindow = WINDOW_BYTES;
        }
        if (length == 0 && !end) {
            floods.count();
        }
        ServerStream present = streams.get(stream);
        if (present == null) {
            checkNotIdle(stream);
            if (!endedEarly.has(stream, end)) {
                floods.count();
                out().reset(stream, Http2Failure.STREAM_CLOSED);
            }
        } else if (present.hasRemoteEnded()) {
            reset(stream, Http2Failure.STREAM_CLOSED);
        } else if (!present.admits(length, end)) {
            reset(stream, Http2Failure.PROTOCOL_ERROR);
        } else if (!present.receive(buffer, offset, length, charged, end)) {
            reset(stream, Http2Failure.FLOW_CONTROL_ERROR);
        }
    }

    @Override
    public void onReset(int stream) throws Http2Failure {
        checkNotIdle(stream);
        floods.count();
        endedEarly.has(stream, true);
        ServerStream present = streams.remove(stream);
        if (present != null) {
            present.cancel();
            afterEnd();
        }
    }

    @Override
    public void onSelfDependency(int stream) throws Http2Failure {
        if (streams.containsKey(stream)) {
            reset(stream, Http2Failure.PROTOCOL_ERROR);
        } else {
            floods.count();
        }
    }

    private void checkNotIdle(int stream) throws Http2Failure {
        if (stream > lastStream || (stream & 1) == 0) {
            throw new Http2Failure(Http2Failure.PROTOCOL_ERROR, "stream " + stream + " is not open");
        }
    }

    /**
     * Resets a stream after a protocol violation (section 5.4.2). Counts as a reset by the client, because the work for the
     * stream may continue (CVE-2025-8671).
     */
    private void reset(int stream, int code) throws Http2Failure {
        floods.count();
        ServerStream present = streams.remove(stream);
        if (present != null) {
            present.cancel();
            refuse(stream, code, present.hasRemoteEnded());
            afterEnd();
        }
    }

    private void refuse(int stream, int code, boolean remoteEnded) {
        out().reset(stream, code);
        if (!remoteEnded) {
            endedEarly.add(stream);
        }
    }

    /** All frames of the call were written. */
    void ended(ServerStream stream) {
        streams.remove(stream.id());
        if (!stream.hasRemoteEnded()) {
            // Section 8.1: the response is complete, so the client need not send the rest.
            refuse(stream.id(), Http2Failure.NO_ERROR, false);
        }
        afterEnd();
    }

    private void afterEnd() {
        if (goingAway && !hangingUp && streams.isEmpty()) {
            closeAfterFlush();
        }
    }

    private void cancelStreams() {
        for (ServerStream stream : new ArrayList<>(streams.values())) {
            streams.remove(stream.id());
            stream.cancel();
        }
    }

    @Override
    public void onSetting(int id, long value) throws Http2Failure {
        switch (id) {
            case ENABLE_PUSH -> {
                if (value > 1) {
                    throw new Http2Failure(Http2Failure.PROTOCOL_ERROR, "ENABLE_PUSH: " + value);
                }
            }
            case INITIAL_WINDOW_SIZE -> {
                if (value > Integer.MAX_VALUE) {
                    throw new Http2Failure(Http2Failure.FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE: " + value);
                }
                widenAll((int) value - initialWindow);
                initialWindow = (int) value;
            }
            case MAX_FRAME_SIZE -> {
                if (value < FrameReader.MAX_FRAME_BYTES || value > 0xff_ffff) {
                    throw new Http2Failure(Http2Failure.PROTOCOL_ERROR, "MAX_FRAME_SIZE: " + value);
                }
                out().maxFrame(value);
            }
            default -> {
                // Other settings concern pushes and the dynamic table, which the server does not use.
            }
        }
    }

    private void widenAll(int bytes) throws Http2Failure {
        for (ServerStream stream : streams.values()) {
            if (!stream.widen(bytes)) {
                throw new Http2Failure(Http2Failure.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
            }
        }
    }

    @Override
    public void onSettingsEnd() throws Http2Failure {
        // The server's settings are sent first.
        sendServerPreface(out());
        floods.count();
        out().settingsSeen();
        out().sendWaiting();
    }

    @Override
    public void onPing(long data, boolean ack) throws Http2Failure {
        if (ack) {
            return;
        }
        if (!keepAlive.permits(nanoTime.getAsLong())) {
            throw new Http2Failure(Http2Failure.ENHANCE_YOUR_CALM, "too_many_pings");
        }
        out().pong(data);
    }

    @Override
    public void onWindowUpdate(int stream, int increment) throws Http2Failure {
        if (stream == 0) {
            if (increment == 0) {
                throw new Http2Failure(Http2Failure.PROTOCOL_ERROR, "a window that grows by 0");
            }
            if (!out().widen(increment)) {
                throw new Http2Failure(Http2Failure.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
            }
        } else {
            ServerStream present = streams.get(stream);
            if (present == null) {
                checkNotIdle(stream);
                return;
            }
            if (increment == 0) {
                reset(stream, Http2Failure.PROTOCOL_ERROR);
            } else if (!present.widen(increment)) {
                reset(stream, Http2Failure.FLOW_CONTROL_ERROR);
            }
        }
        out().sendWaiting();
    }

    /** Ends the connection after a protocol violation (section 5.4.1). */
    private void fail(Http2Failure failure) {
        if (hangingUp) {
            return;
        }
        Outbound outbound = out();
        log.debug("Connection from {} ends: {}", outbound.channel().remoteAddress(), failure.what());
        goingAway = true;
        // The client has time to read the reason; its input is released at once.
        frames.close();
        if (frames.isPrefaceSeen()) {
            sendServerPreface(outbound);
            outbound.goAway(lastStream, failure.code(), failure.what());
        }
        closeAfterFlush();
        cancelStreams();
    }

    /** Rejects new calls, and closes after the last call; on the event loop. */
    public void finish() {
        Outbound outbound = out;
        if (outbound == null || goingAway) {
            return;
        }
        goingAway = true;
        if (greeted) {
            outbound.goAway(lastStream, Http2Failure.NO_ERROR, "");
        }
        afterEnd();
    }

    /** Whether a call of one message has no answer yet; on the event loop. */
    public boolean hasCallUnderWay() {
        for (ServerStream stream : streams.values()) {
            if (stream.awaitsAnswer()) {
                return true;
            }
        }
        return false;
    }

    /** Like {@link #finish}, with a time limit, in which a client that reads can receive the end. */
    public void end() {
        finish();
        Outbound outbound = out;
        if (outbound != null && !hangingUp) {
            Channel channel = outbound.channel();
            channel.eventLoop().schedule(() -> channel.close(), GOOD_BYE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Closes after the output was passed to the network, so that the client can read it. */
    private void closeAfterFlush() {
        hangingUp = true;
        Outbound outbound = out();
        Channel channel = outbound.channel();
        // Closing a socket with unread input would discard its output.
        outbound.flushed().addListener(sent -> {
            if (sent.isSuccess()
                    && channel instanceof DuplexChannel duplex
                    && channel.pipeline().get(SslHandler.class) == null) {
                duplex.shutdownOutput();
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
        channel.eventLoop().schedule(() -> channel.close(), GOOD_BYE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
