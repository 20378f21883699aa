package io.cairn.server.nodes;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

class PortReservationTest {

    @Test
    void portsStayReservedForOtherProcessesUntilTheReservationEnds() throws IOException {
        try (PortReservation ports = PortReservation.of(0, 1_000, 1_001)) {
            for (int port : new int[] {ports.first(), ports.first() + 1_000, ports.first() + 1_001}) {
                assertThatThrownBy(() -> bindAsTestsReserve(port))
                        .as("the reservation that other processes see")
                        .isInstanceOf(BindException.class);
                assertThatCode(() -> listen(port)).as("a server on the port").doesNotThrowAnyException();
            }
            ports.close();
            bindAsTestsReserve(ports.first());
        }
    }

    private static void bindAsTestsReserve(int port) throws IOException {
        new DatagramSocket(port, InetAddress.getLoopbackAddress()).close();
    }

    private static void listen(int port) throws IOException {
        new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    }
}
