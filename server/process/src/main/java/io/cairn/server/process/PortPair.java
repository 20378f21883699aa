package io.cairn.server.process;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP port of a server and, 1000 above it, that of its gRPC edge: clients know only the first.
 *
 * @param http the port of HTTP
 */
public record PortPair(int http) {
    private static final int GRPC_OFFSET = 1000;
    /** Both ports stay below 32768, where systems commonly begin to hand out ports for outgoing connections. */
    private static final int LOWEST = 10_000;

    private static final int HIGHEST = 31_000;
    private static final int TRIES = 200;

    /** The datagram sockets that reserve the ports of this JVM; the end of the JVM closes them. */
    private static final Queue<DatagramSocket> RESERVATIONS = new ConcurrentLinkedQueue<>();

    /** The pair with this HTTP port, free or not. */
    public PortPair {
        if (http < 1 || http > 65_535 - GRPC_OFFSET) {
            throw new IllegalArgumentException("httpPort: " + http + " (expected: 1-" + (65_535 - GRPC_OFFSET) + ")");
        }
    }

    /**
     * A pair without a listener that no other caller gets, in this JVM or another one, as long as this JVM lives: also not
     * while a server that uses it restarts. The UDP ports of the same numbers are the reservation. A process that takes
     * its ports elsewhere may still be first.
     */
    public static PortPair free() {
        for (int i = 0; i < TRIES; i++) {
            var pair = new PortPair(ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST));
            if (pair.reserve()) {
                return pair;
            }
        }
        throw new IllegalStateException(
                "no free pair of ports in " + TRIES + " tries between " + LOWEST + " and " + (HIGHEST + GRPC_OFFSET));
    }

    /** The port of gRPC. */
    public int grpc() {
        return http + GRPC_OFFSET;
    }

    /** Whether both ports can be bound on loopback at this moment. */
    public boolean isFree() {
        return bindable(http) && bindable(grpc());
    }

    private boolean reserve() {
        DatagramSocket ofHttp = datagramSocket(http);
        DatagramSocket ofGrpc = datagramSocket(grpc());
        if (ofHttp != null && ofGrpc != null && isFree()) {
            RESERVATIONS.addAll(List.of(ofHttp, ofGrpc));
            return true;
        }
        if (ofHttp != null) {
            ofHttp.close();
        }
        if (ofGrpc != null) {
            ofGrpc.close();
        }
        return false;
    }

    private static @Nullable DatagramSocket datagramSocket(int port) {
        try {
            return new DatagramSocket(port, InetAddress.getLoopbackAddress());
        } catch (SocketException reserved) {
            return null;
        }
    }

    private static boolean bindable(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // connections of an earlier server that linger in TIME_WAIT do not matter
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }
}
