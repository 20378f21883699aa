package io.cairn.server.process;

import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** The HTTP port of a server and its gRPC port, 1000 above. */
public record PortPair(int http) {
    private static final int GRPC_OFFSET = 1000;

    public PortPair {
        if (http < 1 || http > 65_535 - GRPC_OFFSET) {
            throw new IllegalArgumentException("httpPort: " + http + " (expected: 1-" + (65_535 - GRPC_OFFSET) + ")");
        }
    }

    /** A pair without a listener, reserved as long as this JVM lives ({@link ReservedPorts}). */
    public static PortPair free() {
        return new PortPair(ReservedPorts.ofServer());
    }

    public int grpc() {
        return http + GRPC_OFFSET;
    }

    public boolean isFree() {
        return bindable(http) && bindable(grpc());
    }

    private static boolean bindable(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // Connections of an earlier server may linger in TIME_WAIT
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException inUse) {
            return false;
        }
    }
}
