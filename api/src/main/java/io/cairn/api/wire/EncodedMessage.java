package io.cairn.api.wire;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An uncompressed message that caches its compressed form for all receivers. Thread-safe. */
public abstract class EncodedMessage implements Framed {

    final byte[] encoded;
    /** Written under this object's lock, read without it. */
    private volatile @Nullable CompletableFuture<Framed> compressedForm;

    /** @param encoded must not be changed afterwards */
    protected EncodedMessage(byte[] encoded) {
        this.encoded = encoded;
    }

    private record Compressed(byte[] encoded) implements Framed {

        @Override
        public int encodedLength() {
            return encoded.length;
        }

        @Override
        public boolean isCompressed() {
            return true;
        }

        @Override
        public CompletableFuture<Framed> compressed(Compressor compressor) {
            return CompletableFuture.completedFuture(this);
        }
    }

    protected List<SharedPart.Place> parts() {
        return List.of();
    }

    @Override
    public final byte[] encoded() {
        return encoded;
    }

    @Override
    public final int encodedLength() {
        return encoded.length;
    }

    @Override
    public final boolean isCompressed() {
        return false;
    }

    @Override
    public final CompletableFuture<Framed> compressed(Compressor compressor) {
        CompletableFuture<Framed> known = compressedForm;
        if (known == null) {
            synchronized (this) {
                known = compressedForm;
                if (known == null) {
                    known = compressor
                            .compress(encoded, parts())
                            .thenApply(bytes -> bytes == null ? this : new Compressed(bytes));
                    compressedForm = known;
                }
            }
        }
        return known;
    }
}
