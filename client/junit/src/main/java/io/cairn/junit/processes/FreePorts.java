package io.cairn.junit.processes;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Unused ports of loopback, outside the ephemeral range, so that no outgoing connection takes them. Bound UDP ports reserve
 * them among test JVMs.
 */
public final class FreePorts implements AutoCloseable {

    private static final int ATTEMPTS = 500;
    private static final int LOWEST = 10_000;
    private static final int HIGHEST = 30_000;

    private final int first;
    private final List<DatagramSocket> reservations;

    private FreePorts(int first, List<DatagramSocket> reservations) {
        this.first = first;
        this.reservations = reservations;
    }

    /** @param offsets of further ports that must be free, not 0 */
    public static FreePorts find(List<Integer> offsets) {
        List<Integer> all = new ArrayList<>(offsets);
        all.add(0);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            List<DatagramSocket> reservations = new ArrayList<>();
            if (all.stream().allMatch(offset -> reserve(first + offset, reservations))) {
                return new FreePorts(first, reservations);
            }
            reservations.forEach(DatagramSocket::close);
        }
        throw new IllegalStateException("no free ports in " + ATTEMPTS + " attempts from " + LOWEST + " to " + HIGHEST);
    }

    private static boolean reserve(int port, List<DatagramSocket> reservations) {
        try {
            reservations.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
        } catch (SocketException reserved) {
            return false;
        }
        return isFree(port);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
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
        reservations.forEach(DatagramSocket::close);
    }
}
