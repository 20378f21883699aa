package io.cairn.server.compress;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compresses large answers on a pool, never on an event loop. The caller keeps the result beside the bytes, so that all clients
 * that get the same bytes share it. Thread-safe.
 */
public final class SharedCompression {

    /** Shorter answers are sent as they are: they fit in a few packets, and the pool costs more than it saves. */
    public static final int MIN_BYTES = 8 * 1024;

    /**
     * A list of 5,000 instances (2 MB) takes 5 ms and becomes a 26th of its size. Level 6 takes 20 ms for a 31st, level 1 takes as
     * long as this one.
     */
    private static final int LEVEL = 3;

    /** RFC 1952, section 2.3: no name, no time, the operating system not known. */
    private static final byte[] HEAD = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private static final int TAIL_BYTES = 8;
    private static final int EXPECTED_RATIO = 8;

    private static final Logger log = LoggerFactory.getLogger(SharedCompression.class);

    private final Executor pool;

    /** @param pool bounded; what it rejects is sent as it is */
    public SharedCompression(Executor pool) {
        this.pool = pool;
    }

    /** Whether an answer of that length is compressed. */
    public static boolean isLarge(int bytes) {
        return bytes >= MIN_BYTES;
    }

    /**
     * Compresses the bytes on the pool, in the format gzip.
     *
     * @return never fails; null where they are to be sent as they are: they hardly get shorter, or the pool is full
     */
    public CompletableFuture<byte @Nullable []> compress(byte[] plain) {
        CompletableFuture<byte @Nullable []> compressed = new CompletableFuture<>();
        try {
            pool.execute(() -> complete(compressed, plain));
        } catch (RejectedExecutionException e) {
            log.debug("An answer of {} bytes is sent as it is: the pool that compresses is full", plain.length, e);
            compressed.complete(null);
        }
        return compressed;
    }

    private static void complete(CompletableFuture<byte @Nullable []> compressed, byte[] plain) {
        byte[] bytes = null;
        try {
            bytes = gzip(plain);
        } catch (RuntimeException | OutOfMemoryError e) {
            // Its clients wait for it on event loops that must not fail.
            log.error("An answer of {} bytes is sent as it is: it could not be compressed", plain.length, e);
        } finally {
            compressed.complete(bytes);
        }
    }

    /** Null when that saves less than an eighth. */
    static byte @Nullable [] gzip(byte[] plain) {
        int most = plain.length - plain.length / EXPECTED_RATIO;
        byte[] out = Arrays.copyOf(HEAD, Math.max(1024, plain.length / EXPECTED_RATIO));
        int length = HEAD.length;
        Deflater deflater = new Deflater(LEVEL, true);
        try {
            deflater.setInput(plain);
            deflater.finish();
            while (!deflater.finished()) {
                if (length == out.length) {
                    if (length >= most) {
                        return null;
                    }
                    out = Arrays.copyOf(out, Math.min(most, 2 * length));
                }
                length += deflater.deflate(out, length, out.length - length);
            }
        } finally {
            deflater.end();
        }
        CRC32 checksum = new CRC32();
        checksum.update(plain);
        byte[] whole = Arrays.copyOf(out, length + TAIL_BYTES);
        putReversed(whole, length, (int) checksum.getValue());
        putReversed(whole, length + Integer.BYTES, plain.length);
        return whole;
    }

    /** The lowest byte first. */
    private static void putReversed(byte[] out, int at, int value) {
        for (int i = 0; i < Integer.BYTES; i++) {
            out[at + i] = (byte) (value >>> 8 * i);
        }
    }
}
