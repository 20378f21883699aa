package io.cairn.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FrameCipherTest {

    private static final byte[] TEXT = "registration of 10.0.0.1:8080".getBytes(StandardCharsets.UTF_8);

    private final FrameCipher cipher = new FrameCipher(GroupNode.key(1));

    @Test
    void opensFramesSealedByAnotherNodeWithTheSameKey() throws Exception {
        byte[] frame = new FrameCipher(GroupNode.key(1)).seal(TEXT, 3, 10);
        assertThat(frame).hasSize(10 + FrameCipher.OVERHEAD_BYTES);
        assertThat(new String(cipher.open(frame), StandardCharsets.UTF_8)).isEqualTo("istration ");
        assertThat(cipher.open(cipher.seal(TEXT, 0, 0))).isEmpty();
    }

    @Test
    void sameTextMakesOtherFramesThatDoNotShowIt() {
        byte[] first = cipher.seal(TEXT, 0, TEXT.length);
        byte[] second = cipher.seal(TEXT, 0, TEXT.length);
        assertThat(first).isNotEqualTo(second);
        assertThat(new String(first, StandardCharsets.ISO_8859_1))
                .doesNotContain("regis")
                .doesNotContain("8080");
    }

    /** It was recorded and is sent again. */
    @Test
    void refusesFrameThatWasJustOpened() throws Exception {
        byte[] frame = cipher.seal(TEXT, 0, TEXT.length);
        assertThat(cipher.open(frame)).isEqualTo(TEXT);
        assertThatThrownBy(() -> cipher.open(frame)).isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void refusesFrameOfAnotherKey() {
        byte[] frame = new FrameCipher(GroupNode.key(2)).seal(TEXT, 0, TEXT.length);
        assertThatThrownBy(() -> cipher.open(frame)).isInstanceOf(GeneralSecurityException.class);
    }

    @Test
    void refusesFrameWithAnyByteChanged() {
        byte[] frame = cipher.seal(TEXT, 0, TEXT.length);
        for (int i = 0; i < frame.length; i++) {
            byte[] changed = frame.clone();
            changed[i] ^= 1;
            assertThatThrownBy(() -> cipher.open(changed))
                    .as("byte %s", i)
                    .isInstanceOf(GeneralSecurityException.class);
        }
    }

    @Test
    void refusesTextWithoutEncryptionAndPartsOfAFrame() {
        assertThatThrownBy(() -> cipher.open(TEXT)).isInstanceOf(GeneralSecurityException.class);
        byte[] frame = cipher.seal(TEXT, 0, TEXT.length);
        for (int length : new int[] {0, 1, FrameCipher.OVERHEAD_BYTES - 1, frame.length - 1}) {
            assertThatThrownBy(() -> cipher.open(Arrays.copyOf(frame, length)))
                    .as("%s bytes", length)
                    .isInstanceOf(GeneralSecurityException.class);
        }
    }

    @Test
    void refusesKeyOfAnotherLength() {
        assertThatThrownBy(() -> new FrameCipher(new byte[16])).hasMessage("key: 16 bytes (expected: 32)");
    }
}
