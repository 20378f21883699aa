package io.cairn.server.http2;

import io.cairn.api.wire.Framed;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.epoll.EpollChannelOption;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The output of one connection: frames, and the flow control windows of the client (RFC 9113, section 5.2). Streams that
 * exceed a window wait in a queue and alternate frame by frame.
 */
final class Outbound {

    static final int DEFAULT_WINDOW_BYTES = 65_535;

    private static final int MAX_UNREAD_REPLIES = 1_000;
    /** A response within 40 ms is acknowledged by the next message, if that follows within another 40 ms. */
    private static final long STEADY_NANOS = TimeUnit.MILLISECONDS.toNanos(80);
    /**
     * Linux waits at least 36 ms with 250 clock ticks per second, counted from the response, which is later than the
     * message.
     */
    private static final long STILL_WAITS_NANOS = TimeUnit.MILLISECONDS.toNanos(35);
    /** The messages until the option is set again, because Linux also resets it after a lost packet. */
    private static final int UNASKED = 64;

    private static final Logger log = LoggerFactory.getLogger(Outbound.class);

    private final ChannelHandlerContext context;
    private final Channel channel;
    private final LongSupplier nanoTime;
    private final ChannelPromise unwatched;
    private final FlushQueue flushes;
    private final KeepAlive keepAlive;
    private final ArrayDeque<ServerStream> row = new ArrayDeque<>(2);
    private List<ServerStream> unready = new ArrayList<>(1);
    private int window = DEFAULT_WINDOW_BYTES;
    private int maxFrameBytes = FrameReader.MAX_FRAME_BYTES;
    private int unreadReplies;
    private boolean isReading;
    private boolean dirty;
    private boolean bearsMessage;
    private boolean takesOptions = true;
    private int unasked = UNASKED;
    private long lastMessageNanos;

    Outbound(ChannelHandlerContext context, FlushQueue flushes, KeepAlive keepAlive, LongSupplier nanoTime) {
        this.context = context;
        this.channel = context.channel();
        this.unwatched = channel.voidPromise();
        this.flushes = flushes;
        this.keepAlive = keepAlive;
        this.nanoTime = nanoTime;
        this.lastMessageNanos = nanoTime.getAsLong() - STEADY_NANOS;
    }

    Channel channel() {
        return channel;
    }

    /** Holds back all writes until {@link #endReading}. */
    void beginReading() {
        isReading = true;
    }

    void endReading() {
        isReading = false;
        if (dirty) {
            flush();
        }
    }

    void flush() {
        dirty = false;
        context.flush();
        if (bearsMessage) {
            bearsMessage = false;
            delayAcknowledgement();
        }
    }

    /**
     * Delays the TCP acknowledgement of the client's short response to a message. Linux would acknowledge it in a separate
     * packet; when messages follow each other closely, TCP_QUICKACK off makes it wait up to 40 ms for the next message.
     * Linux resets the option after a wait in vain (tcp(7)), so it is renewed unless a reset is impossible. Other systems
     * have no such option.
     */
    private void delayAcknowledgement() {
        long now = nanoTime.getAsLong();
        long pause = now - lastMessageNanos;
        lastMessageNanos = now;
        if (pause >= STEADY_NANOS) {
            unasked = UNASKED;
        } else if (unasked < UNASKED && pause < STILL_WAITS_NANOS) {
            unasked++;
        } else {
            unasked = 0;
            acknowledgeAtOnce(false);
        }
    }

    /**
     * Enables immediate acknowledgements. A client with Nagle's algorithm, such as the Rust SDK, sends the head of a call
     * and keeps the rest until the acknowledgement, which Linux would delay by 40 ms.
     */
    void acknowledgeAtOnce(boolean now) {
        if (now) {
            unasked = UNASKED;
        }
        if (takesOptions && channel.isActive()) {
            try {
                channel.config().setOption(EpollChannelOption.TCP_QUICKACK, now);
            } catch (ChannelException e) {
                // The option affects performance only; a read reports a broken connection.
                takesOptions = false;
                log.debug("The socket of {} takes no options", channel.remoteAddress(), e);
            }
        }
    }

    /** Completes when all output was passed to the network. */
    ChannelFuture flushed() {
        dirty = false;
        return context.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    private void write(ByteBuf frames) {
        context.write(frames, unwatched);
        isDirty();
    }

    private void isDirty() {
        if (!dirty) {
            dirty = true;
            if (!isReading) {
                flushes.add(this);
            }
        }
    }

    /** For {@link FlushQueue}. */
    void flushIfDirty() {
        if (dirty && !isReading) {
            flush();
        }
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    /** Whether a message of this size can be sent at once, in one frame and before waiting streams. */
    boolean takes(int framedBytes) {
        return framedBytes <= window && framedBytes <= FrameReader.MAX_FRAME_BYTES && channel.isWritable();
    }

    /** The largest data frame that can be sent at once. */
    int room() {
        return Math.min(window, maxFrameBytes);
    }

    void maxFrame(long bytes) {
        maxFrameBytes = (int) Math.min(bytes, 4L * FrameReader.MAX_FRAME_BYTES);
    }

    /** Widens the window; false when it exceeds the limit of RFC 9113. */
    boolean widen(int bytes) {
        long wider = (long) window + bytes;
        if (wider > Integer.MAX_VALUE) {
            return false;
        }
        window = (int) wider;
        return true;
    }

    /** Queues a stream with more data. */
    void await(ServerStream stream) {
        row.add(stream);
    }

    /** Sends the data of queued streams, as far as the windows allow. */
    void sendWaiting() {
        while (!row.isEmpty() && channel.isWritable()) {
            ServerStream next = row.removeFirst();
            if (next.sendSome()) {
                next.markWaiting();
                row.addLast(next);
            } else if (next.isWaiting()) {
                row.addFirst(next);
                break;
            }
        }
        notifyReady();
    }

    /** Notifies the stream when the connection becomes writable. */
    void awaitReady(ServerStream stream) {
        unready.add(stream);
    }

    private void notifyReady() {
        if (unready.isEmpty() || !channel.isWritable()) {
            return;
        }
        List<ServerStream> told = unready;
        unready = new ArrayList<>(1);
        for (ServerStream stream : told) {
            if (!stream.becomesReady()) {
                unready.add(stream);
            }
        }
    }

    /** @param gzip whether later messages may be compressed */
    void head(int stream, boolean gzip) {
        keepAlive.sent();
        byte[] block = gzip ? HeaderBlocks.HEAD_WITH_GZIP : HeaderBlocks.HEAD;
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + block.length);
        headers(out, stream, block, 0);
        write(out);
    }

    /** A whole message accepted by {@link #takes}. */
    void message(int stream, Framed message) {
        keepAlive.sent();
        bearsMessage = true;
        writePart(stream, message, 0, MessageReader.PREFIX_BYTES + message.encodedLength());
    }

    private void writePart(int stream, Framed message, int from, int length) {
        // Updated before the write, which may send waiting data.
        window -= length;
        // During a read, the queue would not release its shared frames.
        write(isReading ? frame(stream, message, from, length) : flushes.share(stream, message, from, length, this));
    }

    /**
     * A part of a message in one frame. The buffer has no spare capacity, because TLS would collect small frames in it.
     *
     * @param from the first byte, counted from the prefix
     */
    ByteBuf frame(int stream, Framed message, int from, int length) {
        byte[] bytes = message.encoded();
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + length);
        header(out, length, FrameReader.DATA, 0, stream);
        int at = from;
        for (; at < MessageReader.PREFIX_BYTES && at < from + length; at++) {
            out.writeByte(at == 0 ? flag(message) : bytes.length >>> 8 * (MessageReader.PREFIX_BYTES - 1 - at));
        }
        int rest = from + length - at;
        if (rest > 0) {
            out.writeBytes(bytes, at - MessageReader.PREFIX_BYTES, rest);
        }
        return out;
    }

    /** Head, message and trailers of a call; the message was accepted by {@link #takes}. */
    void answer(int stream, Framed message) {
        keepAlive.sent();
        byte[] bytes = message.encoded();
        byte[] head = message.isCompressed() ? HeaderBlocks.HEAD_WITH_GZIP : HeaderBlocks.HEAD;
        ByteBuf out = buffer(3 * FrameReader.HEADER_BYTES
                + MessageReader.PREFIX_BYTES
                + head.length
                + bytes.length
                + HeaderBlocks.OK.length);
        headers(out, stream, head, 0);
        data(out, stream, message);
        headers(out, stream, HeaderBlocks.OK, FrameReader.END_STREAM);
        window -= MessageReader.PREFIX_BYTES + bytes.length;
        write(out);
    }

    void part(int stream, Framed message, int from, int length) {
        keepAlive.sent();
        writePart(stream, message, from, length);
    }

    /**
     * The trailers of a call.
     *
     * @param whenSent runs when they were passed to the network
     */
    void end(int stream, byte[] block, @Nullable Runnable whenSent) {
        keepAlive.sent();
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + block.length);
        headers(out, stream, block, FrameReader.END_STREAM);
        if (whenSent == null) {
            write(out);
        } else {
            context.write(out).addListener(sent -> whenSent.run());
            isDirty();
        }
    }

    void reset(int stream, int code) {
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + 4);
        header(out, 4, FrameReader.RST_STREAM, 0, stream);
        write(out.writeInt(code));
    }

    void settings(int... idsAndValues) {
        int length = 3 * idsAndValues.length;
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + length);
        header(out, length, FrameReader.SETTINGS, 0, 0);
        for (int i = 0; i < idsAndValues.length; i += 2) {
            out.writeShort(idsAndValues[i]).writeInt(idsAndValues[i + 1]);
        }
        write(out);
    }

    void settingsSeen() throws Http2Failure {
        countReply();
        ByteBuf out = buffer(FrameReader.HEADER_BYTES);
        header(out, 0, FrameReader.SETTINGS, FrameReader.ACK, 0);
        write(out);
    }

    void ping(long data) {
        writePing(data, 0);
    }

    void pong(long data) throws Http2Failure {
        countReply();
        writePing(data, FrameReader.ACK);
    }

    private void writePing(long data, int flags) {
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + 8);
        header(out, 8, FrameReader.PING, flags, 0);
        write(out.writeLong(data));
    }

    /** Limits the replies that the client does not read. */
    private void countReply() throws Http2Failure {
        if (channel.isWritable()) {
            unreadReplies = 0;
        } else if (++unreadReplies > MAX_UNREAD_REPLIES) {
            throw new Http2Failure(Http2Failure.ENHANCE_YOUR_CALM, "replies are left unread");
        }
    }

    void windowUpdate(int stream, int bytes) {
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + 4);
        header(out, 4, FrameReader.WINDOW_UPDATE, 0, stream);
        write(out.writeInt(bytes));
    }

    void goAway(int lastStream, int code, String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        ByteBuf out = buffer(FrameReader.HEADER_BYTES + 8 + text.length);
        header(out, 8 + text.length, FrameReader.GOAWAY, 0, 0);
        write(out.writeInt(lastStream).writeInt(code).writeBytes(text));
    }

    private ByteBuf buffer(int bytes) {
        return context.alloc().directBuffer(bytes, bytes);
    }

    private static void data(ByteBuf out, int stream, Framed message) {
        byte[] bytes = message.encoded();
        header(out, MessageReader.PREFIX_BYTES + bytes.length, FrameReader.DATA, 0, stream);
        out.writeByte(flag(message)).writeInt(bytes.length).writeBytes(bytes);
    }

    /** The compressed flag of gRPC over HTTP/2. */
    private static int flag(Framed message) {
        return message.isCompressed() ? 1 : 0;
    }

    private static void headers(ByteBuf out, int stream, byte[] block, int flags) {
        header(out, block.length, FrameReader.HEADERS, FrameReader.END_HEADERS | flags, stream);
        out.writeBytes(block);
    }

    /** RFC 9113, section 4.1. */
    private static void header(ByteBuf out, int length, int type, int flags, int stream) {
        out.writeLong((long) length << 40 | (long) type << 32 | (long) flags << 24 | stream >>> 8);
        out.writeByte(stream);
    }
}
