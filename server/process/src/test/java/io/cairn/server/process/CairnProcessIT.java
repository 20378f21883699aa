package io.cairn.server.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.cairn.server.CairnServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a stand-in for the packed server, so that it needs no distribution. */
final class CairnProcessIT {
    @TempDir
    static Path build;

    private static Path distribution;

    @TempDir
    Path given;

    @BeforeAll
    static void packTheStandIn() throws IOException {
        distribution = build.resolve("cairn");
        Path lib = Files.createDirectories(distribution.resolve("lib"));
        String name = CairnServer.class.getName().replace('.', '/') + ".class";
        try (var jar = new JarOutputStream(Files.newOutputStream(lib.resolve("cairn-server.jar")));
                InputStream code = CairnServer.class.getResourceAsStream("CairnServer.class")) {
            jar.putNextEntry(new JarEntry(name));
            code.transferTo(jar);
        }
        System.setProperty(PackedServer.LOCATION_PROPERTY, distribution.toString());
    }

    @AfterAll
    static void forgetTheStandIn() {
        System.clearProperty(PackedServer.LOCATION_PROPERTY);
    }

    @Test
    void servesOnBothPortsAndLeavesNothingBehind() throws Exception {
        CairnProcess cairn = CairnProcess.builder().setting("cairn.some", 7).start();
        try (cairn) {
            assertThat(cairn.grpcPort()).isEqualTo(cairn.httpPort() + 1000);
            assertThat(cairn.serverAddress()).isEqualTo("127.0.0.1:" + cairn.httpPort());
            assertThat(connects(cairn.httpPort())).isTrue();
            assertThat(connects(cairn.grpcPort())).isTrue();
            assertThat(cairn.output()).contains("--cairn.some=7");
            assertThat(ProcessHandle.of(cairn.pid())).hasValueSatisfying(ProcessHandle::isAlive);
        }
        assertThat(cairn.process().isAlive()).isFalse();
        assertThat(cairn.home()).doesNotExist();
    }

    @Test
    void startsAgainInTheSameHomeOnTheSamePortsAfterAKill() throws Exception {
        try (CairnProcess cairn = CairnProcess.builder().home(given).start()) {
            int port = cairn.httpPort();
            long pid = cairn.pid();

            cairn.kill();
            assertThat(connects(port)).isFalse();
            cairn.restart();

            assertThat(cairn.httpPort()).isEqualTo(port);
            assertThat(cairn.pid()).isNotEqualTo(pid);
            assertThat(cairn.home()).isEqualTo(given);
            assertThat(connects(port)).isTrue();
            assertThat(cairn.stop()).isEqualTo(143);
        }
        assertThat(given).exists();
    }

    @Test
    void theOneLineCauseIsTheMessage() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var builder = CairnProcess.builder().httpPort(taken.getLocalPort() - 1000);
            assertThatThrownBy(builder::start)
                    .isInstanceOf(CairnStartException.class)
                    .hasMessage("port " + (taken.getLocalPort() - 1000) + " is in use");
        }
    }

    @Test
    void reportsTheLastLogLineOfServerThatDied() {
        var builder = CairnProcess.builder().programArguments("--fake.dies");
        var failure = catchThrowableOfType(CairnStartException.class, builder::start);
        assertThat(failure).hasMessage("the server ended with status 3 before it was ready: something broke");
        assertThat(failure.output()).contains("started with");
    }

    @Test
    void killsServerThatIsNeverReady() throws Exception {
        var builder = CairnProcess.builder()
                .home(given)
                .httpPort(PortPair.free().http())
                .programArguments("--fake.silent")
                .startTimeout(Duration.ofSeconds(2));
        assertThatThrownBy(builder::start)
                .isInstanceOf(CairnStartException.class)
                .hasMessageStartingWith("not ready within 2000 ms");
        try (var files = Files.list(given)) {
            assertThat(files).extracting(Path::getFileName).containsExactly(Path.of("logs"));
        }
    }

    @Test
    void theDistributionIsFoundFromBelow() throws IOException {
        Path packed = given.resolve("distribution/target/cairn");
        Files.createDirectories(packed.resolve("lib"));
        Path below = Files.createDirectories(given.resolve("server/compatibility/leaf"));
        assertThat(PackedServer.searchAbove(below).home()).isEqualTo(packed);
    }

    @Test
    void reportsAMissingDistributionWithTheCommandThatBuildsIt() {
        assertThatThrownBy(() -> new PackedServer(given))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(given.toString())
                .hasMessageContaining("-pl distribution -am package");
    }

    @Test
    void givesEachPairOfPortsOnce() {
        PortPair pair = PortPair.free();
        for (int port : new int[] {pair.http(), pair.grpc()}) {
            assertThatThrownBy(() -> new DatagramSocket(port, InetAddress.getLoopbackAddress()).close())
                    .as("the reservation that other processes see")
                    .isInstanceOf(BindException.class);
        }
    }

    @Test
    void usesTheRecordedClassesOfTheseJarsAlone() throws Exception {
        PackedServer server = PackedServer.locate();
        Path javaHome = Path.of(System.getProperty("java.home"));
        assertThat(ClassArchive.of(server, javaHome).flags()).isEmpty();

        ClassArchive.main(new String[0]);

        ClassArchive recorded = ClassArchive.of(server, javaHome);
        try {
            assertThat(recorded.flags()).contains("-XX:SharedArchiveFile=" + recorded.file(), "-Xshare:auto");
            try (CairnProcess cairn = CairnProcess.builder().start()) {
                assertThat(cairn.process().info().arguments().orElseThrow())
                        .contains("-XX:SharedArchiveFile=" + recorded.file());
                assertThat(cairn.output()).startsWith("started with");
            }
            Path further = Files.writeString(distribution.resolve("lib/cairn-further.jar"), "of another build");
            assertThat(ClassArchive.of(server, javaHome).flags()).isEmpty();
            Files.delete(further);
        } finally {
            Files.delete(recorded.file());
        }
    }

    private static boolean connects(int port) {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }
}
