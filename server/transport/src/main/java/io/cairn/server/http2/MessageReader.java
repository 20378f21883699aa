package io.cairn.server.http2;

import io.cairn.server.limit.Limit;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the messages of one stream from its data (gRPC over HTTP/2, "Length-Prefixed-Message"). Copies messages that
 * span several frames only.
 */
final class MessageReader {

    static final int PREFIX_BYTES = 5;
    private static final int FIRST_BYTES = 64 * 1024;

    private final Limit messageBytes;
    private final boolean gzip;
    private byte @Nullable [] partial;
    private int partialBytes;
    private int prefixBytes;
    private boolean compressed;
    private int length;

    interface Sink {

        /**
         * A message of this length is incomplete; false when its memory is not available, and the rest of the data is
         * skipped.
         */
        boolean onBegun(int length);

        /** False when the rest of the data must be skipped. */
        boolean onMessage(byte[] message);

        /** Like {@link #onMessage}, for a message that exceeds the limit after decompression. */
        boolean onOversized(String why);

        void onUnreadable(GrpcStatus status, String why);
    }

    /** @param gzip whether compressed messages use gzip */
    MessageReader(Limit messageBytes, boolean gzip) {
        this.messageBytes = messageBytes;
        this.gzip = gzip;
    }

    boolean isWithinMessage() {
        return prefixBytes > 0;
    }

    /** Releases an incomplete message; reads nothing further. */
    void close() {
        partial = null;
    }

    void read(ByteBuf data, int from, int bytes, Sink sink) {
        int at = from;
        int end = from + bytes;
        while (at < end) {
            while (prefixBytes < PREFIX_BYTES && at < end) {
                int b = data.getUnsignedByte(at++);
                if (prefixBytes++ == 0) {
                    if (!begin(b, sink)) {
                        return;
                    }
                } else {
                    length = length << 8 | b;
                }
            }
            if (prefixBytes < PREFIX_BYTES) {
                return;
            }
            // Checked once per message, because a partial message holds memory already.
            if (partial == null && !isAllowed(length & 0xffffffffL, sink)) {
                return;
            }
            int taken = Math.min(length - partialBytes, end - at);
            if (partial == null && taken < length && !sink.onBegun(length)) {
                return;
            }
            byte[] whole = append(data, at, taken);
            at += taken;
            if (whole == null) {
                return;
            }
            prefixBytes = 0;
            partial = null;
            partialBytes = 0;
            if (!deliver(whole, sink)) {
                return;
            }
        }
    }

    private boolean isAllowed(long announced, Sink sink) {
        if (messageBytes.allows(announced)) {
            return true;
        }
        sink.onUnreadable(
                GrpcStatus.RESOURCE_EXHAUSTED,
                "gRPC message exceeds maximum size " + messageBytes.max() + ": " + announced + " (limit "
                        + messageBytes.name() + ", " + messageBytes.setting() + ")");
        return false;
    }

    private boolean begin(int flag, Sink sink) {
        length = 0;
        if (flag > 1) {
            sink.onUnreadable(GrpcStatus.INTERNAL, "gRPC frame header malformed: reserved bits not zero");
            return false;
        }
        compressed = flag == 1;
        if (compressed && !gzip) {
            sink.onUnreadable(
                    GrpcStatus.INTERNAL, "Can't decode compressed gRPC message as compression not configured");
            return false;
        }
        return true;
    }

    /** Copies bytes; returns the message when it is complete. */
    private byte @Nullable [] append(ByteBuf data, int at, int taken) {
        byte[] kept = partial;
        if (kept == null) {
            // Allocates for received bytes, not for the announced length.
            kept = new byte[taken == length ? length : Math.min(length, Math.max(FIRST_BYTES, taken))];
            partial = kept;
        } else if (partialBytes + taken > kept.length) {
            long doubled = 2L * kept.length;
            kept = java.util.Arrays.copyOf(kept, (int) Math.min(length, Math.max(doubled, partialBytes + taken)));
            partial = kept;
        }
        data.getBytes(at, kept, partialBytes, taken);
        partialBytes += taken;
        if (partialBytes < length) {
            return null;
        }
        return kept.length == length ? kept : java.util.Arrays.copyOf(kept, length);
    }

    private boolean deliver(byte[] whole, Sink sink) {
        if (!compressed) {
            return sink.onMessage(whole);
        }
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(whole))) {
            byte[] unfolded = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, messageBytes.max() + 1));
            return messageBytes.allows(unfolded.length)
                    ? sink.onMessage(unfolded)
                    : sink.onOversized("message unfolds to more than " + messageBytes.max() + " bytes");
        } catch (IOException e) {
            sink.onUnreadable(GrpcStatus.INTERNAL, "message could not be read: " + e.getMessage());
            return false;
        }
    }
}
