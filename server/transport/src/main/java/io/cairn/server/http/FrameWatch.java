package io.cairn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2FrameTypes;

/**
 * Follows the frames of an HTTP/2 connection without copying them, to detect incomplete frames and continued header blocks,
 * and the length of a header block.
 */
final class FrameWatch {

    private static final int PREFACE_BYTES = 24;
    private static final int HEADER_BYTES = 9;
    private static final int END_HEADERS = 0x4;

    /** The missing bytes of the present frame; at first of the preface. */
    private int missing = PREFACE_BYTES;

    private int headerBytes;
    private int length;
    private int type = Http2FrameTypes.SETTINGS;
    private int flags;
    private boolean isGreeted;
    private boolean isContinued;
    private int ended = -1;
    /** The compressed bytes of the present header block in complete frames. */
    private int continuedBytes;

    /** Whether the preface, a header block or a frame other than DATA is incomplete. */
    boolean isInHead() {
        return !isGreeted || isContinued || headerBytes > 0 || missing > 0 && type != Http2FrameTypes.DATA;
    }

    /** The number of complete header blocks and other frames. */
    int ended() {
        return ended;
    }

    /** The compressed bytes of the present header block; 0 outside a block. */
    int headBytes() {
        return continuedBytes;
    }

    /** Does not consume the bytes. */
    void inspect(ByteBuf in) {
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
        // The preface does not count as a frame.
        isGreeted = ended >= 0;
        if (type == Http2FrameTypes.HEADERS
                || type == Http2FrameTypes.PUSH_PROMISE
                || type == Http2FrameTypes.CONTINUATION) {
            isContinued = (flags & END_HEADERS) == 0;
            continuedBytes = isContinued ? continuedBytes + length : 0;
        }
        if (type != Http2FrameTypes.DATA && !isContinued) {
            ended++;
        }
    }
}
