package io.cairn.server.testing;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireMethods;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** A client of the gRPC port that writes HTTP/2 frame by frame, right or wrong, and reads only when it is told to. */
public final class RawHttp2 implements AutoCloseable {

    public static final int DATA = 0;
    public static final int HEADERS = 1;
    public static final int RST_STREAM = 3;
    public static final int SETTINGS = 4;
    public static final int PING = 6;
    public static final int GOAWAY = 7;
    public static final int WINDOW_UPDATE = 8;
    public static final int END_STREAM = 1;
    public static final int ACK = 1;
    public static final int END_HEADERS = 4;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int SETTINGS_INITIAL_WINDOW_SIZE = 4;

    private final RawSocket connection;

    private RawHttp2(RawSocket connection) {
        this.connection = connection;
    }

    /** One frame that was read. */
    public record Frame(int type, int flags, int stream, byte[] payload) {

        public boolean isAck() {
            return (flags & ACK) != 0;
        }
    }

    public static RawHttp2 connect(int port) {
        return connect(port, 0);
    }

    /** @param receiveBufferBytes of the socket, for clients that do not read; 0 for the system's choice */
    public static RawHttp2 connect(int port, int receiveBufferBytes) {
        return new RawHttp2(RawSocket.connect(port, receiveBufferBytes));
    }

    /** Over a connection that somebody else has made, such as one with TLS. */
    public static RawHttp2 over(Socket socket) {
        return new RawHttp2(RawSocket.over(socket));
    }

    /** The first bytes of a right client: the preface, and settings with this window for each stream. */
    public RawHttp2 start(int streamWindowBytes) {
        ByteBuffer setting = ByteBuffer.allocate(6);
        setting.putShort((short) SETTINGS_INITIAL_WINDOW_SIZE).putInt(streamWindowBytes);
        return send(PREFACE)
                .send(frame(SETTINGS, 0, 0, setting.array()))
                .send(frame(SETTINGS, ACK, 0, new byte[0]))
                .send(windowUpdate(0, Integer.MAX_VALUE - 65_535));
    }

    public RawHttp2 start() {
        return start(65_535);
    }

    public RawHttp2 send(byte[] bytes) {
        connection.write(bytes);
        return this;
    }

    /** As {@link #send}; false when the server has closed the connection already. */
    public boolean trySend(byte[] bytes) {
        return connection.send(bytes);
    }

    public static byte[] preface() {
        return PREFACE.clone();
    }

    public static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return frame(payload.length, type, flags, stream, payload);
    }

    /** A frame whose header may lie about the length. */
    public static byte[] frame(int claimedLength, int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (claimedLength >> 16))
                .putShort((short) claimedLength)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    public static byte[] windowUpdate(int stream, int bytes) {
        return frame(
                WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    public static byte[] ping(long data) {
        return frame(PING, 0, 0, ByteBuffer.allocate(8).putLong(data).array());
    }

    /** The header frame that opens a gRPC call. */
    public static byte[] open(int stream, String path) {
        return frame(
                HEADERS,
                END_HEADERS,
                stream,
                headerBlock(
                        ":method", "POST",
                        ":scheme", "http",
                        ":path", path,
                        ":authority", "localhost",
                        "content-type", "application/grpc",
                        "te", "trailers"));
    }

    /** A header block in the plainest spelling: names and values as literals that no table remembers. */
    public static byte[] headerBlock(String... namesAndValues) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            block.write(0);
            literal(block, namesAndValues[i]);
            literal(block, namesAndValues[i + 1]);
        }
        return block.toByteArray();
    }

    private static void literal(ByteArrayOutputStream block, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length < 127) {
            block.write(bytes.length);
        } else {
            block.write(127);
            int rest = bytes.length - 127;
            while (rest >= 128) {
                block.write(rest % 128 + 128);
                rest /= 128;
            }
            block.write(rest);
        }
        block.writeBytes(bytes);
    }

    /** A message with its gRPC prefix, as the data of one frame. */
    public static byte[] message(byte[] encoded) {
        return ByteBuffer.allocate(5 + encoded.length)
                .put((byte) 0)
                .putInt(encoded.length)
                .put(encoded)
                .array();
    }

    /** The envelope's bytes. */
    public static byte[] encoded(Payload payload) {
        try (InputStream bytes = WireMethods.REQUEST.streamRequest(payload)) {
            return bytes.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls {@code /Request/request} with one message that fits into a frame; the answer is not waited for. */
    public RawHttp2 call(int stream, Payload request) {
        return send(open(stream, "/Request/request")).send(frame(DATA, END_STREAM, stream, message(encoded(request))));
    }

    /** Opens the stream of pushes and introduces a client on it; the server's consent is not waited for. */
    public RawHttp2 setUp(int stream) {
        return send(open(stream, "/BiRequestStream/requestBiStream"))
                .send(frame(
                        DATA, 0, stream, message(encoded(Payload.of("ConnectionSetupRequest", "127.0.0.1", """
                                {"clientVersion":"Nacos-Go-Client:v2.2.0","labels":{"module":"config"},\
                                "abilityTable":{}}""".getBytes(
                                        StandardCharsets.UTF_8))))));
    }

    /** The next frame; empty when the server has closed the connection. */
    public Optional<Frame> read(Duration patience) {
        try {
            DataInputStream in = new DataInputStream(connection.input(patience));
            int first = in.read();
            if (first < 0) {
                return Optional.empty();
            }
            int length = first << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            int flags = in.readUnsignedByte();
            int stream = in.readInt();
            byte[] payload = new byte[length];
            in.readFully(payload);
            return Optional.of(new Frame(type, flags, stream, payload));
        } catch (SocketTimeoutException e) {
            throw new AssertionError("no frame within " + patience, e);
        } catch (EOFException | SocketException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next frame, if one begins to come before that much time has passed. */
    public Optional<Frame> poll(Duration patience) {
        try {
            return read(patience);
        } catch (AssertionError nothing) {
            return Optional.empty();
        }
    }

    /** Reads on until a frame of that type comes; fails when the server closes the connection before. */
    public Frame await(int type, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            Frame frame = read(Duration.ofNanos(end - System.nanoTime()))
                    .orElseThrow(() -> new AssertionError("the server has closed the connection"));
            if (frame.type() == type) {
                return frame;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("no frame of type " + type + " within " + patience);
            }
        }
    }

    /** Reads on until the server closes the connection; fails when it does not. */
    public void awaitEnd(Duration patience) {
        awaitEnd(patience, false);
    }

    /** As {@link #awaitEnd}, and answers the server's pings meanwhile, as one that says good-bye waits for it. */
    public void awaitEndLikeARightClient(Duration patience) {
        awaitEnd(patience, true);
    }

    private void awaitEnd(Duration patience, boolean answersPings) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            Optional<Frame> frame = read(Duration.ofNanos(end - System.nanoTime()));
            if (frame.isEmpty()) {
                return;
            }
            if (answersPings && frame.get().type() == PING && !frame.get().isAck()) {
                trySend(frame(PING, ACK, 0, frame.get().payload()));
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("the connection is still open after " + patience);
            }
        }
    }

    /** Whether the server has closed the connection, as far as can be told without reading. */
    public boolean isBroken() {
        return !trySend(ping(0));
    }

    /** Ends what is sent; the server's answers can still be read. */
    public void shutdownOutput() {
        connection.end();
    }

    /** See {@link RawSocket#reset}. */
    public void reset() {
        connection.reset();
    }

    @Override
    public void close() {
        connection.close();
    }
}
