package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;

import io.cairn.server.CairnServer;
import io.cairn.server.testing.RawSocket;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** One connection to the HTTP port on which every byte is the test's own, and answers are read strictly. */
final class RawHttp implements Closeable {

    private final RawSocket connection;
    private final InputStream in;

    /** An answer; header names in lower case, the order kept. */
    record Answer(String statusLine, Map<String, String> headers, byte[] body) {

        int status() {
            return Integer.parseInt(statusLine.split(" ")[1]);
        }

        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }

        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    private RawHttp(RawSocket connection) {
        this.connection = connection;
        try {
            this.in = new BufferedInputStream(connection.input(PATIENCE));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RawHttp connect(CairnServer server) {
        return new RawHttp(RawSocket.connect(server.httpPort()));
    }

    /** One whose own side takes little that it has not read. */
    static RawHttp slow(CairnServer server) {
        return new RawHttp(RawSocket.connect(server.httpPort(), 16 * 1024));
    }

    /** Sends text as it is, in UTF-8. */
    RawHttp send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawHttp send(byte[] bytes) {
        connection.write(bytes);
        return this;
    }

    /** Sends a request without a body. */
    RawHttp request(String method, String target, String... headerLines) {
        return send(method + ' ' + target + " HTTP/1.1\r\nHost: cairn\r\n" + lines(headerLines) + "\r\n");
    }

    /** Sends a form as it is, already encoded. */
    RawHttp form(String method, String target, String form, String... headerLines) {
        byte[] body = form.getBytes(StandardCharsets.UTF_8);
        send(method + ' ' + target + " HTTP/1.1\r\nHost: cairn\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " + body.length + "\r\n"
                + lines(headerLines) + "\r\n");
        return send(body);
    }

    private static String lines(String... headerLines) {
        return headerLines.length == 0 ? "" : String.join("\r\n", headerLines) + "\r\n";
    }

    /** Reads one answer: with the length it declares, in chunks, or to the end of the connection. */
    Answer answer() {
        return answer(true);
    }

    /** Reads an answer that must have no body whatever length it declares, such as one to a HEAD request. */
    Answer answerWithoutBody() {
        return answer(false);
    }

    private Answer answer(boolean hasBody) {
        try {
            String statusLine = line();
            Map<String, String> headers = new LinkedHashMap<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                int colon = line.indexOf(':');
                String name = line.substring(0, colon).toLowerCase(Locale.ROOT);
                if (headers.put(name, line.substring(colon + 1).trim()) != null) {
                    throw new AssertionError("header given twice: " + line);
                }
            }
            if (!hasBody || statusLine.contains(" 100 ")) {
                return new Answer(statusLine, headers, new byte[0]);
            }
            return new Answer(statusLine, headers, body(headers));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        String length = headers.get("content-length");
        if (length != null) {
            return part(Integer.parseInt(length));
        }
        if (!"chunked".equals(headers.get("transfer-encoding"))) {
            return in.readAllBytes();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            body.writeBytes(part(size));
            if (!line().isEmpty()) {
                throw new AssertionError("a chunk of more than " + size + " bytes");
            }
        }
        if (!line().isEmpty()) {
            throw new AssertionError("something behind the last chunk");
        }
        return body.toByteArray();
    }

    private byte[] part(int length) throws IOException {
        byte[] part = in.readNBytes(length);
        if (part.length < length) {
            throw new EOFException("body cut off after " + part.length + " of " + length + " bytes");
        }
        return part;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended in '" + line + "'");
            }
            line.write(c);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        if (!text.endsWith("\r")) {
            throw new AssertionError("a line without CR: " + text);
        }
        return text.substring(0, text.length() - 1);
    }

    /** The next bytes as text, whatever they are. */
    String read(int bytes) {
        try {
            return new String(in.readNBytes(bytes), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the server has sent something. */
    boolean hasAnswer() {
        try {
            return in.available() > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the server closes the connection, and sends nothing before. */
    boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (SocketException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Reads to the end of the connection, whatever comes; returns how much. */
    long drain() {
        long bytes = 0;
        try {
            byte[] piece = new byte[8192];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                bytes += read;
            }
        } catch (SocketException e) {
            // This is the end, too.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes;
    }

    /** The client sends no more, but still reads. */
    void halfClose() {
        connection.end();
    }

    /** See {@link RawSocket#reset}. */
    void abort() {
        connection.reset();
    }

    @Override
    public void close() {
        connection.close();
    }
}
