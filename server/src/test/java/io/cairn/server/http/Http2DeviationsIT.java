package io.cairn.server.http;

import static io.cairn.server.testing.RawHttp2.DATA;
import static io.cairn.server.testing.RawHttp2.END_HEADERS;
import static io.cairn.server.testing.RawHttp2.END_STREAM;
import static io.cairn.server.testing.RawHttp2.GOAWAY;
import static io.cairn.server.testing.RawHttp2.HEADERS;
import static io.cairn.server.testing.RawHttp2.PING;
import static io.cairn.server.testing.RawHttp2.RST_STREAM;
import static io.cairn.server.testing.RawHttp2.frame;
import static io.cairn.server.testing.RawHttp2.headerBlock;
import static io.cairn.server.testing.RawHttp2.windowUpdate;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.testing.RawHttp2;
import io.cairn.server.testing.RawHttp2.Frame;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The table of docs/internals/http2.md: where the ports depart from h2spec, each case frame by frame. */
class Http2DeviationsIT {

    private static final Path PAGE = Path.of("..", "docs", "internals", "http2.md");
    private static final int PRIORITY = 2;
    private static final int PRIORITIZED = 0x20;
    private static final int MAX_CALLS = 4;
    private static final int MAX_INCREMENT = Integer.MAX_VALUE;
    private static final long LAST_PING = 0x1234_5678_9abc_def0L;
    private static final byte[] NONE = {};
    private static final byte[] TEST = "test".getBytes(StandardCharsets.US_ASCII);
    private static final String LIVENESS = "/nacos/v1/console/health/liveness";

    @RegisterExtension
    static final CairnExtension cairn =
            CairnExtension.temporary().with("cairn.grpc.max-calls-per-connection", Integer.toString(MAX_CALLS));

    /** A row of the table. */
    record Row(String port, String name, String sent, String onCall) {

        @Override
        public String toString() {
            return port + ' ' + name;
        }
    }

    /**
     * The frames of a case.
     *
     * @param answered a request whose response comes before the rest is sent
     * @param request as h2spec sends them
     * @param onCall the same on a gRPC call
     */
    private record Case(byte[] answered, byte[] request, byte[] onCall) {}

    private static final Map<String, Case> CASES = new LinkedHashMap<>();

    static {
        onHttp("5.1/6", NONE, join(get(1, END_STREAM), get(1, END_STREAM)));
        onHttp("5.1/12", get(1, END_STREAM), get(1, END_STREAM));
        onHttp("5.1.1/2", get(5, END_STREAM), get(3, END_STREAM));
        onRpc("generic 2/2", join(get(1, END_STREAM), windowUpdate(1, 100)), join(call(), windowUpdate(1, 100)));
        onRpc("generic 2/3", join(get(1, END_STREAM), priority(1, 0)), join(call(), priority(1, 0)));
        onRpc("5.1.2/1", many(stream -> get(stream, END_STREAM)), many(Http2DeviationsIT::stream));
        onRpc("5.3.1/1", dependent(END_STREAM, getBlock()), dependent(0, callBlock()));
        onRpc("5.3.1/2", priority(1, 1), join(stream(1), priority(1, 1)));
        onStream("6.9/2", windowUpdate(1, 0));
        onStream("6.9.1/3", windowUpdate(1, MAX_INCREMENT), windowUpdate(1, MAX_INCREMENT));
        onStream("8.1/1", headers(1, 0, headerBlock("x-test", "ok")));
        onStream("8.1.2.1/3", headers(1, END_STREAM, headerBlock(":method", "POST")));
        byte[] one = headerBlock("content-length", "1");
        byte[] more = frame(DATA, END_STREAM, 1, TEST);
        onRpc("8.1.2.6/1", join(headers(1, 0, getBlock(), one), more), join(headers(1, 0, callBlock(), one), more));
        byte[] both = join(frame(DATA, 0, 1, TEST), more);
        onRpc("8.1.2.6/2", join(headers(1, 0, getBlock(), one), both), join(headers(1, 0, callBlock(), one), both));
    }

    static List<Row> rows() throws IOException {
        return Files.readAllLines(PAGE).stream()
                .filter(line -> line.matches("\\| (HTTP|gRPC) \\| [^|]*\\d/\\d+ \\|.*"))
                .map(line -> line.split("\\s*\\|\\s*", -1))
                .map(cells -> new Row(cells[1], cells[2], cells[5], cells[6]))
                .toList();
    }

    @Test
    void eachCaseHasARowAndEachRowAReason() throws IOException {
        assertThat(rows().stream().map(Row::toString))
                .containsExactlyInAnyOrderElementsOf(Stream.concat(Stream.of("HTTP 3.5/2"), CASES.keySet().stream())
                        .toList());
        assertThat(Files.readAllLines(PAGE))
                .filteredOn(line -> line.matches("\\| (HTTP|gRPC) \\| [^|]*\\d/\\d+ \\|.*"))
                .allMatch(line -> line.matches(".*\\| [A-Z][^|]+\\. \\|"));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theServerDoesWhatTheTableSays(Row row) {
        if (row.name().equals("3.5/2")) {
            try (RawHttp http = RawHttp.connect(cairn.server())) {
                RawHttp.Answer answer =
                        http.send("INVALID CONNECTION PREFACE\r\n\r\n").answer();
                http.drain();
                assertThat(answer.statusLine().substring(0, "HTTP/1.1 400".length()) + ", close")
                        .isEqualTo(row.sent());
            }
            return;
        }
        Case known = CASES.get(row.toString());
        boolean isSilent = row.sent().equals("nothing");
        assertThat(sentAfter(row.port(), isSilent, known.answered(), known.request()))
                .isEqualTo(row.sent());
        if (known.onCall().length > 0) {
            assertThat(sentAfter(row.port(), false, known.onCall())).isEqualTo(row.onCall());
        }
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void aRequestWithoutAMandatoryFieldEndsItsStream(String port, byte[] block) {
        assertThat(sentAfter(port, false, headers(1, END_STREAM, block))).isEqualTo("RST_STREAM PROTOCOL_ERROR");
    }

    static Stream<Object[]> malformed() {
        String[] method = {":method", "POST"};
        String[] scheme = {":scheme", "http"};
        String[] path = {":path", LIVENESS};
        String[] type = {"content-type", "application/grpc"};
        return Stream.of("HTTP", "gRPC").flatMap(port -> Stream.of(
                        join(headerBlock(scheme), headerBlock(path), headerBlock(type)),
                        join(headerBlock(method), headerBlock(path), headerBlock(type)),
                        join(headerBlock(method), headerBlock(scheme), headerBlock(type)))
                .map(block -> new Object[] {port, block}));
    }

    /**
     * The response: the frames of streams, by their types, flags and codes.
     *
     * @param isSilent whether nothing is expected, so that the answer to a ping is the end
     * @param steps frames that are sent at once, each time after the response to those before
     */
    private static String sentAfter(String port, boolean isSilent, byte[]... steps) {
        int number =
                port.equals("HTTP") ? cairn.server().httpPort() : cairn.server().grpcPort();
        List<String> seen = new ArrayList<>();
        try (RawHttp2 http = RawHttp2.connect(number).start()) {
            for (byte[] frames : steps) {
                if (frames.length > 0) {
                    // In one piece, so that the server reads them together.
                    http.send(join(frames, RawHttp2.ping(LAST_PING)));
                    collect(http, isSilent, seen);
                }
            }
        }
        return seen.isEmpty()
                ? "nothing"
                : String.join(", ", seen.stream().distinct().toList());
    }

    private static void collect(RawHttp2 http, boolean isSilent, List<String> seen) {
        boolean isPinged = false;
        boolean isStreamOpen = !isSilent;
        while (!isPinged || isStreamOpen) {
            Optional<Frame> next = http.read(PATIENCE);
            if (next.isEmpty()) {
                seen.add("close");
                return;
            }
            Frame frame = next.get();
            isPinged |= frame.type() == PING
                    && frame.isAck()
                    && ByteBuffer.wrap(frame.payload()).getLong() == LAST_PING;
            if (frame.stream() != 0 || frame.type() == GOAWAY) {
                isStreamOpen = frame.type() != RST_STREAM && (frame.flags() & END_STREAM) == 0;
                seen.add(text(frame));
            }
        }
    }

    private static String text(Frame frame) {
        boolean isEnd = (frame.flags() & END_STREAM) != 0;
        return switch (frame.type()) {
            case HEADERS -> isEnd ? "HEADERS END_STREAM" : "HEADERS";
            case DATA -> isEnd ? "DATA END_STREAM" : "DATA";
            case RST_STREAM ->
                "RST_STREAM "
                        + Http2Error.valueOf(ByteBuffer.wrap(frame.payload()).getInt());
            case GOAWAY ->
                "GOAWAY " + Http2Error.valueOf(ByteBuffer.wrap(frame.payload()).getInt(4));
            default -> "frame of type " + frame.type();
        };
    }

    private static void onHttp(String name, byte[] answered, byte[] request) {
        CASES.put("HTTP " + name, new Case(answered, request, NONE));
    }

    private static void onRpc(String name, byte[] request, byte[] onCall) {
        CASES.put("gRPC " + name, new Case(NONE, request, onCall));
    }

    /** Frames on a stream that the client has not ended. */
    private static void onStream(String name, byte[]... frames) {
        onRpc(name, join(get(1, 0), join(frames)), join(stream(1), join(frames)));
    }

    private interface Opening {
        byte[] on(int stream);
    }

    /** One more than are allowed at a time. */
    private static byte[] many(Opening opening) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i <= MAX_CALLS; i++) {
            all.writeBytes(opening.on(2 * i + 1));
        }
        return all.toByteArray();
    }

    private static byte[] get(int stream, int flags) {
        return headers(stream, flags, getBlock());
    }

    private static byte[] getBlock() {
        return headerBlock(":method", "GET", ":scheme", "http", ":path", LIVENESS, ":authority", "127.0.0.1");
    }

    /** A gRPC call whose handler waits for messages. */
    private static byte[] stream(int stream) {
        return headers(stream, 0, callBlock());
    }

    private static byte[] callBlock() {
        return headerBlock(
                ":method", "POST",
                ":scheme", "http",
                ":path", "/BiRequestStream/requestBiStream",
                ":authority", "127.0.0.1",
                "content-type", "application/grpc");
    }

    /** A gRPC call that is answered. */
    private static byte[] call() {
        byte[] message = RawHttp2.message(RawHttp2.encoded(
                Payload.of("ServerCheckRequest", "127.0.0.1", "{}".getBytes(StandardCharsets.US_ASCII))));
        return join(RawHttp2.open(1, "/Request/request"), frame(DATA, END_STREAM, 1, message));
    }

    private static byte[] headers(int stream, int flags, byte[]... blocks) {
        return frame(HEADERS, END_HEADERS | flags, stream, join(blocks));
    }

    private static byte[] dependent(int flags, byte[] block) {
        return headers(1, PRIORITIZED | flags, dependency(1), block);
    }

    private static byte[] priority(int stream, int on) {
        return frame(PRIORITY, 0, stream, dependency(on));
    }

    private static byte[] dependency(int on) {
        return ByteBuffer.allocate(5).putInt(on).put((byte) 255).array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
