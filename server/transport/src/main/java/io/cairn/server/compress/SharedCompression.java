package io.cairn.server.compress;

import io.cairn.api.wire.Compressor;
import io.cairn.api.wire.SharedPart;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses large responses on a pool. Callers cache the result with the bytes, so that all clients share it. Thread-safe.
 */
public final class SharedCompression implements Compressor {

    /** Shorter responses fit in a few packets; the pool would cost more than it saves. */
    public static final int MIN_BYTES = 8 * 1024;

    /**
     * A list of 5,000 instances (2 MB) takes 5 ms and shrinks to 1/26. Level 6 takes 20 ms for 1/31, and level 1 takes 5 ms.
     */
    private static final int LEVEL = 3;

    /** RFC 1952, section 2.3: no name, no time, unknown operating system. */
    private static final byte[] HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private static final int TAIL_BYTES = 8;
    private static final int EXPECTED_RATIO = 8;
    /** The end of a compressed part is shorter. */
    private static final int FLUSH_BYTES = 64;

    private static final Logger log = LoggerFactory.getLogger(SharedCompression.class);

    private final Executor pool;

    /** @param pool bounded; rejected responses are sent uncompressed */
    public SharedCompression(Executor pool) {
        this.pool = pool;
    }

    public static boolean isLarge(int bytes) {
        return bytes >= MIN_BYTES;
    }

    /**
     * Compresses the bytes to gzip on the pool.
     *
     * @return never fails; null when compression saves little or the pool is full
     */
    public CompletableFuture<byte @Nullable []> compress(byte[] plain) {
        return compress(plain, List.of());
    }

    /** Like {@link #compress(byte[])}; reuses the compressed form of shared parts. */
    @Override
    public CompletableFuture<byte @Nullable []> compress(byte[] plain, List<SharedPart.Place> parts) {
        CompletableFuture<byte @Nullable []> compressed = new CompletableFuture<>();
        try {
            pool.execute(() -> complete(compressed, plain, parts));
        } catch (RejectedExecutionException e) {
            log.debug("An answer of {} bytes is sent as it is: the pool that compresses is full", plain.length, e);
            compressed.complete(null);
        }
        return compressed;
    }

    private static void complete(
            CompletableFuture<byte @Nullable []> compressed, byte[] plain, List<SharedPart.Place> parts) {
        byte[] bytes = null;
        try {
            bytes = new Gzip(plain).compress(parts);
        } catch (RuntimeException | OutOfMemoryError e) {
            // Clients wait for the result on event loops, which must not fail.
            log.error("An answer of {} bytes is sent as it is: it could not be compressed", plain.length, e);
        } finally {
            compressed.complete(bytes);
        }
    }

    private static final class Gzip {

        private final byte[] plain;
        private final int most;
        private byte[] out;
        private int length = HEAD.length;

        Gzip(byte[] plain) {
            this.plain = plain;
            this.most = plain.length - plain.length / EXPECTED_RATIO;
            this.out = Arrays.copyOf(HEAD, Math.max(1024, plain.length / EXPECTED_RATIO));
        }

        /** Null when compression saves less than an eighth. */
        byte @Nullable [] compress(List<SharedPart.Place> parts) {
            Deflater deflater = new Deflater(LEVEL, true);
            try {
                int next = 0;
                for (SharedPart.Place place : parts) {
                    deflate(deflater, next, place.from(), Deflater.SYNC_FLUSH);
                    append(deflater, place);
                    next = place.from() + place.length();
                    if (length > most) {
                        return null;
                    }
                }
                deflater.finish();
                deflate(deflater, next, plain.length, Deflater.NO_FLUSH);
            } finally {
                deflater.end();
            }
            return length > most ? null : whole();
        }

        private void append(Deflater deflater, SharedPart.Place place) {
            byte[] known = place.part().compressed(place.length());
            if (known != null) {
                reserve(known.length);
                System.arraycopy(known, 0, out, length, known.length);
                length += known.length;
                return;
            }
            int from = length;
            deflate(deflater, place.from(), place.from() + place.length(), Deflater.SYNC_FLUSH);
            if (length <= most) {
                place.part().keep(place.length(), Arrays.copyOfRange(out, from, length));
            }
        }

        /** SYNC_FLUSH ends at a whole byte, and the part refers to no earlier bytes (RFC 1951, section 3.2.4). */
        private void deflate(Deflater deflater, int from, int to, int flush) {
            if (from == to && flush == Deflater.SYNC_FLUSH) {
                return;
            }
            deflater.setInput(plain, from, to - from);
            int room;
            int written;
            do {
                reserve(FLUSH_BYTES);
                room = out.length - length;
                written = deflater.deflate(out, length, room, flush);
                length += written;
            } while (written == room && length <= most);
            deflater.reset();
        }

        private void reserve(int more) {
            if (out.length - length < more) {
                out = Arrays.copyOf(out, Math.max(length + more, 2 * out.length));
            }
        }

        private byte[] whole() {
            CRC32 checksum = new CRC32();
            checksum.update(plain);
            byte[] whole = Arrays.copyOf(out, length + TAIL_BYTES);
            putReversed(whole, length, (int) checksum.getValue());
            putReversed(whole, length + Integer.BYTES, plain.length);
            return whole;
        }
    }

    /** Little endian. */
    private static void putReversed(byte[] out, int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            out[at + i] = (byte) (value >>> 8 * i);
        }
    }
}
