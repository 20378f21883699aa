package io.cairn.server.testing;

import static io.cairn.testing.Patience.PATIENCE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A TCP connection to a port that sends whatever it is told to and reads only then. */
public final class RawSocket implements AutoCloseable {

    private final Socket socket;

    private RawSocket(Socket socket) {
        this.socket = socket;
    }

    public static RawSocket connect(int port) {
        return connect(port, 0);
    }

    /** @param receiveBufferBytes of the socket, for clients that do not read; 0 for the system's choice */
    public static RawSocket connect(int port, int receiveBufferBytes) {
        return new RawSocket(open(port, receiveBufferBytes));
    }

    static Socket open(int port, int receiveBufferBytes) {
        try {
            Socket socket = new Socket();
            if (receiveBufferBytes > 0) {
                socket.setReceiveBufferSize(receiveBufferBytes);
            }
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** False when the server has closed the connection already. */
    public boolean send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public boolean send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Says that nothing more will come. */
    public RawSocket end() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // The server was quicker.
        }
        return this;
    }

    /** That many bytes, as text. */
    public String read(int bytes) {
        try {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All that comes until the server closes the connection, which it must within that time. */
    public String readAll(Duration patience) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        long end = System.nanoTime() + patience.toNanos();
        byte[] buffer = new byte[8192];
        try {
            InputStream in = socket.getInputStream();
            while (true) {
                socket.setSoTimeout((int) Math.max(1, (end - System.nanoTime()) / 1_000_000));
                int read = in.read(buffer);
                if (read < 0) {
                    break;
                }
                all.write(buffer, 0, read);
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError(
                    "the connection is still open after " + patience + "; it has said: "
                            + all.toString(StandardCharsets.UTF_8),
                    e);
        } catch (SocketException e) {
            // A reset is an end, too.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
