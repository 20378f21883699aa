package io.cairn.server.http2;

import static io.cairn.server.http2.Http2Failure.ENHANCE_YOUR_CALM;
import static io.cairn.server.http2.Http2Failure.FRAME_SIZE_ERROR;
import static io.cairn.server.http2.Http2Failure.PROTOCOL_ERROR;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Splits a client's input into frames (RFC 9113, section 4), in place: only incomplete frames and continued header blocks
 * are copied.
 */
final class FrameReader {

    static final int HEADER_BYTES = 9;

    /** The limit of a client's frames, the least limit of RFC 9113. */
    static final int MAX_FRAME_BYTES = 16_384;

    /** A longer header block exceeds every limit of the server. */
    static final int MAX_BLOCK_BYTES = 32 * 1024;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITIZED = 0x20;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final FrameListener listener;
    private int prefaceSeen;
    private boolean settingsSeen;
    private @Nullable ByteBuf rest;
    private @Nullable ByteBuf block;
    private int blockStream;
    private int blockFrames;
    private boolean blockEndsStream;
    private int heads;

    FrameReader(FrameListener listener) {
        this.listener = listener;
    }

    /** Whether the client uses HTTP/2 (section 3.4). */
    boolean isPrefaceSeen() {
        return prefaceSeen == PREFACE.length;
    }

    /** Whether the preface, a header block or a frame other than DATA is incomplete. */
    boolean isInHead() {
        if (!settingsSeen || blockStream != 0) {
            return true;
        }
        ByteBuf begun = rest;
        return begun != null
                && (begun.readableBytes() < HEADER_BYTES || begun.getUnsignedByte(begun.readerIndex() + 3) != DATA);
    }

    /** The number of complete header blocks and other frames. */
    int heads() {
        return heads;
    }

    /** Reads the input and releases it; keeps an incomplete frame. */
    void read(ByteBufAllocator allocator, ByteBuf came) throws Http2Failure {
        ByteBuf in = came;
        ByteBuf begun = rest;
        if (begun != null) {
            rest = null;
            if (begun.writableBytes() < came.readableBytes()) {
                in = allocator.buffer(begun.readableBytes() + came.readableBytes());
                in.writeBytes(begun);
                begun.release();
            } else {
                in = begun;
            }
            in.writeBytes(came);
            came.release();
        }
        try {
            readFrames(in);
            if (in.isReadable()) {
                int missing = missing(in);
                rest = allocator.buffer(in.readableBytes() + missing).writeBytes(in);
            }
        } finally {
            in.release();
        }
    }

    /** The least number of missing bytes. */
    private static int missing(ByteBuf in) {
        if (in.readableBytes() < HEADER_BYTES) {
            return HEADER_BYTES;
        }
        return HEADER_BYTES + in.getUnsignedMedium(in.readerIndex()) - in.readableBytes();
    }

    void close() {
        if (rest != null) {
            rest.release();
            rest = null;
        }
        if (block != null) {
            block.release();
            block = null;
        }
    }

    private void readFrames(ByteBuf in) throws Http2Failure {
        if (prefaceSeen < PREFACE.length) {
            readPreface(in);
        }
        while (in.readableBytes() >= HEADER_BYTES) {
            int start = in.readerIndex();
            int length = in.getUnsignedMedium(start);
            int type = in.getUnsignedByte(start + 3);
            if (length > MAX_FRAME_BYTES) {
                throw new Http2Failure(
                        FRAME_SIZE_ERROR, "a frame of " + length + " bytes (at most: " + MAX_FRAME_BYTES + ")");
            }
            if (!settingsSeen) {
                if (type != SETTINGS || (in.getByte(start + 4) & ACK) != 0) {
                    throw new Http2Failure(PROTOCOL_ERROR, "the first frame is none of settings");
                }
                settingsSeen = true;
            }
            if (in.readableBytes() < HEADER_BYTES + length) {
                return;
            }
            int flags = in.getUnsignedByte(start + 4);
            int stream = in.getInt(start + 5) & Integer.MAX_VALUE;
            // Set before the frame is read, so that a failure cannot read it twice.
            in.readerIndex(start + HEADER_BYTES + length);
            readFrame(in, type, flags, stream, start + HEADER_BYTES, length);
            // A header block has one time limit for all of its frames.
            heads += type == DATA || blockStream != 0 ? 0 : 1;
        }
    }

    private void readPreface(ByteBuf in) throws Http2Failure {
        while (prefaceSeen < PREFACE.length && in.isReadable()) {
            if (in.readByte() != PREFACE[prefaceSeen]) {
                throw new Http2Failure(PROTOCOL_ERROR, "not the preface of HTTP/2");
            }
            prefaceSeen++;
        }
    }

    private void readFrame(ByteBuf in, int type, int flags, int stream, int at, int length) throws Http2Failure {
        if (blockStream != 0 && (type != CONTINUATION || stream != blockStream)) {
            throw new Http2Failure(PROTOCOL_ERROR, "a header block that is not continued");
        }
        switch (type) {
            case DATA -> readData(in, flags, onStream(stream, type), at, length);
            case HEADERS -> readHeaders(in, flags, onStream(stream, type), at, length);
            case PRIORITY -> readPriority(in, onStream(stream, type), at, length);
            case RST_STREAM -> {
                onStream(stream, type);
                checkLength(length, 4, type);
                listener.onReset(stream);
            }
            case SETTINGS -> readSettings(in, flags, stream, at, length);
            case PUSH_PROMISE -> throw new Http2Failure(PROTOCOL_ERROR, "a push from a client");
            case PING -> {
                onConnection(stream, type);
                checkLength(length, 8, type);
                listener.onPing(in.getLong(at), (flags & ACK) != 0);
            }
            case GOAWAY -> {
                onConnection(stream, type);
                if (length < 8) {
                    throw wrongLength(length, type);
                }
            }
            case WINDOW_UPDATE -> {
                checkLength(length, 4, type);
                listener.onWindowUpdate(stream, in.getInt(at) & Integer.MAX_VALUE);
            }
            case CONTINUATION -> readContinuation(in, flags, at, length);
            default -> {
                // Section 4.1: unknown frames are ignored.
            }
        }
    }

    private static int onStream(int stream, int type) throws Http2Failure {
        if (stream == 0) {
            throw new Http2Failure(PROTOCOL_ERROR, "a frame of type " + type + " without a stream");
        }
        return stream;
    }

    private static void onConnection(int stream, int type) throws Http2Failure {
        if (stream != 0) {
            throw new Http2Failure(PROTOCOL_ERROR, "a frame of type " + type + " on stream " + stream);
        }
    }

    private static void checkLength(int length, int expected, int type) throws Http2Failure {
        if (length != expected) {
            throw wrongLength(length, type);
        }
    }

    private static Http2Failure wrongLength(int length, int type) {
        return new Http2Failure(FRAME_SIZE_ERROR, "a frame of type " + type + " with " + length + " bytes");
    }

    private void readData(ByteBuf in, int flags, int stream, int at, int length) throws Http2Failure {
        boolean end = (flags & END_STREAM) != 0;
        if ((flags & PADDED) == 0) {
            listener.onData(stream, in, at, length, length, end);
            return;
        }
        int padding = padding(in, at, length);
        listener.onData(stream, in, at + 1, length - 1 - padding, length, end);
    }

    /** The length of the padding, without the length byte. */
    private static int padding(ByteBuf in, int at, int length) throws Http2Failure {
        if (length == 0) {
            throw new Http2Failure(FRAME_SIZE_ERROR, "a padded frame of 0 bytes");
        }
        int padding = in.getUnsignedByte(at);
        if (padding >= length) {
            throw new Http2Failure(PROTOCOL_ERROR, padding + " bytes of padding in a frame of " + length);
        }
        return padding;
    }

    private void readHeaders(ByteBuf in, int flags, int stream, int at, int length) throws Http2Failure {
        int from = at;
        int end = at + length;
        if ((flags & PADDED) != 0) {
            end -= padding(in, at, length);
            from++;
        }
        boolean selfDependent = false;
        if ((flags & PRIORITIZED) != 0) {
            if (end - from < 5) {
                throw new Http2Failure(PROTOCOL_ERROR, "no room for a priority and the padding");
            }
            selfDependent = (in.getInt(from) & Integer.MAX_VALUE) == stream;
            from += 5;
        }
        boolean endsStream = (flags & END_STREAM) != 0;
        if ((flags & END_HEADERS) != 0) {
            deliver(in, from, end, stream, endsStream);
        } else {
            blockStream = stream;
            blockFrames = 1;
            blockEndsStream = endsStream;
            block = in.alloc().buffer(2 * (end - from)).writeBytes(in, from, end - from);
        }
        if (selfDependent) {
            listener.onSelfDependency(stream);
        }
    }

    private void readContinuation(ByteBuf in, int flags, int at, int length) throws Http2Failure {
        ByteBuf begun = block;
        if (begun == null) {
            throw new Http2Failure(PROTOCOL_ERROR, "a continuation of nothing");
        }
        blockFrames++;
        // Limits small and empty continuations, which cost the client nothing.
        if (begun.readableBytes() + length > MAX_BLOCK_BYTES || blockFrames > 32) {
            throw new Http2Failure(ENHANCE_YOUR_CALM, "a header block of " + blockFrames + " frames without end");
        }
        begun.writeBytes(in, at, length);
        if ((flags & END_HEADERS) != 0) {
            int stream = blockStream;
            blockStream = 0;
            block = null;
            try {
                listener.onHeaders(stream, begun, blockEndsStream);
            } finally {
                begun.release();
            }
        }
    }

    /** Avoids a slice: the buffer's indexes mark the block during the call. */
    private void deliver(ByteBuf in, int from, int end, int stream, boolean endsStream) throws Http2Failure {
        int readerIndex = in.readerIndex();
        int writerIndex = in.writerIndex();
        in.setIndex(from, end);
        try {
            listener.onHeaders(stream, in, endsStream);
        } finally {
            in.setIndex(readerIndex, writerIndex);
        }
    }

    private void readPriority(ByteBuf in, int stream, int at, int length) throws Http2Failure {
        checkLength(length, 5, PRIORITY);
        if ((in.getInt(at) & Integer.MAX_VALUE) == stream) {
            listener.onSelfDependency(stream);
        }
    }

    private void readSettings(ByteBuf in, int flags, int stream, int at, int length) throws Http2Failure {
        onConnection(stream, SETTINGS);
        if ((flags & ACK) != 0) {
            checkLength(length, 0, SETTINGS);
            return;
        }
        if (length % 6 != 0) {
            throw wrongLength(length, SETTINGS);
        }
        for (int next = at; next < at + length; next += 6) {
            listener.onSetting(in.getUnsignedShort(next), in.getUnsignedInt(next + 2));
        }
        listener.onSettingsEnd();
    }
}
