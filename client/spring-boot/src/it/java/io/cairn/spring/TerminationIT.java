package io.cairn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.ServiceWatch;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import io.cairn.testing.Patience;
import io.cairn.testing.ReservedPorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SIGTERM drains an application while its web server still answers. */
@CairnTest
class TerminationIT {

    private static final String SERVICE = "terminated";

    @TempDir
    Path folder;

    @Test
    void callsGoOnWhileAnApplicationIsTerminated(CairnTestServer cairn) throws Exception {
        int[] ports = {ReservedPorts.one(), ReservedPorts.one()};
        try (CairnClient consumer = CairnClient.builder()
                        .servers(cairn.address())
                        .noSnapshots()
                        .build();
                Application stays = new Application(cairn, ports[0]);
                Application ends = new Application(cairn, ports[1])) {
            AtomicReference<List<Instance>> listed = new AtomicReference<>(List.of());
            try (ServiceWatch watch = consumer.naming()
                            .subscribe(
                                    consumer.naming().service(SERVICE),
                                    change -> listed.set(change.now().instances()),
                                    Runnable::run);
                    Calls calls = new Calls(listed)) {
                await().atMost(Patience.START)
                        .untilAsserted(() ->
                                assertThat(listed.get()).as(stays + " " + ends).hasSize(2));
                calls.awaitMore(20);

                ends.process.destroy();

                assertThat(ends.process.waitFor(Patience.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .as(ends.toString())
                        .isTrue();
                calls.awaitMore(20);
                assertThat(calls.failures).isEmpty();
                assertThat(ends.process.exitValue()).as("ended by SIGTERM").isEqualTo(143);
                assertThat(ends.toString()).contains("Drained public/DEFAULT_GROUP/" + SERVICE + ": acknowledged by 1 consumers");
                assertThat(listed.get()).extracting(each -> each.key().port()).containsExactly(ports[0]);
            }
        }
    }

    private final class Application implements AutoCloseable {

        private final Path log;
        private final Process process;

        Application(CairnTestServer cairn, int port) throws IOException {
            log = folder.resolve("application-" + port + ".log");
            process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            System.getProperty("java.class.path"),
                            ServingApplication.class.getName(),
                            "--spring.application.name=" + SERVICE,
                            "--cairn.client.servers=" + cairn.address(),
                            "--cairn.client.snapshots=" + folder.resolve("snapshots-" + port),
                            "--cairn.discovery.host=127.0.0.1",
                            "--cairn.discovery.port=" + port)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        }

        @Override
        public void close() {
            process.destroyForcibly();
        }

        @Override
        public String toString() {
            try {
                return Files.readString(log);
            } catch (IOException e) {
                return log + ": " + e;
            }
        }
    }

    /** Calls instances of the list in turn, one after the other. */
    private static final class Calls implements AutoCloseable {

        private final List<String> failures = new CopyOnWriteArrayList<>();
        private final AtomicInteger done = new AtomicInteger();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final HttpClient http = HttpClient.newHttpClient();
        private final AtomicReference<List<Instance>> listed;
        private final Thread thread = new Thread(this::run, "calls");

        Calls(AtomicReference<List<Instance>> listed) {
            this.listed = listed;
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            while (!ended.get()) {
                List<Instance> present = listed.get();
                if (present.isEmpty()) {
                    Thread.onSpinWait();
                    continue;
                }
                int number = done.get();
                int port = present.get(number % present.size()).key().port();
                try {
                    int status = http.send(
                                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port))
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode();
                    if (status != 204) {
                        failures.add(port + " answered " + status);
                    }
                } catch (IOException e) {
                    failures.add(port + ": " + e);
                } catch (InterruptedException e) {
                    return;
                }
                done.incrementAndGet();
            }
        }

        void awaitMore(int count) {
            int until = done.get() + count;
            await().until(() -> done.get() >= until);
        }

        @Override
        public void close() throws InterruptedException {
            ended.set(true);
            thread.join();
        }
    }
}
