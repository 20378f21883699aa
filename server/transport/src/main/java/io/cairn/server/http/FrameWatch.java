package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Follows the frames that come over a connection of HTTP/2 only so far as to know whether one has begun that is no data, or a
 * head that goes on in further frames, and how long that head is so far. Nothing is copied.
 */
final class FrameWatch {

    private static final int PREFACE_BYTES = 24;
    private static final int HEADER_BYTES = 9;
    private static final int END_HEADERS = 0x4;

    /** Bytes of the present frame that have not come yet; at first those of the preface. */
    private int missing = PREFACE_BYTES;

    private int headerBytes;
    private int length;
    private int type = Http2FrameTypes.SETTINGS;
    private int flags;
    private boolean isGreeted;
    private boolean isContinued;
    private int ended = -1;
    /** Bytes of the present head, compressed, in frames that have come to their end. */
    private int continuedBytes;

    /** Whether the client has begun something other than data, or the connection itself, and not come to its end. */
    boolean isInHead() {
        return !isGreeted || isContinued || headerBytes > 0 || missing > 0 && type != Http2FrameTypes.DATA;
    }

    /** How many of these have come to their end. */
    int ended() {
        return ended;
    }

    /** Bytes of the present head, compressed, that have come; 0 when there is none. */
    int headBytes() {
        return continuedBytes;
    }

    /** Looks at what came without taking it. */
    void see(ByteBuf in) {
        int at = in.readerIndex();
        int end = in.writerIndex();
        while (at < end) {
            if (missing > 0) {
                int part = Math.min(missing, end - at);
                at += part;
                missing -= part;
                if (missing == 0) {
                    frameEnds();
                }
            } else if (headerBytes == 0 && end - at >= HEADER_BYTES) {
                length = in.getUnsignedMedium(at);
                type = in.getUnsignedByte(at + 3);
                flags = in.getUnsignedByte(at + 4);
                at += HEADER_BYTES;
                headerEnds();
            } else {
                header(in.getUnsignedByte(at++));
            }
        }
    }

    private void header(int octet) {
        int place = headerBytes++;
        if (place < 3) {
            length = place == 0 ? octet : length << 8 | octet;
        } else if (place == 3) {
            type = octet;
        } else if (place == 4) {
            flags = octet;
        }
        if (headerBytes == HEADER_BYTES) {
            headerBytes = 0;
            headerEnds();
        }
    }

    private void headerEnds() {
        missing = length;
        if (missing == 0) {
            frameEnds();
        }
    }

    private void frameEnds() {
        // The preface is none.
        isGreeted = ended >= 0;
        if (type == Http2FrameTypes.HEADERS || type == Http2FrameTypes.CONTINUATION) {
            isContinued = (flags & END_HEADERS) == 0;
            continuedBytes = isContinued ? continuedBytes + length : 0;
        }
        if (type != Http2FrameTypes.DATA) {
            ended++;
        }
    }
}
