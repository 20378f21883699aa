package io.cairn.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReservedPortsTest {

    @Test
    void portsStayReservedForOtherProcessesUntilTheReservationEnds() throws IOException {
        try (ReservedPorts ports = ReservedPorts.apart(0, 1_000, 1_001)) {
            for (int port : new int[] {ports.first(), ports.first() + 1_000, ports.first() + 1_001}) {
                assertThatThrownBy(() -> reserveAsOthersDo(port))
                        .as("the reservation that other processes see")
                        .isInstanceOf(BindException.class);
                assertThatCode(() -> listen(port)).as("a server on the port").doesNotThrowAnyException();
            }
            ports.close();
            assertThatCode(() -> reserveAsOthersDo(ports.first())).doesNotThrowAnyException();
        }
    }

    @Test
    void portsStayReservedWithoutAReference() {
        int port = ReservedPorts.one();
        var collected = new WeakReference<>(new Object());
        await().until(() -> {
            System.gc();
            return collected.refersTo(null);
        });

        await().during(Duration.ofMillis(200)).untilAsserted(() -> assertThatThrownBy(() -> reserveAsOthersDo(port))
                .isInstanceOf(BindException.class));
    }

    @Test
    void noTwoCallersGetTheSamePort() {
        Set<Integer> given = new HashSet<>();
        for (int i = 0; i < 200; i++) {
            int http = ReservedPorts.ofServer();
            assertThat(given.add(http) && given.add(http + 1_000) && given.add(ReservedPorts.one()))
                    .as("a port given once, round %s", i)
                    .isTrue();
        }
        assertThat(given).allMatch(port -> port >= 10_000 && port < 32_768);
    }

    @Test
    void portsWithAListenerAreLeftOut() throws IOException {
        try (ReservedPorts reserved = ReservedPorts.apart(0);
                ServerSocket listener = new ServerSocket(reserved.first(), 1, InetAddress.getLoopbackAddress())) {
            reserved.close();
            for (int i = 0; i < 200; i++) {
                assertThat(ReservedPorts.one()).isNotEqualTo(listener.getLocalPort());
            }
        }
    }

    private static void reserveAsOthersDo(int port) throws IOException {
        new DatagramSocket(port, InetAddress.getLoopbackAddress()).close();
    }

    private static void listen(int port) throws IOException {
        new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
    }
}
