package io.cairn.benchmark.wire;

import static io.netty.handler.codec.http2.Http2CodecUtil.FRAME_HEADER_LENGTH;
import static io.netty.handler.codec.http2.Http2CodecUtil.connectionPrefaceBuf;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client side of HTTP/2 for gRPC messages, with no more bookkeeping than that takes: the load generator shares the
 * cores with the server it measures. Frames and header compression are Netty's; streams and both flow-control windows
 * are kept here. Everything happens on the channel's event loop; what is written during one read is flushed once.
 */
final class Http2Client extends ByteToMessageDecoder {
    private static final int WINDOW_BYTES = 1 << 20;
    private static final int DEFAULT_WINDOW_BYTES = 65_535;
    private static final int NO_FLAGS = 0;
    private static final int ACK = 0x1;
    private static final int END_STREAM = 0x1;
    private static final int END_HEADERS = 0x4;
    private static final int LARGEST_STREAM_ID = Integer.MAX_VALUE - 2;

    private final String authority;
    private final boolean gzip;
    private final @Nullable String token;
    private final Runnable ready;
    private final DefaultHttp2FrameReader reader = new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(false));
    private final DefaultHttp2HeadersEncoder headersEncoder = new DefaultHttp2HeadersEncoder();
    private final Frames frames = new Frames();
    private final IntObjectMap<Stream> streams = new IntObjectHashMap<>();
    private final Deque<Unsent> unsent = new ArrayDeque<>();

    private @Nullable ChannelHandlerContext context;
    private volatile @Nullable String lost;
    private boolean settled;
    private boolean reading;
    private boolean flushDue;
    private int nextStreamId = 1;
    private int maxFrameBytes = 16_384;
    private int initialSendWindow = DEFAULT_WINDOW_BYTES;
    private int sendWindow = DEFAULT_WINDOW_BYTES;
    private int receivedBytes;

    /** The header block of {@link #indexedPath} when it is references into the table alone, so that it can be repeated. */
    private byte @Nullable [] indexedBlock;

    private String indexedPath = "";

    /**
     * @param gzip whether pushes may be compressed
     * @param token that each call carries among its headers; null for none
     * @param ready called once, when the server's settings are here and streams may be opened
     */
    Http2Client(String authority, boolean gzip, @Nullable String token, Runnable ready) {
        this.authority = authority;
        this.gzip = gzip;
        this.token = token;
        this.ready = ready;
    }

    /** Opens a stream and sends one message on it: the only one, or the first of many. */
    Stream open(String path, byte[] message, boolean only, StreamListener listener) {
        var stream = new Stream(nextStreamId, initialSendWindow, listener);
        String cause = lost;
        if (context == null || cause != null || nextStreamId >= LARGEST_STREAM_ID) {
            stream.end(cause == null ? "no stream can be opened" : cause);
            return stream;
        }
        nextStreamId += 2;
        streams.put(stream.id, stream);
        ByteBuf out = context.alloc().buffer(message.length + 256);
        writeHeaders(out, path, stream.id);
        if (unsent.isEmpty() && fits(stream, message.length)) {
            writeData(out, stream, message, only);
            context.write(out);
        } else {
            context.write(out);
            unsent.add(new Unsent(stream, Unpooled.wrappedBuffer(message), only));
            writeUnsent();
        }
        flushSoon();
        return stream;
    }

    boolean isLost() {
        return lost != null;
    }

    private boolean fits(Stream stream, int bytes) {
        return bytes <= sendWindow && bytes <= stream.sendWindow && bytes <= maxFrameBytes;
    }

    private void writeHeaders(ByteBuf out, String path, int streamId) {
        int start = out.writerIndex();
        out.writeZero(FRAME_HEADER_LENGTH);
        if (indexedBlock != null && path.equals(indexedPath)) {
            out.writeBytes(indexedBlock);
        } else {
            encodeHeaders(out, path, streamId);
        }
        int length = out.writerIndex() - start - FRAME_HEADER_LENGTH;
        setFrameHeader(out, start, length, Http2FrameTypes.HEADERS, END_HEADERS, streamId);
    }

    private void encodeHeaders(ByteBuf out, String path, int streamId) {
        Http2Headers headers = new DefaultHttp2Headers(false)
                .method("POST")
                .scheme("http")
                .path(path)
                .authority(authority)
                .add("content-type", "application/grpc")
                .add("te", "trailers")
                .add("user-agent", "cairn-benchmark/1");
        if (gzip) {
            headers.add("grpc-accept-encoding", "gzip");
        }
        if (token != null) {
            headers.add("authorization", "Bearer " + token);
        }
        int start = out.writerIndex();
        try {
            headersEncoder.encodeHeaders(streamId, headers, out);
        } catch (Http2Exception e) {
            throw new IllegalStateException("cannot encode the request headers", e);
        }
        byte[] block = new byte[out.writerIndex() - start];
        out.getBytes(start, block);
        indexedPath = path;
        indexedBlock = block;
        for (byte b : block) {
            if (b >= 0) { // not "indexed header field" (RFC 7541, 6.1): it changes the table, or depends on more than
                // it
                indexedBlock = null;
                return;
            }
        }
    }

    private void writeData(ByteBuf out, Stream stream, byte[] message, boolean last) {
        writeFrameHeader(out, message.length, Http2FrameTypes.DATA, last ? END_STREAM : NO_FLAGS, stream.id);
        out.writeBytes(message);
        sendWindow -= message.length;
        stream.sendWindow -= message.length;
    }

    /** Sends as much as the windows allow, in order. */
    private void writeUnsent() {
        if (context == null) {
            return;
        }
        for (Unsent next = unsent.peek(); next != null; next = unsent.peek()) {
            if (!streams.containsKey(next.stream.id)) {
                unsent.remove();
                continue;
            }
            int bytes = Math.min(
                    Math.min(sendWindow, next.stream.sendWindow), Math.min(maxFrameBytes, next.rest.readableBytes()));
            if (bytes <= 0) {
                return;
            }
            boolean whole = bytes == next.rest.readableBytes();
            ByteBuf out = context.alloc().buffer(FRAME_HEADER_LENGTH + bytes);
            int flags = whole && next.last ? END_STREAM : NO_FLAGS;
            writeFrameHeader(out, bytes, Http2FrameTypes.DATA, flags, next.stream.id);
            out.writeBytes(next.rest, bytes);
            context.write(out);
            sendWindow -= bytes;
            next.stream.sendWindow -= bytes;
            if (whole) {
                unsent.remove();
            }
        }
    }

    private void flushSoon() {
        if (flushDue || context == null) {
            return;
        }
        flushDue = true;
        if (!reading) {
            context.executor().execute(this::flush);
        }
    }

    private void flush() {
        if (flushDue && context != null) {
            flushDue = false;
            context.flush();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context = ctx;
        ByteBuf out = ctx.alloc().buffer(64);
        ByteBuf preface = connectionPrefaceBuf();
        out.writeBytes(preface);
        preface.release();
        int settings = 2;
        writeFrameHeader(out, settings * 6, Http2FrameTypes.SETTINGS, NO_FLAGS, 0);
        out.writeShort(0x2).writeInt(0); // ENABLE_PUSH
        out.writeShort(0x4).writeInt(WINDOW_BYTES); // INITIAL_WINDOW_SIZE
        writeWindowUpdate(out, 0, WINDOW_BYTES - DEFAULT_WINDOW_BYTES);
        ctx.writeAndFlush(out);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        reading = true;
        super.channelRead(ctx, message);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws Exception {
        reader.readFrame(ctx, in, frames);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
        reading = false;
        flush();
        super.channelReadComplete(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        lose("connection closed by the server");
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        lose("connection failed: " + cause);
        ctx.close();
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        reader.close();
        headersEncoder.close();
    }

    private void lose(String cause) {
        if (lost != null) {
            return;
        }
        lost = cause;
        unsent.clear();
        List<Stream> open = new ArrayList<>(streams.values());
        streams.clear();
        open.forEach(stream -> stream.end(cause));
    }

    private static void writeFrameHeader(ByteBuf out, int length, byte type, int flags, int streamId) {
        out.writeMedium(length).writeByte(type).writeByte(flags).writeInt(streamId);
    }

    private static void setFrameHeader(ByteBuf out, int index, int length, byte type, int flags, int streamId) {
        out.setMedium(index, length)
                .setByte(index + 3, type)
                .setByte(index + 4, flags)
                .setInt(index + 5, streamId);
    }

    private static void writeWindowUpdate(ByteBuf out, int streamId, int bytes) {
        writeFrameHeader(out, 4, Http2FrameTypes.WINDOW_UPDATE, NO_FLAGS, streamId);
        out.writeInt(bytes);
    }

    private record Unsent(Stream stream, ByteBuf rest, boolean last) {}

    /** One request, or one stream of pushes. */
    final class Stream {
        private final int id;
        private final StreamListener listener;
        private int sendWindow;
        private int receivedBytes;
        private @Nullable ByteBuf partial;
        private int prefixBytes;
        private int prefix;
        private int pieceBytesLeft;
        private boolean compressed;

        private Stream(int id, int sendWindow, StreamListener listener) {
            this.id = id;
            this.sendWindow = sendWindow;
            this.listener = listener;
        }

        /** Sends one more message on a stream that was opened for many. */
        void send(byte[] message) {
            if (context == null || lost != null || !streams.containsKey(id)) {
                return;
            }
            if (unsent.isEmpty() && fits(this, message.length)) {
                ByteBuf out = context.alloc().buffer(FRAME_HEADER_LENGTH + message.length);
                writeData(out, this, message, false);
                context.write(out);
            } else {
                unsent.add(new Unsent(this, Unpooled.wrappedBuffer(message), false));
                writeUnsent();
            }
            flushSoon();
        }

        private void received(ByteBuf data) throws Http2Exception {
            if (listener.takesPieces()) {
                deliverPieces(data);
            } else if (partial == null) {
                deliver(data);
                if (data.isReadable()) {
                    partial = Unpooled.buffer(Math.max(256, 2 * data.readableBytes()))
                            .writeBytes(data);
                }
            } else {
                partial.writeBytes(data);
                deliver(partial);
                if (!partial.isReadable()) {
                    partial = null;
                }
            }
        }

        private void deliverPieces(ByteBuf data) throws Http2Exception {
            while (data.isReadable()) {
                if (pieceBytesLeft == 0) {
                    byte b = data.readByte();
                    prefix = prefix << 8 | b & 0xff;
                    prefixBytes++;
                    if (prefixBytes == 1) {
                        compressed = gzip && b == 1;
                        checkPrefix(compressed ? 0 : b, 0);
                    } else if (prefixBytes == Envelope.PREFIX_BYTES) {
                        checkPrefix(0, prefix);
                        pieceBytesLeft = prefix;
                        prefixBytes = 0;
                        prefix = 0;
                    }
                } else {
                    int bytes = Math.min(pieceBytesLeft, data.readableBytes());
                    pieceBytesLeft -= bytes;
                    listener.piece(data, data.readerIndex(), bytes, pieceBytesLeft, compressed);
                    data.skipBytes(bytes);
                }
            }
        }

        private static void checkPrefix(int compressed, int length) throws Http2Exception {
            if (compressed != 0 || length < 0) {
                throw Http2Exception.connectionError(
                        Http2Error.PROTOCOL_ERROR,
                        "gRPC prefix: %d, length %d (expected: not compressed)",
                        compressed,
                        length);
            }
        }

        private void deliver(ByteBuf data) throws Http2Exception {
            while (data.readableBytes() >= Envelope.PREFIX_BYTES) {
                int start = data.readerIndex();
                int length = data.getInt(start + 1);
                int flag = data.getByte(start);
                boolean isCompressed = gzip && flag == 1;
                checkPrefix(isCompressed ? 0 : flag, length);
                if (data.readableBytes() < Envelope.PREFIX_BYTES + length) {
                    return;
                }
                ByteBuf message = data.slice(start + Envelope.PREFIX_BYTES, length);
                if (isCompressed) {
                    message = CompressedViews.decompressed(message);
                }
                listener.message(Envelope.read(message, 0, message.readableBytes()));
                data.readerIndex(start + Envelope.PREFIX_BYTES + length);
            }
        }

        private void end(@Nullable String failure) {
            listener.end(failure);
        }
    }

    private final class Frames extends Http2FrameAdapter {
        @Override
        public int onDataRead(ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endOfStream)
                throws Http2Exception {
            int bytes = data.readableBytes() + padding;
            Stream stream = streams.get(streamId);
            if (stream != null) {
                stream.received(data);
            }
            creditReceived(ctx, endOfStream ? null : stream, bytes);
            if (endOfStream && stream != null) {
                streams.remove(streamId);
                stream.end("stream ended without a gRPC status");
            }
            return bytes;
        }

        /** Lets the server send on: an update for every half window received. */
        private void creditReceived(ChannelHandlerContext ctx, @Nullable Stream stream, int bytes) {
            receivedBytes += bytes;
            if (receivedBytes >= WINDOW_BYTES / 2) {
                ByteBuf out = ctx.alloc().buffer(16);
                writeWindowUpdate(out, 0, receivedBytes);
                ctx.write(out);
                receivedBytes = 0;
                flushSoon();
            }
            if (stream != null) {
                stream.receivedBytes += bytes;
                if (stream.receivedBytes >= WINDOW_BYTES / 2) {
                    ByteBuf out = ctx.alloc().buffer(16);
                    writeWindowUpdate(out, stream.id, stream.receivedBytes);
                    ctx.write(out);
                    stream.receivedBytes = 0;
                    flushSoon();
                }
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean endOfStream) {
            if (!endOfStream) {
                return;
            }
            Stream stream = streams.remove(streamId);
            if (stream != null) {
                stream.end(failure(headers));
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext ctx,
                int streamId,
                Http2Headers headers,
                int streamDependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean endOfStream) {
            onHeadersRead(ctx, streamId, headers, padding, endOfStream);
        }

        private static @Nullable String failure(Http2Headers headers) {
            CharSequence status = headers.get("grpc-status");
            if (status == null) {
                return "HTTP status " + headers.status() + " without a gRPC status";
            }
            if (status.length() == 1 && status.charAt(0) == '0') {
                return null;
            }
            CharSequence message = headers.get("grpc-message");
            return "gRPC status " + status + (message == null ? "" : ": " + message);
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) {
            Stream stream = streams.remove(streamId);
            if (stream != null) {
                stream.end("stream reset: " + Http2Error.valueOf(errorCode));
            }
        }

        @Override
        public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) throws Http2Exception {
            Long tableSize = settings.headerTableSize();
            if (tableSize != null) {
                headersEncoder.configuration().maxHeaderTableSize(Math.min(tableSize, 4096));
                indexedBlock = null;
            }
            Integer frameSize = settings.maxFrameSize();
            if (frameSize != null) {
                maxFrameBytes = frameSize;
            }
            Integer window = settings.initialWindowSize();
            if (window != null) {
                int delta = window - initialSendWindow;
                initialSendWindow = window;
                streams.values().forEach(stream -> stream.sendWindow += delta);
            }
            ByteBuf out = ctx.alloc().buffer(16);
            writeFrameHeader(out, 0, Http2FrameTypes.SETTINGS, ACK, 0);
            ctx.write(out);
            flushSoon();
            writeUnsent();
            if (!settled) {
                settled = true;
                ready.run();
            }
        }

        @Override
        public void onPingRead(ChannelHandlerContext ctx, long data) {
            ByteBuf out = ctx.alloc().buffer(FRAME_HEADER_LENGTH + 8);
            writeFrameHeader(out, 8, Http2FrameTypes.PING, ACK, 0);
            out.writeLong(data);
            ctx.write(out);
            flushSoon();
        }

        @Override
        public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int increment) {
            if (streamId == 0) {
                sendWindow += increment;
            } else {
                Stream stream = streams.get(streamId);
                if (stream != null) {
                    stream.sendWindow += increment;
                }
            }
            if (!unsent.isEmpty()) {
                writeUnsent();
                flushSoon();
            }
        }

        @Override
        public void onGoAwayRead(ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData) {
            lose("GOAWAY from the server: " + Http2Error.valueOf(errorCode) + " "
                    + debugData.toString(StandardCharsets.UTF_8));
            ctx.close();
        }
    }
}
