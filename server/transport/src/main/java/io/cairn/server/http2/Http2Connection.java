package io.cairn.server.http2;

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

/**
 * The server's side of one HTTP/2 connection (RFC 9113): its streams, and what is done when a client does something it may not.
 * All on the event loop of its channel.
 */
public final class Http2Connection extends ChannelInboundHandlerAdapter implements FrameListener {

    /** Bytes that a client may send, on a stream and in all, before the server opens the window again. */
    static final int WINDOW_BYTES = 1024 * 1024;

    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int ENABLE_PUSH = 2;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int MAX_FRAME_SIZE = 5;
    private static final int MAX_HEADER_LIST_SIZE = 6;

    /** The server stops reading from a client that has left more bytes than this unread. */
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
    private final FloodGuard floods = new FloodGuard();
    private final EndedStreams endedEarly = new EndedStreams();
    private final IntObjectHashMap<ServerStream> streams = new IntObjectHashMap<>(4);
    private @Nullable Outbound out;
    private @Nullable ScheduledFuture<?> alarm;
    private @Nullable RequestHeadTimeout heading;
    private int headsSeen;
    private int lastStream;
    /** The call whose head has just come, without a whole frame of its message; 0 for none. */
    private int awaitedStream;
    /** The call whose head came alone last. */
    private int lateStream;
    /** Whether the whole message of a call has come after its head, as from a client with Nagle's algorithm on. */
    private boolean sendsInPieces;
    /** The stream on which a message has just come, and that goes on, as that with answers to pushes does; 0 for none. */
    private int answeringStream;

    private int receiveWindow = WINDOW_BYTES;
    private int initialWindow = Outbound.DEFAULT_WINDOW_BYTES;
    private boolean greeted;
    private boolean goingAway;
    private boolean hangingUp;

    /**
     * The limits of a client.
     *
     * @param messageBytes of one message that comes in
     * @param maxCalls at the same time on one connection
     * @param permitKeepAliveMillis between two pings of the client
     * @param keepAliveMillis of silence after which the client is pinged
     * @param keepAliveTimeoutMillis within which it must answer
     * @param headSeconds from the connection to the end of its first settings, and from the beginning of headers to their end
     */
    public record Limits(
            Limit messageBytes,
            int maxCalls,
            long permitKeepAliveMillis,
            long keepAliveMillis,
            long keepAliveTimeoutMillis,
            Limit headSeconds) {}

    /**
     * @param methods what answers the calls, by the path of their methods
     * @param compression of large messages to clients that take it; null for none
     */
    public Http2Connection(
            Limits limits, Map<AsciiString, Call.Handler> methods, @Nullable SharedCompression compression) {
        this(limits, methods, compression, System::nanoTime);
    }

    /** @param nanoTime what {@link System#nanoTime} tells */
    Http2Connection(
            Limits limits,
            Map<AsciiString, Call.Handler> methods,
            @Nullable SharedCompression compression,
            LongSupplier nanoTime) {
        this.compression = compression;
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.heads = new HeadReader(methods);
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
        // A client that connects sends something soon: the time for its first frames begins now.
        heading.begun();
        context.fireChannelActive();
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
                greet(outbound);
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
            // It keeps its next call until then, too.
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
    private void greet(Outbound outbound) {
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
        byte[] refusal = head.refusal();
        if (handler != null) {
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

    /** Reads headers for what they do to the table of all others; returns whether they may end a call (section 8.1). */
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
            // A stream that opens before there is something to say has a head alone as well, but does not end.
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
     * Ends a stream that a client has treated wrongly (section 5.4.2). Counts as a reset by the client, because the work for the stream
     * may go on (CVE-2025-8671).
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

    /** All frames of a call are written. */
    void ended(ServerStream stream) {
        streams.remove(stream.id());
        if (!stream.hasRemoteEnded()) {
            // Section 8.1: the answer is whole, so the client need not send the rest.
            refuse(stream.id(), Http2Failure.NO_ERROR, false);
        }
        afterEnd();
    }

    private void afterEnd() {
        if (goingAway && !hangingUp && streams.isEmpty()) {
            hangUp();
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
                // The others bind those who push, or who compress with a table: we do neither.
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
        // Our own come first.
        greet(out());
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

    /** Ends the connection because of what the client did (section 5.4.1). */
    private void fail(Http2Failure failure) {
        if (hangingUp) {
            return;
        }
        Outbound outbound = out();
        log.debug("Connection from {} ends: {}", outbound.channel().remoteAddress(), failure.what());
        goingAway = true;
        if (frames.isPrefaceSeen()) {
            greet(outbound);
            outbound.goAway(lastStream, failure.code(), failure.what());
        }
        hangUp();
        cancelStreams();
    }

    /** Takes no more calls, and closes when those under way have ended; on the event loop. */
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

    /**
     * Takes no more calls and closes when those under way have ended, or have had time to; on the event loop. A client that
     * reads is given the time to see it, one that does not is hung up on.
     */
    public void end() {
        finish();
        Outbound outbound = out;
        if (outbound != null && !hangingUp) {
            Channel channel = outbound.channel();
            channel.eventLoop().schedule(() -> channel.close(), GOOD_BYE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Closes once all that was written is with the network, in such a way that the client can read it. */
    private void hangUp() {
        hangingUp = true;
        Outbound outbound = out();
        Channel channel = outbound.channel();
        // A socket that is closed with something in it unread takes back what it has sent.
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
