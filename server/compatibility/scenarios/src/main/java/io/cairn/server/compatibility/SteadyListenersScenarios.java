package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Normal work for an hour: configurations change, listeners come and leave, and sometimes all idle clients reconnect. No client
 * lacks a listen, so the server resets no connection.
 *
 * <p>The system property {@code cairn.test.steady.minutes} shortens the run.
 */
@Tag("endurance")
@Execution(ExecutionMode.CONCURRENT)
public abstract class SteadyListenersScenarios {
    private static final int MINUTES = Integer.getInteger("cairn.test.steady.minutes", 60);
    private static final int CLIENTS = 20;
    private static final int LISTENERS = 100;
    private static final int CONFIGS = 300;
    private static final Duration BETWEEN_CHANGES = Duration.ofMillis(500);
    /** Longer than the server's checks of a connection: 60 s and the repeated ones. */
    private static final int SECONDS_OF_A_CONNECTION = 100;

    private static final System.Logger log = System.getLogger(SteadyListenersScenarios.class.getName());

    @Test
    void clientsThatLackNothingKeepTheirConnections() throws Exception {
        try (CairnProcess server = CairnProcess.builder().start();
                FaultyNetwork network = FaultyNetwork.before(server);
                NacosClients behind = new NacosClients(network.address())) {
            var http = new HttpListeners(server);
            var clients = new ListeningClients(
                    ConfigScenarios.newDataIds(CONFIGS), new HttpConfigs(server.serverAddress()), new Random(1));
            clients.publishAll();
            for (int i = 0; i < CLIENTS; i++) {
                clients.open(behind, LISTENERS);
            }
            patiently().until(() -> http.listens() == clients.listeners());

            int reconnects = 0;
            var run = new Pace(BETWEEN_CHANGES);
            while (run.elapsed().toMinutes() < MINUTES) {
                var connection = new Pace(BETWEEN_CHANGES);
                while (connection.elapsed().toSeconds() < SECONDS_OF_A_CONNECTION) {
                    connection.await();
                    clients.publishOne();
                    clients.changeOneListener();
                }
                patiently().untilAsserted(() -> assertThat(List.of(clients.behind(), http.listens()))
                        .as("listeners that are behind, listens that the server knows")
                        .containsExactly(0, clients.listeners()));
                int answers = network.seen(FaultyNetwork.METRIC_ANSWER);
                assertThat(answers)
                        .as("answers about the listens of a client")
                        .isGreaterThanOrEqualTo(2 * CLIENTS * (reconnects + 1));
                assertThat(http.healed()).as("resets").isZero();
                network.cut();
                network.mend();
                reconnects++;
            }
            log.log(
                    System.Logger.Level.INFO,
                    "{0} listeners, {1} publishes, {2} reconnects of {3} clients, {4} answers to the server, {5} resets",
                    clients.listeners(),
                    clients.publishes(),
                    reconnects,
                    CLIENTS,
                    network.seen(FaultyNetwork.METRIC_ANSWER),
                    http.healed());
            assertThat(network.seen(FaultyNetwork.RESET)).isZero();
        }
    }

    private static ConditionFactory patiently() {
        return ConfigScenarios.patiently().atMost(PATIENCE.multipliedBy(3)).pollInterval(Duration.ofSeconds(1));
    }
}
