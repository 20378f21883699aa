package io.cairn.server.mesh;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The 64-bit hash of a resource's content: its version, equal on all nodes and after a restart. */
public final class ContentHash {

    private ContentHash() {}

    /** The first 64 bits of the SHA-256 digest. */
    public static long of(byte[] content) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(content))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
