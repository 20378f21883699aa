package io.cairn.benchmark.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Finds the marks of instances in a pushed view, piece by piece. A view of thousands of instances is more than a megabyte,
 * and a thousand subscribers receive it at once: kept whole they would not fit, and read as JSON they would take the cores
 * that the server needs.
 */
final class ViewScanner {
    /** Enough for the type and the request id, which stand before the instances. */
    private static final int HEAD_BYTES = 256;

    private enum Within {
        NO_MARK,
        INDEX,
        VERSION
    }

    private final ViewListener listener;
    private final byte[] head = new byte[HEAD_BYTES];
    private int headLength;
    private int total;
    private Within within = Within.NO_MARK;
    private int index;
    private int version;

    ViewScanner(ViewListener listener) {
        this.listener = listener;
    }

    void scan(ByteBuf bytes, int from, int length) {
        int copied = Math.min(length, HEAD_BYTES - headLength);
        bytes.getBytes(from, head, headLength, copied);
        headLength += copied;
        total += length;
        int end = from + length;
        int at = from;
        while (at < end) {
            if (within == Within.NO_MARK) {
                at = bytes.indexOf(at, end, NamingMessages.MARK);
                if (at < 0) {
                    return;
                }
                at++;
                within = Within.INDEX;
                index = 0;
                version = 0;
            } else {
                next(bytes.getByte(at++));
            }
        }
    }

    private void next(byte b) {
        if (b >= '0' && b <= '9') {
            if (within == Within.INDEX) {
                index = index * 10 + b - '0';
            } else {
                version = version * 10 + b - '0';
            }
        } else if (b == '.' && within == Within.INDEX) {
            within = Within.VERSION;
        } else {
            if (b == NamingMessages.MARK && within == Within.VERSION) {
                listener.instance(index, version);
            }
            within = Within.NO_MARK;
        }
    }

    /** Ends a message: what its first bytes say of it. Begin with the next one. */
    Envelope finish() {
        var envelope = Envelope.readHead(Unpooled.wrappedBuffer(head, 0, headLength), headLength);
        headLength = 0;
        total = 0;
        within = Within.NO_MARK;
        return envelope;
    }

    /** Of the message that is arriving, so far. */
    int bytes() {
        return total;
    }
}
