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

    private static Socket open(int port, int receiveBufferBytes) {
        try {
            Socket socket = new Socket();
            socket.setTcpNoDelay(true);
            if (receiveBufferBytes > 0) {
                socket.setReceiveBufferSize(receiveBufferBytes);
            }
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 5_000);
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Over a connection that the caller has made. */
    static RawSocket over(Socket socket) {
        return new RawSocket(socket);
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

    /** As {@link #send(byte[])}, for a connection that must be open. */
    public void write(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The bytes of the server; a read fails with {@link SocketTimeoutException} after that time. */
    public InputStream input(Duration patience) throws IOException {
        socket.setSoTimeout((int) Math.max(1, patience.toMillis()));
        return socket.getInputStream();
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
            return new String(input(PATIENCE).readNBytes(bytes), StandardCharsets.UTF_8);
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
            while (true) {
                int read = input(Duration.ofNanos(end - System.nanoTime())).read(buffer);
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

    /** Ends the connection like a host that has lost its memory: the server gets a TCP reset. */
    public void reset() {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
