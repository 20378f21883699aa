package io.cairn.server.xds;

import io.cairn.api.wire.Compressor;
import io.cairn.api.wire.Framed;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An encoded response, shared by all streams that get the same. Immutable but for its compressed form, which is made once; thread-safe.
 */
final class DiscoveryResponse implements Framed {

    private final byte[] encoded;
    private final String nonce;
    private final Set<String> warming;
    private final Set<String> added;
    private final boolean compressed;
    /** Written with this object's lock held, read without it. */
    private volatile @Nullable CompletableFuture<DiscoveryResponse> compressedForm;

    /**
     * @param warming the names of the endpoints that its clusters wait for once they have come
     * @param added those of them whose clusters were not in the table before
     */
    DiscoveryResponse(byte[] encoded, String nonce, Set<String> warming, Set<String> added) {
        this(encoded, nonce, warming, added, false);
    }

    private DiscoveryResponse(
            byte[] encoded, String nonce, Set<String> warming, Set<String> added, boolean compressed) {
        this.encoded = encoded;
        this.nonce = nonce;
        this.warming = warming;
        this.added = added;
        this.compressed = compressed;
    }

    String nonce() {
        return nonce;
    }

    Set<String> warming() {
        return warming;
    }

    Set<String> added() {
        return added;
    }

    @Override
    public byte[] encoded() {
        return encoded;
    }

    @Override
    public int encodedLength() {
        return encoded.length;
    }

    @Override
    public boolean isCompressed() {
        return compressed;
    }

    @Override
    public CompletableFuture<DiscoveryResponse> compressed(Compressor compressor) {
        CompletableFuture<DiscoveryResponse> known = compressedForm;
        if (known == null) {
            synchronized (this) {
                known = compressedForm;
                if (known == null) {
                    known = compressor.compress(encoded, List.of()).thenApply(this::as);
                    compressedForm = known;
                }
            }
        }
        return known;
    }

    private DiscoveryResponse as(byte @Nullable [] bytes) {
        return bytes == null ? this : new DiscoveryResponse(bytes, nonce, warming, added, true);
    }
}
