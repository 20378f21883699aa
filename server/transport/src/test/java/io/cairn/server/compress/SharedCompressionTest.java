package io.cairn.server.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SharedCompressionTest {

    @ParameterizedTest
    @ValueSource(ints = {8 * 1024, 100_000, 3_000_001})
    void decompressesToTheSameBytes(int length) throws IOException {
        byte[] plain = text(length);

        byte[] compressed = new SharedCompression(Runnable::run).compress(plain).join();

        assertThat(compressed).hasSizeLessThan(length / 2);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            assertThat(in.readAllBytes()).isEqualTo(plain);
        }
    }

    @Test
    void bytesThatDoNotGetShorterAreSentAsTheyAre() {
        byte[] noise = new byte[50_000];
        new Random(1).nextBytes(noise);

        assertThat(new SharedCompression(Runnable::run).compress(noise).join()).isNull();
    }

    @Test
    void sendsUncompressedWhatThePoolRejects() {
        SharedCompression full = new SharedCompression(task -> {
            throw new RejectedExecutionException("as intended by the test");
        });

        assertThat(full.compress(text(10_000)).join()).isNull();
    }

    private static byte[] text(int length) {
        Random random = new Random(length);
        StringBuilder text = new StringBuilder(length + 20);
        while (text.length() < length) {
            text.append("instance ").append(random.nextInt(1000)).append(',');
        }
        return text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    }
}
