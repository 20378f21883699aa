package io.cairn.server.nodes;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free ports of loopback that stay reserved until this is closed, also while nothing listens there: their UDP ports stay bound, and
 * test servers of other processes reserve theirs in the same way. The ports are below those that systems hand out for outgoing
 * connections: while a server is away, one of these could take its port, among them that of the client that looks for it there.
 */
final class PortReservation implements AutoCloseable {

    private static final int LOWEST = 10_000;
    private static final int HIGHEST = 32_000;

    private final int first;
    private final List<DatagramSocket> sockets;

    private PortReservation(int first, List<DatagramSocket> sockets) {
        this.first = first;
        this.sockets = sockets;
    }

    /** Reserves one port for each of these distances from the first one, 0 among them. */
    static PortReservation of(int... distances) {
        int largest = 0;
        for (int distance : distances) {
            largest = Math.max(largest, distance);
        }
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST - largest);
            List<DatagramSocket> sockets = new ArrayList<>();
            for (int distance : distances) {
                if (!reserve(first + distance, sockets)) {
                    break;
                }
            }
            if (sockets.size() == distances.length) {
                return new PortReservation(first, sockets);
            }
            sockets.forEach(DatagramSocket::close);
        }
    }

    private static boolean reserve(int port, List<DatagramSocket> sockets) {
        try {
            sockets.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
            if (isFree(port)) {
                return true;
            }
            sockets.remove(sockets.size() - 1).close();
            return false;
        } catch (SocketException reserved) {
            return false;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }

    /** The port of the distance 0. */
    int first() {
        return first;
    }

    @Override
    public void close() {
        sockets.forEach(DatagramSocket::close);
    }
}
