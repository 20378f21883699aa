package io.cairn.junit.processes;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of loopback that nothing listens on. They are below those that systems hand out for outgoing connections, so none of
 * these takes one while its server is stopped; and the UDP port of the first is held, so test JVMs beside this one take others.
 */
public final class FreePorts implements AutoCloseable {

    private static final int ATTEMPTS = 500;
    private static final int LOWEST = 10_000;
    private static final int HIGHEST = 30_000;

    private final int first;
    private final DatagramSocket reservation;

    private FreePorts(int first, DatagramSocket reservation) {
        this.first = first;
        this.reservation = reservation;
    }

    /**
     * Looks for a port that is free with others.
     *
     * @param offsets of those that must be free as well
     */
    public static FreePorts find(List<Integer> offsets) {
        List<Integer> all = new ArrayList<>(offsets);
        all.add(0);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            DatagramSocket reservation;
            try {
                reservation = new DatagramSocket(first, InetAddress.getLoopbackAddress());
            } catch (IOException inUse) {
                continue;
            }
            if (all.stream().allMatch(offset -> isFree(first + offset))) {
                return new FreePorts(first, reservation);
            }
            reservation.close();
        }
        throw new IllegalStateException("no free ports in " + ATTEMPTS + " attempts from " + LOWEST + " to " + HIGHEST);
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

    /** Others may have them. */
    @Override
    public void close() {
        reservation.close();
    }
}
