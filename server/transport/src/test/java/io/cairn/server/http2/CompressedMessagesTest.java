package io.cairn.server.http2;

import static io.cairn.server.testing.RawHttp2.DATA;
import static io.cairn.server.testing.RawHttp2.END_HEADERS;
import static io.cairn.server.testing.RawHttp2.HEADERS;
import static io.cairn.server.testing.RawHttp2.RST_STREAM;
import static io.cairn.server.testing.RawHttp2.frame;
import static io.cairn.server.testing.RawHttp2.headerBlock;
import static io.cairn.server.testing.RawHttp2.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.testing.RawHttp2.Frame;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** Large messages to clients that take them compressed. */
final class CompressedMessagesTest {

    private static final String LARGE = "0123456789".repeat(5_000);

    @Test
    void aStreamCarriesLargeMessagesCompressedAndSmallOnesAsTheyAreInTheirOrder() throws Exception {
        try (Wire wire = Wire.started()) {
            Call call = open(wire, 1, "identity, deflate, gzip");
            call.sendHeaders();
            call.send(Wire.payload("small 1"));
            call.send(Wire.payload(LARGE));
            call.send(Wire.payload("small 2"));
            List<Frame> before = wire.frames();
            assertThat(encoding(wire, before)).hasToString("gzip");
            assertThat(bodies(before)).containsExactly("0 small 1");

            runPool(wire);

            assertThat(bodies(wire.frames())).containsExactly("1 " + LARGE, "0 small 2");
            assertThat(call.isReady()).isTrue();
        }
    }

    @Test
    void theOtherClientsGetThePlainMessage() throws Exception {
        try (Wire wire = Wire.started()) {
            Call call = open(wire, 1, "identity");
            call.sendHeaders();
            call.send(Wire.payload(LARGE));

            List<Frame> frames = wire.frames();

            assertThat(encoding(wire, frames)).isNull();
            assertThat(bodies(frames)).containsExactly("0 " + LARGE);
            assertThat(wire.pool).isEmpty();
        }
    }

    @Test
    void receiversShareTheCompressedBytes() throws Exception {
        Payload message = Wire.payload(LARGE);
        try (Wire wire = Wire.started()) {
            List<Call> calls = List.of(open(wire, 1, "gzip"), open(wire, 3, "gzip"), open(wire, 5, "deflate,gzip"));
            calls.forEach(call -> call.send(message));

            assertThat(wire.pool).hasSize(1);
            runPool(wire);

            assertThat(bodies(wire.frames())).hasSize(3).containsOnly("1 " + LARGE);
            calls.get(0).send(message);
            assertThat(bodies(wire.frames())).containsExactly("1 " + LARGE);
            assertThat(wire.pool).isEmpty();
        }
    }

    @Test
    void anAnswerNamesTheEncodingOnlyWhereItIsCompressed() throws Exception {
        try (Wire wire = Wire.started()) {
            open(wire, 1, "gzip").answer(Wire.payload("small"));
            List<Frame> small = wire.frames();
            assertThat(encoding(wire, small)).isNull();
            assertThat(bodies(small)).containsExactly("0 small");

            open(wire, 3, "gzip").answer(Wire.payload(LARGE));
            List<Frame> head = wire.frames();
            assertThat(encoding(wire, head)).hasToString("gzip");
            runPool(wire);
            List<Frame> rest = wire.frames();
            assertThat(bodies(rest)).containsExactly("1 " + LARGE);
            assertThat(headers(wire, rest).get("grpc-status")).hasToString("0");
            assertThat(wire.calls.get(1).events).containsExactly("complete");
        }
    }

    @Test
    void aMessageThatDoesNotGetShorterIsSentAsItIs() throws Exception {
        byte[] bytes = new byte[30_000];
        new Random(1).nextBytes(bytes);
        Payload noise = Payload.of("Test", bytes);
        try (Wire wire = Wire.started()) {
            Call call = open(wire, 1, "gzip");
            call.send(noise);
            runPool(wire);

            assertThat(bodies(wire.frames())).containsExactly("0 " + noise.bodyText());
        }
    }

    @Test
    void aCallThatEndsMeanwhileGetsNothing() throws Exception {
        try (Wire wire = Wire.started()) {
            open(wire, 1, "gzip").send(Wire.payload(LARGE));
            wire.frames();
            wire.send(frame(RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8}));

            runPool(wire);

            assertThat(wire.frames()).isEmpty();
            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
        }
    }

    private static void runPool(Wire wire) {
        List<Runnable> tasks = List.copyOf(wire.pool);
        wire.pool.clear();
        tasks.forEach(Runnable::run);
    }

    private static Call open(Wire wire, int stream, String accepted) {
        wire.send(
                windowUpdate(0, 200_000),
                frame(
                        HEADERS,
                        END_HEADERS,
                        stream,
                        headerBlock(
                                ":method",
                                "POST",
                                ":scheme",
                                "http",
                                ":path",
                                "/Test/call",
                                "content-type",
                                "application/grpc",
                                "grpc-accept-encoding",
                                accepted)),
                windowUpdate(stream, 200_000));
        return wire.calls.get(wire.calls.size() - 1).call;
    }

    private static CharSequence encoding(Wire wire, List<Frame> frames) {
        return headers(wire, frames).get("grpc-encoding");
    }

    /** Of the first frame that has some. */
    private static Http2Headers headers(Wire wire, List<Frame> frames) {
        return wire.headers(frames.stream()
                .filter(frame -> frame.type() == HEADERS)
                .findFirst()
                .orElseThrow());
    }

    /** Flag and text of each message; all messages of a stream after those of the streams before it. */
    private static List<String> bodies(List<Frame> frames) throws IOException {
        List<String> bodies = new ArrayList<>();
        for (int stream : frames.stream()
                .filter(frame -> frame.type() == DATA)
                .mapToInt(Frame::stream)
                .distinct()
                .sorted()
                .toArray()) {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            frames.stream()
                    .filter(frame -> frame.type() == DATA && frame.stream() == stream)
                    .forEach(frame -> all.writeBytes(frame.payload()));
            ByteBuffer in = ByteBuffer.wrap(all.toByteArray());
            while (in.hasRemaining()) {
                int flag = in.get();
                byte[] message = new byte[in.getInt()];
                in.get(message);
                if (flag == 1) {
                    try (GZIPInputStream plain = new GZIPInputStream(new ByteArrayInputStream(message))) {
                        message = plain.readAllBytes();
                    }
                }
                bodies.add(flag + " " + Payload.read(message).bodyText());
            }
        }
        return bodies;
    }
}
