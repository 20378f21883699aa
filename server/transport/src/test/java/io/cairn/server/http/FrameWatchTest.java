package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.RawHttp2;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FrameWatchTest {

    private static final int CONTINUATION = 9;
    private static final int PUSH_PROMISE = 5;
    private static final int LARGE = 70_000;

    private final FrameWatch watch = new FrameWatch();

    private void inspect(byte... bytes) {
        watch.inspect(Unpooled.wrappedBuffer(bytes));
    }

    private void open() {
        watch.inspect(Http2CodecUtil.connectionPrefaceBuf());
        assertThat(watch.isInHead()).isTrue();
        inspect(RawHttp2.frame(RawHttp2.SETTINGS, 0, 0, new byte[12]));
        assertThat(watch.isInHead()).isFalse();
    }

    @Test
    void aHeadEndsWithItsLastFrame() {
        open();
        int before = watch.ended();
        inspect(RawHttp2.frame(RawHttp2.HEADERS, 0, 1, new byte[5]));
        assertThat(watch.isInHead()).isTrue();
        inspect(RawHttp2.frame(CONTINUATION, 0, 1, new byte[0]));
        assertThat(watch.isInHead()).isTrue();
        inspect(RawHttp2.frame(CONTINUATION, RawHttp2.END_HEADERS, 1, new byte[5]));
        assertThat(watch.isInHead()).isFalse();
        assertThat(watch.ended()).as("one head, and one time for it").isEqualTo(before + 1);
    }

    @Test
    void aPushPromiseGoesOnLikeAHead() {
        open();
        inspect(RawHttp2.frame(PUSH_PROMISE, 0, 1, new byte[16]));
        assertThat(watch.isInHead()).isTrue();
        assertThat(watch.headBytes()).isEqualTo(16);
        inspect(RawHttp2.frame(CONTINUATION, RawHttp2.END_HEADERS, 1, new byte[5]));
        assertThat(watch.isInHead()).isFalse();
    }

    @Test
    void tracksUnfinishedHeadsByteByByteAndIgnoresData() {
        open();
        byte[] head = RawHttp2.frame(RawHttp2.HEADERS, RawHttp2.END_HEADERS, 1, new byte[20]);
        for (int i = 0; i < head.length; i++) {
            inspect(head[i]);
            assertThat(watch.isInHead()).as("byte %s", i).isEqualTo(i < head.length - 1);
        }
        byte[] data = RawHttp2.frame(RawHttp2.DATA, 0, 1, new byte[20]);
        for (int i = 0; i < data.length; i++) {
            inspect(data[i]);
            assertThat(watch.isInHead()).as("byte %s", i).isEqualTo(i < 8);
        }
    }

    @Test
    void howeverItIsCutItEndsWhereTheFramesEnd() {
        Random random = new Random(27);
        byte[] noise = new byte[2 * LARGE];
        random.nextBytes(noise);
        open();
        for (int round = 0; round < 2_000; round++) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int frame = random.nextInt(6); frame >= 0; frame--) {
                int type = random.nextInt(12);
                int flags = random.nextInt(256) | RawHttp2.END_HEADERS;
                int size = random.nextInt(4) == 0 ? LARGE : random.nextInt(40);
                int from = random.nextInt(noise.length - size);
                byte[] payload = Arrays.copyOfRange(noise, from, from + size);
                all.writeBytes(RawHttp2.frame(payload.length, type, flags, random.nextInt(), payload));
            }
            byte[] bytes = all.toByteArray();
            for (int at = 0; at < bytes.length; ) {
                int part = 1 + random.nextInt(random.nextBoolean() ? 12 : 100_000);
                int length = Math.min(part, bytes.length - at);
                watch.inspect(Unpooled.wrappedBuffer(bytes, at, length));
                at += length;
            }
            assertThat(watch.isInHead()).as("round %s", round).isFalse();
        }
    }
}
