package io.cairn.server.http2;

import io.cairn.server.limit.Limit;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Puts the messages of one stream together from its data (gRPC over HTTP/2, "Length-Prefixed-Message"): one may come in many
 * frames, and many in one. What has come whole is read where it lies.
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

    /** Where messages go. */
    interface Sink {

        /** False when no more is wanted: what is left of the data is passed over. */
        boolean onMessage(byte[] message);

        /** As {@link #onMessage}, for one that is larger than allowed once it is decompressed. */
        boolean onOversized(String why);

        void onUnreadable(GrpcStatus status, String why);
    }

    /** @param gzip whether messages that say that they are compressed are, in this way */
    MessageReader(Limit messageBytes, boolean gzip) {
        this.messageBytes = messageBytes;
        this.gzip = gzip;
    }

    /** Whether a message has begun and not ended. */
    boolean isWithinMessage() {
        return prefixBytes > 0;
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
            // Asked once for each message: what was let in already has taken some of it.
            if (partial == null && !isAllowed(length & 0xffffffffL, sink)) {
                return;
            }
            int taken = Math.min(length - partialBytes, end - at);
            byte[] whole = take(data, at, taken);
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

    /** Takes so many bytes; returns the message when it is whole. */
    private byte @Nullable [] take(ByteBuf data, int at, int taken) {
        byte[] kept = partial;
        if (kept == null) {
            // Memory grows with what has come, not with what was announced.
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
