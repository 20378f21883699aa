package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.ChildServer;
import io.cairn.server.support.ServiceClient;
import io.cairn.testing.HangLimit;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An acknowledged registration or deregistration of a persistent instance survives {@code kill -9}. */
@Tag("full")
class NamingCrashIT {

    private static final int WRITERS = 4;

    @TempDir
    Path home;

    @Test
    @HangLimit
    void everyAcknowledgedRegistrationSurvivesTwoCrashes() throws Exception {
        crash(2);
    }

    @Test
    @Tag("endurance")
    @Timeout(3600)
    void everyAcknowledgedRegistrationSurvivesManyCrashes() throws Exception {
        crash(50);
    }

    private void crash(int rounds) throws Exception {
        Random random = new Random();
        List<Writer> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Writer("persistent-" + i % 2, i));
        }
        CrashRounds.run(
                home, rounds, writers, () -> 30 + random.nextInt(200), (server, when) -> verify(server, writers, when));
    }

    private static void verify(ChildServer server, List<Writer> writers, String when) {
        try (ServiceClient client = ServiceClient.connect(server.grpcPort())) {
            for (Writer writer : writers) {
                Set<String> shown = new TreeSet<>(client.query(writer.service));
                shown.removeIf(address -> !address.startsWith(writer.prefix));
                // The last write has no response, so it may be stored or not.
                shown.removeAll(writer.uncertain);
                assertThat(shown)
                        .as("%s: registered by writer %s", when, writer.prefix)
                        .containsExactlyInAnyOrderElementsOf(writer.registered);
            }
        }
    }

    /** Registers one address after the other and deregisters every third; used by one thread at a time. */
    private static final class Writer implements CrashRounds.Writer<ServiceClient> {

        private final String service;
        private final String prefix;
        private final List<String> registered = new ArrayList<>();
        private final Set<String> uncertain = new HashSet<>();
        private int next;

        Writer(String service, int number) {
            this.service = service;
            this.prefix = "10.0." + number + ".";
        }

        @Override
        public ServiceClient connect(ChildServer server) {
            return ServiceClient.connect(server.grpcPort());
        }

        @Override
        public void writeUntilItFails(ServiceClient client, Runnable acknowledged) {
            String address = "";
            try {
                while (true) {
                    String ip = prefix + next % 250;
                    int port = 1_000 + next / 250;
                    next++;
                    address = ip + ":" + port;
                    client.registerPersistent(service, ip, port);
                    registered.add(address);
                    acknowledged.run();
                    if (next % 3 == 0) {
                        registered.remove(address);
                        client.deregisterPersistent(service, ip, port);
                        acknowledged.run();
                    }
                }
            } catch (StatusRuntimeException killed) {
                uncertain.add(address);
                registered.remove(address);
            }
        }
    }
}
