package io.cairn.client.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/** Opens the sockets of one connection with a timeout, and records whether TCP was established. */
final class OpenSockets extends SocketFactory {

    private final Duration timeout;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean connected;
    private volatile boolean cut;
    private volatile @Nullable IOException failure;

    OpenSockets(Duration timeout) {
        this.timeout = timeout;
    }

    boolean connected() {
        return connected;
    }

    @Nullable
    IOException failure() {
        return failure;
    }

    /** Closes all sockets, also during a read or write. */
    void cut() {
        cut = true;
        for (Socket socket : open) {
            close(socket);
        }
        open.clear();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            System.getLogger("io.cairn.client").log(System.Logger.Level.DEBUG, "A socket did not close", e);
        }
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        try {
            if (cut) {
                throw new IOException("the connection was given up");
            }
            socket.connect(new InetSocketAddress(host, port), Math.toIntExact(timeout.toMillis()));
            socket.setTcpNoDelay(true);
            connected = true;
            return socket;
        } catch (IOException e) {
            failure = e;
            close(socket);
            open.remove(socket);
            throw e;
        }
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getAllByName(host)[0], port);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket(host, port);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
        return createSocket(host, port);
    }
}
