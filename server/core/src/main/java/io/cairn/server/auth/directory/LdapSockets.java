package io.cairn.server.auth.directory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Makes the socket of a connection to a directory. JNDI knows its class alone and asks {@link #getDefault} on the thread that
 * connects. Without {@link #expect} there is no socket: a lost connection must not be replaced by one without TLS.
 */
public final class LdapSockets extends SocketFactory {

    private static final ThreadLocal<@Nullable LdapSockets> EXPECTED = new ThreadLocal<>();

    private final @Nullable SSLContext tls;
    private final int readMillis;

    private LdapSockets(@Nullable SSLContext tls, int readMillis) {
        this.tls = tls;
        this.readMillis = readMillis;
    }

    /**
     * Allows this thread to connect until {@link #expectNone}.
     *
     * @param tls null for a connection that begins without TLS
     * @param readMillis after which a read fails, for the reads that JNDI does not limit
     */
    static void expect(@Nullable SSLContext tls, int readMillis) {
        EXPECTED.set(new LdapSockets(tls, readMillis));
    }

    static void expectNone() {
        EXPECTED.remove();
    }

    /** Called by JNDI. */
    public static SocketFactory getDefault() {
        LdapSockets expected = EXPECTED.get();
        if (expected == null) {
            throw new IllegalStateException("the connection was lost");
        }
        return expected;
    }

    @Override
    public Socket createSocket() throws IOException {
        SSLContext context = tls;
        Socket socket = context == null ? new Socket() : encrypted(context);
        socket.setSoTimeout(readMillis);
        return socket;
    }

    private static Socket encrypted(SSLContext context) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("LDAPS");
        socket.setSSLParameters(parameters);
        return socket;
    }

    private static SocketException unlimited() {
        return new SocketException("a connection without a time limit is not made");
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw unlimited();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw unlimited();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw unlimited();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
            throws IOException {
        throw unlimited();
    }
}
