package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Many clients listen through a network that breaks connections while configurations change. Every listener has the newest content
 * soon after the faults.
 *
 * <p>The system properties {@code cairn.test.faulty.clients}, {@code .listeners}, {@code .seconds} and {@code .seed} set the size.
 */
@Tag("endurance")
@Isolated
public abstract class FaultyNetworkScenarios {
    private static final int CLIENTS = Integer.getInteger("cairn.test.faulty.clients", 20);
    private static final int LISTENERS = Integer.getInteger("cairn.test.faulty.listeners", 500);
    private static final int SECONDS = Integer.getInteger("cairn.test.faulty.seconds", 180);
    private static final long SEED = Long.getLong("cairn.test.faulty.seed", 7);
    private static final int CONFIGS = 1_000;
    private static final int FAULTS_A_SECOND = 8;
    private static final Duration BETWEEN_PUBLISHES = Duration.ofMillis(20);
    private static final Duration SET_UP_WITHIN = PATIENCE.multipliedBy(3);
    private static final int RIGHT_AFTER_SECONDS = 60;
    private static final int LOOKS_EVERY_SECONDS = 5;
    private static final System.Logger log = System.getLogger(FaultyNetworkScenarios.class.getName());

    @Test
    void everyListenerIsRightWithinAMinuteAfterTheFaults() throws Exception {
        try (CairnProcess server = CairnProcess.builder().start();
                FaultyNetwork network = FaultyNetwork.before(server);
                NacosClients behind = new NacosClients(network.address())) {
            var http = new HttpListeners(server);
            var clients = new ListeningClients(
                    ConfigScenarios.newDataIds(CONFIGS), new HttpConfigs(server.serverAddress()), new Random(SEED));
            clients.publishAll();
            for (int i = 0; i < CLIENTS; i++) {
                clients.open(behind, LISTENERS);
            }
            ConfigScenarios.patiently().atMost(SET_UP_WITHIN).until(() -> http.listens() == clients.listeners());
            int connections = network.connections();

            var storm = new NetworkStorm(network, FAULTS_A_SECOND, SEED);
            try (storm) {
                var publishing = new Pace(BETWEEN_PUBLISHES);
                while (publishing.elapsed().toSeconds() < SECONDS) {
                    publishing.await();
                    clients.publishOne();
                }
            }
            int healedBefore = http.healed();

            var pace = new Pace(Duration.ofSeconds(LOOKS_EVERY_SECONDS));
            Map<Integer, Integer> behindAfter = new TreeMap<>();
            for (int second = 0; second <= RIGHT_AFTER_SECONDS; second += LOOKS_EVERY_SECONDS) {
                behindAfter.put(second, clients.behind());
                pace.await();
            }
            log.log(
                    System.Logger.Level.INFO,
                    "{0} listeners, {1} publishes, faults {2}, {3} connections, {4} refused; resets by the server:"
                            + " {5} during the faults, {6} in the minute after; behind by second: {7}",
                    clients.listeners(),
                    clients.publishes(),
                    storm.faults(),
                    network.connections(),
                    network.refused(),
                    healedBefore,
                    http.healed() - healedBefore,
                    behindAfter);

            assertThat(storm.faults()).containsOnlyKeys(FaultyLink.Fault.values());
            assertThat(network.connections()).isGreaterThan(connections);
            assertThat(network.refused()).isPositive();
            assertThat(behindAfter.get(RIGHT_AFTER_SECONDS))
                    .as("listeners that are behind " + RIGHT_AFTER_SECONDS + " s after the faults")
                    .isZero();
            assertThat(http.listens()).as("listens that the server knows").isEqualTo(clients.listeners());
            clients.publishAll();
            ConfigScenarios.patiently().until(() -> clients.behind() == 0);
        }
    }
}
