package io.cairn.server.http2;

import static io.cairn.server.http2.Wire.data;
import static io.cairn.server.http2.Wire.message;
import static io.cairn.server.http2.Wire.open;
import static io.cairn.server.testing.RawHttp2.END_HEADERS;
import static io.cairn.server.testing.RawHttp2.END_STREAM;
import static io.cairn.server.testing.RawHttp2.HEADERS;
import static io.cairn.server.testing.RawHttp2.RST_STREAM;
import static io.cairn.server.testing.RawHttp2.frame;
import static io.cairn.server.testing.RawHttp2.headerBlock;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.testing.RawHttp2.Frame;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Memory for requests that are not complete; each test also sees that all of it is given back. */
class MessageMemoryTest {

    private static final byte[] LARGE = message("x".repeat(90_000));
    private static final byte[] MEDIUM = message("x".repeat(30_000));

    /** The first frame of a message. */
    private static byte[] begin(int stream, byte[] message) {
        return data(stream, 0, Arrays.copyOf(message, 16_000));
    }

    /** The other frames. */
    private static void end(Wire wire, int stream, byte[] message, int flags) {
        for (int from = 16_000; from < message.length; from += 16_000) {
            int to = Math.min(message.length, from + 16_000);
            wire.send(data(stream, to == message.length ? flags : 0, Arrays.copyOfRange(message, from, to)));
        }
    }

    private static void assertRefused(Wire wire, int stream, String text) {
        List<Frame> frames = wire.frames();
        Frame head = frames.stream()
                .filter(frame -> frame.type() == HEADERS && frame.stream() == stream)
                .findFirst()
                .orElseThrow();
        assertThat(wire.headers(head).get("grpc-status")).hasToString("8");
        assertThat(wire.headers(head).get("grpc-message")).hasToString(text);
        assertThat(frames).anyMatch(frame -> frame.type() == RST_STREAM && frame.stream() == stream);
    }

    @Test
    void refusesMessagesThatDoNotFitWithThoseThatAreIncomplete() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), begin(1, LARGE), open(3), begin(3, LARGE), open(5), begin(5, LARGE));

            assertRefused(wire, 5, "Too many large messages are under way; try again shortly");
            assertThat(wire.calls.get(2).events).containsExactly("cancelled");

            end(wire, 1, LARGE, 0);
            assertThat(wire.calls.get(0).messages).hasSize(1);
            wire.send(open(7), begin(7, LARGE));
            end(wire, 3, LARGE, 0);
            end(wire, 7, LARGE, 0);
            assertThat(wire.calls.get(1).messages).hasSize(1);
            assertThat(wire.calls.get(3).messages).hasSize(1);
            assertThat(wire.budget.reservedBytes()).isZero();
        }
    }

    @Test
    void aMessageThatComesWholeTakesNothing() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.budget.tryReserve(Wire.BUDGET_BYTES);
            wire.send(open(1), data(1, 0, message("x".repeat(10_000))));
            assertThat(wire.calls.get(0).messages).hasSize(1);
            wire.budget.release(Wire.BUDGET_BYTES);
        }
    }

    @Test
    void smallMessagesTakeFromTheBudgetWhenTheyAreMany() throws Exception {
        try (Wire wire = Wire.started()) {
            for (int stream = 1; stream < 8; stream += 2) {
                wire.send(open(stream), begin(stream, MEDIUM));
            }

            // Two of them are free.
            assertThat(wire.budget.reservedBytes()).isEqualTo(2 * (MEDIUM.length - 5));
        }
    }

    @Test
    void aMessageThatIsKeptCountsUntilItsCallEnds() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.callsAwaitHalfClose = true;
            wire.send(open(1), begin(1, LARGE));
            end(wire, 1, LARGE, 0);
            assertThat(wire.calls.get(0).messages).hasSize(1);
            assertThat(wire.budget.reservedBytes()).isEqualTo(LARGE.length - 5);
            // A further message counts together with the first.
            wire.send(begin(1, LARGE));
            assertThat(wire.budget.reservedBytes()).isEqualTo(2 * (LARGE.length - 5));
            end(wire, 1, LARGE, 0);
            assertThat(wire.budget.reservedBytes()).isEqualTo(2 * (LARGE.length - 5));

            wire.send(data(1, END_STREAM, new byte[0]));

            assertThat(wire.calls.get(0).events).containsExactly("half-closed");
            assertThat(wire.budget.reservedBytes()).isZero();
        }
    }

    @Test
    void countsWhatACompressedMessageUnfoldsTo() throws Exception {
        byte[] plain = Arrays.copyOfRange(LARGE, 5, LARGE.length);
        ByteArrayOutputStream folded = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(folded)) {
            out.write(plain);
        }
        byte[] message = ByteBuffer.allocate(5 + folded.size())
                .put((byte) 1)
                .putInt(folded.size())
                .put(folded.toByteArray())
                .array();
        try (Wire wire = Wire.started()) {
            wire.callsAwaitHalfClose = true;
            for (int stream = 1; stream < 6; stream += 2) {
                wire.send(
                        frame(
                                HEADERS,
                                END_HEADERS,
                                stream,
                                headerBlock(
                                        ":method", "POST",
                                        ":scheme", "http",
                                        ":path", "/Test/call",
                                        "content-type", "application/grpc",
                                        "grpc-encoding", "gzip")),
                        data(stream, 0, message));
            }

            assertRefused(wire, 5, "Too many large messages are under way; try again shortly");
            assertThat(wire.budget.reservedBytes()).isEqualTo(2 * plain.length);
        }
    }

    @Test
    void refusesAMessageThatDoesNotComeInTime() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), begin(1, LARGE));
            wire.channel().advanceTimeBy(3, TimeUnit.SECONDS);
            wire.channel().runScheduledPendingTasks();

            // A second of the limit, and one for 65,536 bytes.
            assertRefused(wire, 1, "the message and the end of the call did not come within 2 seconds");
            assertThat(wire.budget.reservedBytes()).isZero();
        }
    }

    @Test
    void aMessageMayTakeLongerWhileTheServerDoesNotRead() throws Exception {
        try (Wire wire = Wire.started()) {
            wire.send(open(1), begin(1, LARGE));
            wire.channel().config().setAutoRead(false);
            wire.channel().advanceTimeBy(3, TimeUnit.SECONDS);
            wire.channel().runScheduledPendingTasks();
            wire.channel().config().setAutoRead(true);

            end(wire, 1, LARGE, 0);

            assertThat(wire.calls.get(0).messages).hasSize(1);
            assertThat(wire.calls.get(0).events).isEmpty();
        }
    }

    @Test
    void aResetStreamAndAClosedConnectionGiveTheirMemoryBack() throws Exception {
        Wire wire = Wire.started();
        wire.send(open(1), begin(1, LARGE), open(3), begin(3, LARGE));
        wire.send(frame(RST_STREAM, 0, 1, new byte[] {0, 0, 0, 8}));
        assertThat(wire.budget.reservedBytes()).isEqualTo(LARGE.length - 5);

        wire.close();

        assertThat(wire.budget.reservedBytes()).isZero();
    }

    @Test
    void longHeadsOfOpenCallsCount() throws Exception {
        byte[] open = frame(
                HEADERS,
                END_HEADERS,
                3,
                headerBlock(
                        ":method", "POST",
                        ":scheme", "http",
                        ":path", "/Test/call",
                        "content-type", "application/grpc",
                        "user-agent", "x".repeat(7_500)));
        try (Wire wire = Wire.started()) {
            wire.send(open(1), begin(1, message("x".repeat(60_000))));
            wire.send(open);
            assertThat(wire.budget.reservedBytes()).isEqualTo(7_500);
            wire.send(frame(RST_STREAM, 0, 3, new byte[] {0, 0, 0, 8}));
            assertThat(wire.budget.reservedBytes()).isZero();
        }
        try (Wire wire = Wire.started()) {
            wire.budget.tryReserve(Wire.BUDGET_BYTES);
            wire.send(open(1), begin(1, message("x".repeat(60_000))));
            wire.send(open);
            wire.budget.release(Wire.BUDGET_BYTES);

            assertRefused(wire, 3, "Too many large messages are under way; try again shortly");
            assertThat(wire.calls).hasSize(1);
        }
    }
}
