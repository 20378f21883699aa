package io.cairn.server.cluster;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts and authenticates whole frames between nodes with ChaCha20-Poly1305. A sealed frame is its format (1 byte), a random
 * nonce (12 bytes), and the text with its tag (16 bytes).
 */
final class FrameCipher {

    static final int KEY_BYTES = 32;
    static final int OVERHEAD_BYTES = 29;

    private static final byte FORMAT = 1;
    private static final int NONCE_BYTES = 12;
    private static final int TEXT_OFFSET = 1 + NONCE_BYTES;

    private final SecretKeySpec key;
    private final SecureRandom random = new SecureRandom();

    /**
     * For each thread, because a look-up of a cipher costs more than a frame; for each direction, because a cipher refuses a nonce
     * twice.
     */
    private final ThreadLocal<Cipher> sealing = ThreadLocal.withInitial(FrameCipher::newCipher);

    private final ThreadLocal<Cipher> opening = ThreadLocal.withInitial(FrameCipher::newCipher);

    FrameCipher(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key: " + key.length + " bytes (expected: " + KEY_BYTES + ")");
        }
        this.key = new SecretKeySpec(key, "ChaCha20");
    }

    private static Cipher newCipher() {
        try {
            return Cipher.getInstance("ChaCha20-Poly1305");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(
                    "This Java runtime has no ChaCha20-Poly1305, which JDK 11 and newer have", e);
        }
    }

    byte[] seal(byte[] text, int offset, int length) {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        byte[] frame = new byte[OVERHEAD_BYTES + length];
        frame[0] = FORMAT;
        System.arraycopy(nonce, 0, frame, 1, NONCE_BYTES);
        try {
            Cipher cipher = sealing.get();
            cipher.init(Cipher.ENCRYPT_MODE, key, new IvParameterSpec(nonce));
            cipher.updateAAD(frame, 0, 1);
            cipher.doFinal(text, offset, length, frame, TEXT_OFFSET);
            return frame;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("A message of " + length + " bytes cannot be encrypted", e);
        }
    }

    /** @throws GeneralSecurityException if the frame has another key, was changed, or was opened just before */
    byte[] open(byte[] frame) throws GeneralSecurityException {
        if (frame.length < OVERHEAD_BYTES || frame[0] != FORMAT) {
            throw new GeneralSecurityException("The frame is not encrypted, or has an unknown format");
        }
        Cipher cipher = opening.get();
        cipher.init(Cipher.DECRYPT_MODE, key, new IvParameterSpec(frame, 1, NONCE_BYTES));
        cipher.updateAAD(frame, 0, 1);
        return cipher.doFinal(frame, TEXT_OFFSET, frame.length - TEXT_OFFSET);
    }
}
