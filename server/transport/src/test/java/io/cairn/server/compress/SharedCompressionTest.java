package io.cairn.server.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.SharedPart;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
    void partsThatWereCompressedBeforeAreUsedAgain() throws IOException {
        SharedCompression compression = new SharedCompression(Runnable::run);
        byte[] first = text(30_000);
        byte[] second = text(70_001);
        SharedPart ofFirst = new SharedPart(1);
        SharedPart ofSecond = new SharedPart(1);
        byte[] before = joined("head".getBytes(StandardCharsets.US_ASCII), first, second);
        byte[] compressed = compression
                .compress(
                        before,
                        List.of(
                                new SharedPart.Place(4, 30_000, ofFirst),
                                new SharedPart.Place(30_004, 70_001, ofSecond)))
                .join();
        assertThat(decompressed(compressed)).isEqualTo(before);
        byte[] known = ofFirst.compressed(30_000);
        assertThat(known).isNotEmpty();
        assertThat(ofFirst.compressed(30_001)).isNull();

        byte[] after = joined(text(9_000), second, first, text(20));
        compressed = compression
                .compress(
                        after,
                        List.of(
                                new SharedPart.Place(9_000, 70_001, ofSecond),
                                new SharedPart.Place(79_001, 30_000, ofFirst)))
                .join();

        assertThat(decompressed(compressed)).isEqualTo(after);
        assertThat(ofFirst.compressed(30_000)).isSameAs(known);
        assertThat(compressed).hasSizeLessThan(after.length / 2);
    }

    @Test
    void partsOfBytesThatDoNotGetShorterAreSentAsTheyAre() {
        byte[] noise = new byte[50_000];
        new Random(1).nextBytes(noise);
        SharedPart part = new SharedPart(1);
        List<SharedPart.Place> parts = List.of(new SharedPart.Place(10, 49_000, part));

        assertThat(new SharedCompression(Runnable::run).compress(noise, parts).join())
                .isNull();
        assertThat(part.compressed(49_000)).isNull();
    }

    private static byte[] decompressed(byte[] bytes) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return in.readAllBytes();
        }
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
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
