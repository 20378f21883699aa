package io.cairn.server.http2;

import static io.cairn.server.http2.Wire.data;
import static io.cairn.server.http2.Wire.message;
import static io.cairn.server.http2.Wire.number;
import static io.cairn.server.http2.Wire.open;
import static io.cairn.server.http2.Wire.payload;
import static io.cairn.server.testing.RawHttp2.DATA;
import static io.cairn.server.testing.RawHttp2.END_HEADERS;
import static io.cairn.server.testing.RawHttp2.END_STREAM;
import static io.cairn.server.testing.RawHttp2.GOAWAY;
import static io.cairn.server.testing.RawHttp2.HEADERS;
import static io.cairn.server.testing.RawHttp2.PING;
import static io.cairn.server.testing.RawHttp2.RST_STREAM;
import static io.cairn.server.testing.RawHttp2.SETTINGS;
import static io.cairn.server.testing.RawHttp2.WINDOW_UPDATE;
import static io.cairn.server.testing.RawHttp2.frame;
import static io.cairn.server.testing.RawHttp2.headerBlock;
import static io.cairn.server.testing.RawHttp2.windowUpdate;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawHttp2.Frame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The server's side of HTTP/2 and gRPC, frame by frame; each test also sees that no buffer is left. */
class Http2ConnectionTest {

    private static final int CONTINUATION = 9;
    private static final int PADDED = 8;
    private static final int PRIORITIZED = 0x20;
    private static final String[] HEAD = {
        ":method",
        "POST",
        ":scheme",
        "http",
        ":path",
        "/Test/call",
        ":authority",
        "x",
        "content-type",
        "application/grpc"
    };

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] setting(int id, int value) {
        return frame(SETTINGS, 0, 0, new byte[] {
            0, (byte) id, (byte) (value >> 24), (byte) (value >> 16), (byte) (value >> 8), (byte) value
        });
    }

    private static byte[] reset(int stream) {
        return frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8});
    }

    @Test
    void theServerGreetsOnceItHasSeenThePreface() throws Exception {
        try (Wire wire = new Wire()) {
            assertThat(wire.frames()).isEmpty();
            wire.send(Arrays.copyOf(RawHttp2.preface(), 20));
            assertThat(wire.frames()).isEmpty();

            wire.send(Arrays.copyOfRange(RawHttp2.preface(), 20, 24), frame(SETTINGS, 0, 0, new byte[0]));

            List<Frame> frames = wire.frames();
            assertThat(frames).extracting(Frame::type).containsExactly(SETTINGS, WINDOW_UPDATE, SETTINGS);
            assertThat(frames.get(0).isAck()).isFalse();
            assertThat(frames.get(2).isAck()).isTrue();
        }
    }

    @Test
    void anAnswerIsHeadMessageAndEnd() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, END_STREAM, message("question")));
            Wire.TestCall call = wire.calls.get(0);
            assertThat(call.messages).extracting(Payload::bodyText).containsExactly("question");
            assertThat(call.events).containsExactly("half-closed");

            call.call.answer(payload("answer"));

            List<Frame> frames = wire.frames();
            assertThat(frames).extracting(Frame::type).containsExactly(HEADERS, DATA, HEADERS);
            assertThat(frames.get(1).payload()).isEqualTo(message("answer"));
            assertThat(frames.get(2).flags()).isEqualTo(END_HEADERS | END_STREAM);
            assertThat(wire.headers(frames.get(2)).get("grpc-status")).hasToString("0");
            assertThat(call.events).containsExactly("half-closed", "complete");
        }
    }

    @Test
    void messagesAreIndependentOfFrames() throws Exception {
        byte[] long1 = message("x".repeat(70_000));
        byte[] three = join(message("a"), message(""), long1, message("b"));
        for (int size : new int[] {1, 3, 1_000, 16_384}) {
            try (Wire wire = Wire.started()) {
                wire.send(open(1));
                for (int from = 0; from < three.length; from += size) {
                    wire.send(data(1, 0, Arrays.copyOfRange(three, from, Math.min(three.length, from + size))));
                }
                assertThat(wire.calls.get(0).messages)
                        .extracting(Payload::bodyText)
                        .containsExactly("a", "", "x".repeat(70_000), "b");
            }
        }
    }

    @Test
    void bytesMayComeInAnyPieces() throws Exception {
        byte[] all = join(
                RawHttp2.preface(),
                frame(SETTINGS, 0, 0, new byte[0]),
                open(1),
                data(1, 0, message("x".repeat(9_000))),
                frame(77, 0xff, 3, new byte[300]),
                open(3),
                data(3, END_STREAM, message("last")));
        Random random = new Random(1);
        for (int i = 0; i < 200; i++) {
            try (Wire wire = new Wire()) {
                for (int from = 0; from < all.length; ) {
                    int to = Math.min(all.length, from + 1 + random.nextInt(random.nextBoolean() ? 12 : 4_000));
                    wire.send(Arrays.copyOfRange(all, from, to));
                    from = to;
                }
                assertThat(wire.calls).hasSize(2);
                assertThat(wire.calls.get(0).messages.get(0).bodyLength()).isEqualTo(9_000);
                assertThat(wire.calls.get(1).messages)
                        .extracting(Payload::bodyText)
                        .containsExactly("last");
            }
        }
    }

    @Test
    void headersMayBePaddedPrioritizedAndContinued() throws Exception {
        byte[] block = headerBlock(HEAD);
        try (Wire wire = Wire.started()) {
            wire.send(frame(
                    HEADERS,
                    END_HEADERS | PADDED | PRIORITIZED,
                    1,
                    join(new byte[] {3, 0, 0, 0, 0, 15}, block, new byte[3])));
            wire.send(frame(HEADERS, 0, 3, Arrays.copyOf(block, 7)));
            wire.send(frame(CONTINUATION, 0, 3, Arrays.copyOfRange(block, 7, 20)));
            wire.send(frame(CONTINUATION, END_HEADERS, 3, Arrays.copyOfRange(block, 20, block.length)));
            wire.send(data(3, PADDED | END_STREAM, join(new byte[] {5}, message("padded"), new byte[5])));

            assertThat(wire.calls).hasSize(2);
            assertThat(wire.calls.get(1).messages).extracting(Payload::bodyText).containsExactly("padded");
        }
    }

    @Test
    void headsOfIndexesAloneAreUnderstoodTheSecondTimeAndAfterTheTableHasChanged() throws Exception {
        // Static: POST (3), http (6); dynamic: 62 is the field that was added last.
        byte[] adds = join(
                new byte[] {(byte) 0x83, (byte) 0x86, 0x44, 10},
                "/Test/call".getBytes(StandardCharsets.US_ASCII),
                new byte[] {0x5f, 16},
                "application/grpc".getBytes(StandardCharsets.US_ASCII));
        byte[] indexes = {(byte) 0x83, (byte) 0x86, (byte) 0xbf, (byte) 0xbe};
        byte[] addsOther = join(
                new byte[] {(byte) 0x83, (byte) 0x86, 0x44, 6},
                "/Other".getBytes(StandardCharsets.US_ASCII),
                new byte[] {(byte) 0xbf});
        try (Wire wire = Wire.started()) {
            int stream = 1;
            for (byte[] block : List.of(adds, indexes, indexes, indexes)) {
                wire.send(frame(HEADERS, END_HEADERS, stream, block), reset(stream));
                stream += 2;
            }
            assertThat(wire.calls).hasSize(4);

            wire.send(frame(HEADERS, END_HEADERS | END_STREAM, stream, addsOther));
            assertThat(status(wire, Objects.requireNonNull(wire.only(HEADERS)))).isEqualTo("12");
            // The same bytes mean something else now: a path where the type of the content should be.
            wire.send(frame(HEADERS, END_HEADERS | END_STREAM, stream + 2, indexes));
            assertThat(wire.calls).hasSize(4);
        }
    }

    private static String status(Wire wire, Frame headers) {
        return String.valueOf(wire.headers(headers).get("grpc-status"));
    }

    @Test
    void compressedMessagesAreUnderstood() throws Exception {
        ByteArrayOutputStream folded = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(folded)) {
            out.write(payload("folded").encoded());
        }
        byte[] framed = RawHttp2.message(folded.toByteArray());
        framed[0] = 1;
        try (Wire wire = Wire.started()) {
            String[] head = Arrays.copyOf(HEAD, HEAD.length + 2);
            head[HEAD.length] = "grpc-encoding";
            head[HEAD.length + 1] = "gzip";
            wire.send(
                    frame(HEADERS, END_HEADERS, 1, headerBlock(head)),
                    data(1, 0, framed),
                    data(1, 0, message("plain")));

            assertThat(wire.calls.get(0).messages).extracting(Payload::bodyText).containsExactly("folded", "plain");
        }
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                Arguments.of("200", "12", new String[] {":path", "/Test/other"}),
                Arguments.of("404", "12", new String[] {":path", "Test/call"}),
                Arguments.of("415", "13", new String[] {"content-type", "text/html"}),
                Arguments.of("415", "13", new String[] {"content-type", "application/grpcx"}),
                Arguments.of("405", "13", new String[] {":method", "PUT"}),
                Arguments.of("200", "12", new String[] {"grpc-encoding", "br"}),
                Arguments.of("200", "8", new String[] {"x", "y".repeat(9_000)}));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void aHeadThatIsNotOursIsRefused(String http, String grpc, String[] instead) throws Exception {
        String[] head = HEAD.clone();
        int at = Arrays.asList(head).indexOf(instead[0]);
        if (at < 0) {
            at = head.length;
            head = Arrays.copyOf(head, at + 2);
            head[at] = instead[0];
        }
        head[at + 1] = instead[1];
        try (Wire wire = Wire.started()) {
            wire.send(frame(HEADERS, END_HEADERS, 1, headerBlock(head)));

            List<Frame> frames = wire.frames();
            assertThat(frames).extracting(Frame::type).containsExactly(HEADERS, RST_STREAM);
            assertThat(frames.get(0).flags() & END_STREAM).isEqualTo(END_STREAM);
            assertThat(wire.headers(frames.get(0)).status()).hasToString(http);
            assertThat(status(wire, frames.get(0))).isEqualTo(grpc);
            // Frames that the client has sent already are skipped.
            wire.send(data(1, END_STREAM, message("late")), open(3));
            assertThat(wire.frames()).isEmpty();
            assertThat(wire.calls).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/grpc+proto", "application/grpc;x=y", "Application/GRPC"})
    void spellingsOfTheContentTypeAreUnderstood(String type) throws Exception {
        String[] head = HEAD.clone();
        head[head.length - 1] = type;
        try (Wire wire = Wire.started()) {
            wire.send(frame(HEADERS, END_HEADERS, 1, headerBlock(head)));
            assertThat(wire.calls).hasSize(1);
        }
    }

    static Stream<Arguments> unreadable() {
        byte[] tooLong = {0, 0, 1, (byte) 0x86, (byte) 0xa1};
        return Stream.of(
                Arguments.of("8", tooLong),
                Arguments.of("8", new byte[] {0, -1, -1, -1, -1}),
                Arguments.of("13", new byte[] {2, 0, 0, 0, 0}),
                Arguments.of("13", new byte[] {1, 0, 0, 0, 1, 1}));
    }

    @ParameterizedTest
    @MethodSource("unreadable")
    void aMessageThatCannotBeReadEndsItsCallAlone(String grpc, byte[] bytes) throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, 0, bytes));

            List<Frame> frames = wire.frames();
            assertThat(frames).extracting(Frame::type).containsExactly(HEADERS, RST_STREAM);
            assertThat(status(wire, frames.get(0))).isEqualTo(grpc);
            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
            wire.send(data(1, 0, new byte[10_000]), data(1, END_STREAM, new byte[0]), open(3));
            assertThat(wire.frames()).isEmpty();
            assertThat(wire.calls).hasSize(2);
        }
    }

    @Test
    void moreCallsThanAllowedAreRefused() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), open(3), open(5), open(7), open(9));

            Frame refused = Objects.requireNonNull(wire.only(RST_STREAM));
            assertThat(refused.stream()).isEqualTo(9);
            assertThat(number(refused.payload(), 0)).isEqualTo(Http2Failure.REFUSED_STREAM);
            wire.send(reset(3), open(11));
            assertThat(wire.calls).hasSize(5);
            assertThat(wire.calls.get(1).events).containsExactly("cancelled");
        }
    }

    static Stream<Arguments> streamErrors() {
        return Stream.of(
                Arguments.of(Http2Failure.STREAM_CLOSED, data(1, 0, message("after the end"))),
                Arguments.of(Http2Failure.STREAM_CLOSED, frame(HEADERS, 5, 1, headerBlock("x", "y"))),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, windowUpdate(1, 0)),
                Arguments.of(Http2Failure.FLOW_CONTROL_ERROR, windowUpdate(1, Integer.MAX_VALUE)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(2, 0, 1, new byte[] {0, 0, 0, 1, 9})));
    }

    @ParameterizedTest
    @MethodSource("streamErrors")
    void anErrorOnAStreamEndsItAlone(int code, byte[] wrong) throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, END_STREAM, message("x")), wrong);

            assertThat(number(Objects.requireNonNull(wire.only(RST_STREAM)).payload(), 0))
                    .isEqualTo(code);
            assertThat(wire.calls.get(0).events).containsExactly("half-closed", "cancelled");
            wire.calls.get(0).call.answer(payload("too late"));
            assertThat(wire.frames()).isEmpty();
            wire.send(open(3));
            assertThat(wire.calls).hasSize(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {":method", ":scheme", ":path"})
    void resetsARequestWithoutAMandatoryField(String missing) throws Exception {
        List<String> head = new ArrayList<>(List.of(HEAD));
        head.subList(head.indexOf(missing), head.indexOf(missing) + 2).clear();
        try (Wire wire = Wire.started()) {
            wire.send(frame(HEADERS, END_HEADERS, 1, headerBlock(head.toArray(String[]::new))));

            assertThat(number(Objects.requireNonNull(wire.only(RST_STREAM)).payload(), 0))
                    .isEqualTo(Http2Failure.PROTOCOL_ERROR);
            wire.send(open(3));
            assertThat(wire.calls).hasSize(1);
        }
    }

    static Stream<Arguments> wrongLengths() {
        byte[] message = message("x");
        return Stream.of(
                Arguments.of(message.length - 1, data(1, 0, message)),
                Arguments.of(message.length + 1, data(1, END_STREAM, message)),
                Arguments.of(message.length + 1, join(data(1, 0, message), data(1, END_STREAM, new byte[0]))),
                Arguments.of(1, frame(HEADERS, END_HEADERS | END_STREAM, 1, headerBlock("x", "y"))));
    }

    @ParameterizedTest
    @MethodSource("wrongLengths")
    void resetsACallWithMoreOrLessDataThanAnnounced(int announced, byte[] frames) throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(openWithLength(announced), frames);

            assertThat(number(Objects.requireNonNull(wire.only(RST_STREAM)).payload(), 0))
                    .isEqualTo(Http2Failure.PROTOCOL_ERROR);
            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
        }
    }

    @Test
    void servesACallWithTheDataThatItHasAnnounced() throws Exception {
        byte[] message = message("x");
        try (Wire wire = Wire.started()) {
            wire.send(openWithLength(message.length), data(1, 0, message), data(1, END_STREAM, new byte[0]));

            assertThat(wire.calls.get(0).events).containsExactly("half-closed");
        }
    }

    private static byte[] openWithLength(int bytes) {
        String[] head = Arrays.copyOf(HEAD, HEAD.length + 2);
        head[HEAD.length] = "content-length";
        head[HEAD.length + 1] = Integer.toString(bytes);
        return frame(HEADERS, END_HEADERS, 1, headerBlock(head));
    }

    @Test
    void resetsACallWhoseTrailersHaveAPseudoHeaderField() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), frame(HEADERS, END_HEADERS | END_STREAM, 1, headerBlock(":method", "POST")));

            assertThat(number(Objects.requireNonNull(wire.only(RST_STREAM)).payload(), 0))
                    .isEqualTo(Http2Failure.PROTOCOL_ERROR);
            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
        }
    }

    @Test
    void aRequestMayEndWithTrailers() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, 0, message("x")));
            wire.send(frame(HEADERS, END_HEADERS | END_STREAM, 1, headerBlock("x-checksum", "1")));
            assertThat(wire.calls.get(0).events).containsExactly("half-closed");
        }
    }

    static Stream<Arguments> violations() {
        return Stream.of(
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(16_385, DATA, 0, 1, new byte[0])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(SETTINGS, 0, 0, new byte[5])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(SETTINGS, 1, 0, new byte[6])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(PING, 0, 0, new byte[7])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(RST_STREAM, 0, 1, new byte[5])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(WINDOW_UPDATE, 0, 0, new byte[3])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(2, 0, 1, new byte[4])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(GOAWAY, 0, 0, new byte[7])),
                Arguments.of(Http2Failure.FRAME_SIZE_ERROR, frame(DATA, PADDED, 1, new byte[0])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, data(0, 0, new byte[1])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, data(99, 0, new byte[1])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, data(2, 0, new byte[1])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(DATA, PADDED, 1, new byte[] {1})),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, open(4)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(SETTINGS, 0, 1, new byte[0])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(PING, 0, 1, new byte[8])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(GOAWAY, 0, 1, new byte[8])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, reset(99)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, windowUpdate(99, 1)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, windowUpdate(0, 0)),
                Arguments.of(Http2Failure.FLOW_CONTROL_ERROR, windowUpdate(0, Integer.MAX_VALUE)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(5, END_HEADERS, 1, new byte[20])),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, frame(CONTINUATION, END_HEADERS, 1, new byte[20])),
                Arguments.of(
                        Http2Failure.PROTOCOL_ERROR,
                        join(frame(HEADERS, 0, 3, new byte[1]), frame(PING, 0, 0, new byte[8]))),
                Arguments.of(
                        Http2Failure.PROTOCOL_ERROR,
                        join(frame(HEADERS, 0, 3, new byte[1]), frame(CONTINUATION, 0, 5, new byte[8]))),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, setting(2, 2)),
                Arguments.of(Http2Failure.FLOW_CONTROL_ERROR, setting(4, -1)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, setting(5, 16_383)),
                Arguments.of(Http2Failure.PROTOCOL_ERROR, setting(5, 1 << 24)),
                Arguments.of(
                        Http2Failure.COMPRESSION_ERROR,
                        frame(HEADERS, END_HEADERS, 3, new byte[] {-1, -1, -1, -1, -1})),
                Arguments.of(Http2Failure.STREAM_CLOSED, join(open(3), reset(3), open(3))),
                Arguments.of(Http2Failure.STREAM_CLOSED, join(open(5), open(3))));
    }

    @ParameterizedTest
    @MethodSource("violations")
    void invalidFramesCloseTheConnectionWithTheReason(int code, byte[] wrong) throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), wrong, frame(PING, 0, 0, new byte[8]));

            List<Frame> frames = wire.frames();
            Frame last = frames.get(frames.size() - 1);
            assertThat(last.type()).isEqualTo(GOAWAY);
            assertThat(number(last.payload(), 4)).isEqualTo(code);
            assertThat(last.payload().length).isGreaterThan(8);
            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
            assertThat(wire.channel().isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r"})
    void closesAConnectionThatDoesNotSpeakHttp2(String text) throws Exception {
        try (Wire wire = new Wire()) {
            wire.send(text.getBytes(StandardCharsets.US_ASCII));
            assertThat(wire.frames()).isEmpty();
            assertThat(wire.channel().isOpen()).isFalse();
        }
    }

    @Test
    void theFirstFrameIsOneOfSettings() throws Exception {
        try (Wire wire = new Wire()) {
            wire.send(RawHttp2.preface(), frame(PING, 0, 0, new byte[8]));

            assertThat(wire.frames()).extracting(Frame::type).containsExactly(SETTINGS, WINDOW_UPDATE, GOAWAY);
        }
    }

    static Stream<Arguments> floods() {
        return Stream.of(
                flood("resets", stream -> join(open(stream), reset(stream))),
                flood(
                        "resets by the server",
                        stream -> join(open(stream), frame(WINDOW_UPDATE, 0, stream, new byte[4]))),
                flood("settings", stream -> frame(SETTINGS, 0, 0, new byte[0])),
                flood("empty data", stream -> data(1, 0, new byte[0])),
                flood("pings", stream -> frame(PING, 0, 0, new byte[8])));
    }

    private static Arguments flood(String what, IntFunction<byte[]> drop) {
        return Arguments.of(what, drop);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("floods")
    void aFloodEndsTheConnection(String what, IntFunction<byte[]> drop) throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1));
            for (int i = 0; i < 2_100 && wire.channel().isOpen(); i++) {
                wire.send(drop.apply(3 + 2 * i));
            }
            List<Frame> frames = wire.frames();
            Frame last = frames.get(frames.size() - 1);
            assertThat(last.type()).isEqualTo(GOAWAY);
            assertThat(number(last.payload(), 4)).isEqualTo(Http2Failure.ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void aHeaderBlockWithoutEndEndsTheConnection() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(frame(HEADERS, 0, 1, new byte[100]));
            for (int i = 0; i < 100; i++) {
                wire.send(frame(CONTINUATION, 0, 1, new byte[i % 2 == 0 ? 0 : 1]));
            }
            assertThat(number(Objects.requireNonNull(wire.only(GOAWAY)).payload(), 4))
                    .isEqualTo(Http2Failure.ENHANCE_YOUR_CALM);
        }
    }

    @Test
    void stopsReadingFromAClientThatDoesNotRead() throws Exception {
        byte[] unknown = RawHttp2.open(1, "/" + "x".repeat(4_000));
        try (Wire wire = Wire.started()) {
            wire.holdOutbound(true);
            int stream = 1;
            while (wire.channel().config().isAutoRead() && stream < 4_000) {
                ByteBuffer.wrap(unknown).putInt(5, stream);
                wire.send(unknown, data(stream, END_STREAM, new byte[0]));
                stream += 2;
            }
            assertThat(wire.channel().config().isAutoRead()).isFalse();
            assertThat(wire.channel().isOpen()).isTrue();

            wire.holdOutbound(false);
            assertThat(wire.frames().size()).isGreaterThan(200);
            assertThat(wire.channel().config().isAutoRead()).isTrue();
        }
    }

    @Test
    void aMessageGoesOutAsFarAsTheWindowsAreOpen() throws Exception {
        byte[] whole = message("x".repeat(99_000));
        try (Wire wire = Wire.started()) {
            wire.send(setting(4, 20_000), open(1));
            wire.frames();
            Call call = wire.calls.get(0).call;
            call.answer(payload("x".repeat(99_000)));
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            assertThat(take(wire, got)).isEqualTo(20_000);
            // Smaller, so that the window is negative: nothing comes until it is open again.
            wire.send(setting(4, 10_000), windowUpdate(1, 10_000));
            assertThat(take(wire, got)).isZero();
            wire.send(windowUpdate(1, 1));
            assertThat(take(wire, got)).isEqualTo(1);
            // Now the connection's, which has 65,535 in all.
            wire.send(windowUpdate(1, 1_000_000));
            assertThat(take(wire, got)).isEqualTo(65_535 - 20_001);
            assertThat(wire.calls.get(0).events).isEmpty();
            wire.send(windowUpdate(0, 1_000_000));
            assertThat(take(wire, got)).isEqualTo(whole.length - 65_535);

            assertThat(got.toByteArray()).isEqualTo(whole);
            assertThat(wire.calls.get(0).events).containsExactly("complete");
        }
    }

    /** A window may also end within the five bytes before a message. */
    @Test
    void messagesAreWholeWhereverAWindowEnds() throws Exception {
        for (long seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            try (Wire wire = Wire.started()) {
                wire.send(setting(4, 0), open(1), open(3));
                wire.frames();
                Map<Integer, ByteArrayOutputStream> sent =
                        Map.of(1, new ByteArrayOutputStream(), 3, new ByteArrayOutputStream());
                Map<Integer, ByteArrayOutputStream> got =
                        Map.of(1, new ByteArrayOutputStream(), 3, new ByteArrayOutputStream());
                for (int turn = 0; turn < 20; turn++) {
                    String text = "x".repeat(random.nextInt(12));
                    for (int i = 0; i < 2; i++) {
                        wire.calls.get(i).call.send(payload(text));
                        sent.get(2 * i + 1).writeBytes(message(text));
                    }
                    wire.send(windowUpdate(1, 1 + random.nextInt(30)), windowUpdate(3, 1 + random.nextInt(30)));
                    collect(wire, got);
                }
                wire.send(windowUpdate(1, 60_000), windowUpdate(3, 60_000));
                collect(wire, got);

                got.forEach((stream, bytes) -> assertThat(bytes.toByteArray())
                        .isEqualTo(sent.get(stream).toByteArray()));
                assertThat(wire.channel().isOpen()).isTrue();
            }
        }
    }

    private static void collect(Wire wire, Map<Integer, ByteArrayOutputStream> got) {
        for (Frame frame : wire.frames()) {
            if (frame.type() == DATA) {
                got.get(frame.stream()).writeBytes(frame.payload());
            }
        }
    }

    /** Appends the data that have come, and returns how many bytes they are. */
    private static int take(Wire wire, ByteArrayOutputStream got) {
        int before = got.size();
        for (Frame frame : wire.frames()) {
            if (frame.type() == DATA) {
                assertThat(frame.payload().length).isLessThanOrEqualTo(16_384);
                got.writeBytes(frame.payload());
            }
        }
        return got.size() - before;
    }

    @Test
    void streamsTakeTurns() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(setting(4, 1_000_000), open(1), open(3));
            wire.frames();
            wire.calls.get(0).call.answer(payload("x".repeat(90_000)));
            wire.calls.get(1).call.answer(payload("y".repeat(90_000)));
            wire.frames();
            wire.send(windowUpdate(0, 2 * 16_384));

            assertThat(wire.frames().stream()
                            .filter(frame -> frame.type() == DATA)
                            .map(Frame::stream)
                            .distinct())
                    .containsExactlyInAnyOrder(1, 3);
        }
    }

    @Test
    void aCallWithMuchUnsentIsNotReadyAndIsNotifiedOnceItIs() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1));
            Wire.TestCall call = wire.calls.get(0);
            while (call.call.isReady()) {
                call.call.send(payload("x".repeat(30_000)));
            }
            assertThat(call.events).isEmpty();
            wire.send(windowUpdate(0, 1_000_000));
            assertThat(call.events).isEmpty();
            wire.send(windowUpdate(1, 1_000_000));

            assertThat(call.events).containsExactly("ready");
            assertThat(call.call.isReady()).isTrue();
        }
    }

    @Test
    void sendsWindowUpdatesForReadData() throws Exception {
        byte[] piece = new byte[16_384];
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, 0, new byte[] {0, 0, 0, 0, 0}));
            int returned = 0;
            int onStream = 0;
            for (int i = 0; i < 200; i++) {
                // Messages of the size of a frame.
                piece[3] = (byte) ((piece.length - 5) >> 8);
                piece[4] = (byte) (piece.length - 5);
                wire.send(data(1, 0, piece));
                for (Frame frame : wire.frames()) {
                    assertThat(frame.type()).isEqualTo(WINDOW_UPDATE);
                    returned += frame.stream() == 0 ? number(frame.payload(), 0) : 0;
                    onStream += frame.stream() == 1 ? number(frame.payload(), 0) : 0;
                }
            }
            assertThat(wire.calls.get(0).messages).hasSize(201);
            assertThat(returned).isBetween(200 * piece.length - Http2Connection.WINDOW_BYTES, 200 * piece.length + 5);
            assertThat(onStream).isBetween(200 * piece.length - Http2Connection.WINDOW_BYTES, 200 * piece.length + 5);
        }
    }

    @Test
    void anEndWaitsForTheCallsUnderWay() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, END_STREAM, message("x")));
            wire.connection().end();
            Frame goAway = Objects.requireNonNull(wire.only(GOAWAY));
            assertThat(number(goAway.payload(), 0)).isEqualTo(1);
            assertThat(number(goAway.payload(), 4)).isZero();
            wire.send(open(3));
            assertThat(number(Objects.requireNonNull(wire.only(RST_STREAM)).payload(), 0))
                    .isEqualTo(Http2Failure.REFUSED_STREAM);
            assertThat(wire.channel().isOpen()).isTrue();

            wire.calls.get(0).call.answer(payload("still"));

            assertThat(wire.frames()).extracting(Frame::type).containsExactly(HEADERS, DATA, HEADERS);
            assertThat(wire.channel().isOpen()).isFalse();
        }
    }

    @Test
    void aFinishedConnectionIsOpenForItsCallsUntilItIsToEnd() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), data(1, END_STREAM, message("x")));
            wire.connection().finish();
            assertThat(wire.only(GOAWAY)).isNotNull();
            wire.send(open(3));
            assertThat(wire.only(RST_STREAM)).isNotNull();
            wire.channel().advanceTimeBy(10, TimeUnit.SECONDS);
            wire.channel().runScheduledPendingTasks();
            assertThat(wire.channel().isOpen()).isTrue();

            wire.connection().end();
            assertThat(wire.frames()).isEmpty();
            wire.channel().advanceTimeBy(10, TimeUnit.SECONDS);
            wire.channel().runScheduledPendingTasks();
            assertThat(wire.channel().isOpen()).isFalse();
        }
    }

    @Test
    void aCallIsUnderWayFromItsHeadToItsAnswer() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1));
            assertThat(wire.connection().hasCallUnderWay()).as("a stream").isFalse();
            wire.callsAwaitHalfClose = true;
            wire.connection().finish();
            assertThat(wire.connection().hasCallUnderWay())
                    .as("before its message")
                    .isTrue();
            wire.send(data(1, END_STREAM, message("x")));
            assertThat(wire.connection().hasCallUnderWay())
                    .as("before its answer")
                    .isTrue();
            wire.calls.get(0).call.answer(payload("y"));
            wire.frames();
            assertThat(wire.connection().hasCallUnderWay()).isFalse();
        }
    }

    @Test
    void theEndOfTheConnectionEndsItsCalls() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), open(3), data(3, 0, new byte[] {0, 0}));
            wire.calls.get(0).call.send(payload("x".repeat(90_000)));
            wire.channel().close();

            assertThat(wire.calls.get(0).events).containsExactly("cancelled");
            assertThat(wire.calls.get(1).events).containsExactly("cancelled");
            wire.calls.get(0).call.send(payload("nobody"));
            wire.calls.get(0).call.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void brokenConversationsLeaveNothingBehind(long seed) throws Exception {
        Random random = new Random(seed);
        byte[] right = join(
                RawHttp2.preface(),
                setting(4, 30_000),
                open(1),
                data(1, 0, join(message("a"), message("b".repeat(300)))),
                frame(HEADERS, 0, 3, Arrays.copyOf(headerBlock(HEAD), 10)),
                frame(
                        CONTINUATION,
                        END_HEADERS,
                        3,
                        Arrays.copyOfRange(headerBlock(HEAD), 10, headerBlock(HEAD).length)),
                data(3, END_STREAM | PADDED, join(new byte[] {2}, message("c"), new byte[2])),
                frame(PING, 0, 0, new byte[8]),
                windowUpdate(0, 1_000),
                reset(1),
                frame(2, 0, 5, new byte[5]),
                open(5),
                data(5, END_STREAM, message("d")));
        int answered = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] wrong = right.clone();
            for (int n = random.nextInt(4); n >= 0; n--) {
                wrong[24 + random.nextInt(wrong.length - 24)] = (byte) random.nextInt();
            }
            try (Wire wire = new Wire()) {
                int cut = random.nextInt(wrong.length);
                wire.send(Arrays.copyOf(wrong, cut)).send(Arrays.copyOfRange(wrong, cut, wrong.length));
                for (Wire.TestCall call : wire.calls) {
                    call.call.answer(payload("y".repeat(random.nextInt(50_000))));
                }
                answered += wire.frames().size();
            }
        }
        assertThat(answered).isGreaterThan(3_000);
    }
}
