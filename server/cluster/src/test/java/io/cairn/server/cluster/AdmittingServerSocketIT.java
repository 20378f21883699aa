package io.cairn.server.cluster;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.cluster.AdmittingServerSocket.ForeignBytesException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections on the port of a group, of which those that begin with {@code key} are admitted. */
@Tag("full")
class AdmittingServerSocketIT {

    private static final String KEY = "key";

    private final List<String> strangers = new CopyOnWriteArrayList<>();
    private final Deque<Socket> open = new ArrayDeque<>();
    private AdmittingServerSocket port;

    private final class Recorded implements AdmittingServerSocket.Strangers {

        @Override
        public void foreign(InetAddress from, ForeignBytesException cause) {
            strangers.add(from.getHostAddress() + " foreign: " + cause.getMessage());
        }

        @Override
        public void silent(InetAddress from) {
            strangers.add(from.getHostAddress() + " silent");
        }

        @Override
        public void crowded(InetAddress from) {
            strangers.add(from.getHostAddress() + " crowded");
        }
    }

    @BeforeEach
    void open() throws IOException {
        open(PATIENCE.multipliedBy(10));
    }

    private void open(Duration patience) throws IOException {
        port = new AdmittingServerSocket(
                in -> {
                    String first = new String(in.readNBytes(KEY.length()), StandardCharsets.US_ASCII);
                    if (!first.equals(KEY)) {
                        throw new ForeignBytesException(first);
                    }
                },
                patience,
                new Recorded(),
                task -> {
                    Thread thread = new Thread(task, "admission");
                    thread.setDaemon(true);
                    return thread;
                });
        port.bind(new InetSocketAddress("127.0.0.1", 0));
    }

    @AfterEach
    void close() throws IOException {
        for (Socket each : open) {
            each.close();
        }
        port.close();
    }

    private Socket connected(String host) throws IOException {
        Socket socket = new Socket(port.getInetAddress(), port.getLocalPort(), InetAddress.getByName(host), 0);
        open.push(socket);
        return socket;
    }

    private Socket sending(String host, String text) throws IOException {
        Socket socket = connected(host);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private CompletableFuture<Socket> accepted() {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return port.accept();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                task -> new Thread(task, "accepting").start());
    }

    private static void assertEnds(Socket socket) throws IOException {
        socket.setSoTimeout((int) PATIENCE.toMillis());
        assertThat(socket.getInputStream().read()).isNegative();
    }

    @Test
    void admittedConnectionHasAllOfItsBytes() throws Exception {
        CompletableFuture<Socket> next = accepted();
        connected("127.0.0.2");
        Socket stranger = sending("127.0.0.3", "oth");
        Socket member = sending("127.0.0.4", "key and more");

        try (Socket accepted = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(accepted.getInetAddress().getHostAddress()).isEqualTo("127.0.0.4");
            member.getOutputStream().write(" later".getBytes(StandardCharsets.US_ASCII));
            member.shutdownOutput();
            assertThat(accepted.getSoTimeout()).isZero();
            assertThat(new String(accepted.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .isEqualTo("key and more later");
        }
        await().untilAsserted(() -> assertThat(strangers).containsExactly("127.0.0.3 foreign: oth"));
        assertEnds(stranger);
    }

    /** However slowly its bytes come. */
    @Test
    void connectionThatTakesTooLongIsClosed() throws Exception {
        port.close();
        open(Duration.ofMillis(200));
        accepted();
        Socket slow = sending("127.0.0.2", "ke");

        assertEnds(slow);
        assertThat(strangers).containsExactly("127.0.0.2 silent");
    }

    @Test
    void oldestConnectionMakesRoomWhenThereAreTooMany() throws Exception {
        CompletableFuture<Socket> next = accepted();
        List<Socket> all = new ArrayList<>();
        for (int i = 0; i < AdmittingServerSocket.MAX_IN_ALL; i++) {
            all.add(connected("127.0.0." + (10 + i % 8)));
        }
        Socket further = connected("127.0.0.9");
        assertEnds(all.get(0));
        await().untilAsserted(() -> assertThat(strangers).containsExactly("127.0.0.10 crowded"));

        sending("127.0.0.4", KEY);
        assertThat(next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .getInetAddress()
                        .getHostAddress())
                .isEqualTo("127.0.0.4");
        further.getOutputStream().write(KEY.getBytes(StandardCharsets.US_ASCII));
        assertThat(accepted()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .getInetAddress()
                        .getHostAddress())
                .isEqualTo("127.0.0.9");
    }

    @Test
    void closedPortAcceptsNothingAndEndsAllConnections() throws Exception {
        CompletableFuture<Socket> next = accepted();
        Socket silent = connected("127.0.0.2");
        sending("127.0.0.3", KEY);
        next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        CompletableFuture<Socket> waiting = accepted();

        port.close();

        assertEnds(silent);
        assertThat(waiting).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("closed");
        assertThat(accepted()).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("closed");
        assertThat(strangers).isEmpty();
    }
}
