package io.cairn.testing;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Ports for servers that bind later or again, free of other callers in all JVMs:
 * <ul>
 * <li>The ports are below 32768. Systems assign higher ports to outgoing connections and listeners on port 0, so a client that
 * retries could occupy the port of an absent server.
 * <li>The UDP ports of the same numbers stay bound on loopback until the JVM ends or {@link #close}. All test servers do this.
 * </ul> A server that binds at once, and only once, may use port 0.
 */
public final class ReservedPorts implements AutoCloseable {

    private static final int LOWEST = 10_000;
    private static final int BEYOND_HIGHEST = 32_768;
    private static final int ATTEMPTS = 1_000;

    /** Without a reference to its socket, the next garbage collection would close it. */
    private static final Set<ReservedPorts> HELD = ConcurrentHashMap.newKeySet();

    private final int first;
    private final List<DatagramSocket> reservations;

    private ReservedPorts(int first, List<DatagramSocket> reservations) {
        this.first = first;
        this.reservations = reservations;
    }

    public static int one() {
        return apart(0).first();
    }

    /** An HTTP port, reserved with its gRPC port (+ 1000) until the JVM ends. */
    public static int ofServer() {
        return apart(0, 1_000).first();
    }

    /**
     * Reserves ports at these distances from a first one.
     *
     * @param distances 0 to 20,000
     * @throws IllegalStateException after 1,000 attempts
     */
    public static ReservedPorts apart(int... distances) {
        int largest = IntStream.of(distances).max().orElse(0);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND_HIGHEST - largest);
            List<DatagramSocket> reservations = new ArrayList<>();
            if (IntStream.of(distances).allMatch(distance -> reserve(first + distance, reservations))) {
                var reserved = new ReservedPorts(first, reservations);
                HELD.add(reserved);
                return reserved;
            }
            reservations.forEach(DatagramSocket::close);
        }
        throw new IllegalStateException("no free ports from " + LOWEST + " to " + (BEYOND_HIGHEST - 1)
                + " with the distances " + IntStream.of(distances).boxed().toList() + " in " + ATTEMPTS + " attempts");
    }

    private static boolean reserve(int port, List<DatagramSocket> reservations) {
        try {
            reservations.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
        } catch (SocketException reserved) {
            return false;
        }
        return isFree(port);
    }

    /** Whether the port has no listener on any address. */
    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }

    public int first() {
        return first;
    }

    @Override
    public void close() {
        HELD.remove(this);
        reservations.forEach(DatagramSocket::close);
    }
}
