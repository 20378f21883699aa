package io.cairn.server.compatibility;

import static io.cairn.server.compatibility.ConfigScenarios.GROUP;
import static io.cairn.server.compatibility.ConfigScenarios.READ_TIMEOUT_MS;
import static io.cairn.server.compatibility.ConfigScenarios.awaitNow;
import static io.cairn.server.compatibility.ConfigScenarios.newDataIds;
import static io.cairn.server.compatibility.ConfigScenarios.numbered;
import static io.cairn.server.compatibility.ConfigScenarios.publish;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import io.cairn.server.process.CairnProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The server restores listens that a client lost with a broken connection; clients with all their listens keep their connections.
 * The server checks 15 s and 60 s after the set-up, so the tests wait in parallel.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.CONCURRENT)
public abstract class LostListensScenarios {
    /** Longer than a client's interval of sends, 5 s. */
    private static final Duration CLIENT_LOOKS = Duration.ofSeconds(7);
    /** Longer than the pause between two checks in a row. */
    private static final Duration NO_MORE_QUESTIONS = Duration.ofSeconds(7);
    /** More than the pause before the second check. */
    private static final Duration ALL_QUESTIONS = Duration.ofSeconds(62);
    /** With more, a client opens a second connection. */
    private static final int LISTENS_OF_A_CONNECTION = 3_000;

    private CairnProcess server;
    private HttpListeners http;

    @BeforeAll
    void startServer() {
        server = CairnProcess.builder().start();
        http = new HttpListeners(server);
    }

    @AfterAll
    void endServer() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void clientThatLostListensHasThemBackWithinAMinute() throws Exception {
        List<String> dataIds = newDataIds(200);
        List<String> changed = dataIds.subList(0, 5);
        try (FaultyNetwork network = FaultyNetwork.before(server);
                NacosClients direct = new NacosClients(server.serverAddress());
                NacosClients behind = new NacosClients(network.address())) {
            ConfigService writer = direct.open();
            publish(writer, numbered("first", dataIds));
            Map<String, RecordingListener> listeners = listen(behind.open(), dataIds);
            awaitNow(listeners, numbered("first", dataIds));
            awaitListened(dataIds, dataIds.size());
            int healedBefore = http.healed();

            network.cut();
            publish(writer, numbered("second", changed));
            CompletableFuture<Void> lost = network.loseNextListens();
            network.mend();
            lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            long lostAt = System.nanoTime();

            // On a busy machine they may be restored earlier.
            patiently()
                    .during(CLIENT_LOOKS)
                    .until(() -> http.listened(dataIds) == changed.size() || http.healed() > healedBefore);
            List<String> some = dataIds.subList(0, 2 * changed.size());
            publish(writer, numbered("third", some));
            awaitNow(only(listeners, changed), numbered("third", changed));
            List<String> reached = some.stream()
                    .filter(dataId -> Objects.requireNonNull(listeners.get(dataId)).contents().stream()
                            .anyMatch(content -> content != null && content.startsWith("third")))
                    .toList();
            if (http.healed() == healedBefore) {
                assertThat(reached).as("those that a change reaches").isEqualTo(changed);
            }

            Duration left = PATIENCE.minusNanos(System.nanoTime() - lostAt);
            patiently().atMost(left).until(() -> http.listened(dataIds) == dataIds.size());
            awaitNow(only(listeners, some), numbered("third", some));
            assertThat(http.healed()).isGreaterThan(healedBefore);
            assertThat(network.seen(FaultyNetwork.RESET)).isPositive();

            publish(writer, numbered("fourth", dataIds));
            awaitNow(listeners, numbered("fourth", dataIds));
        }
    }

    @Test
    void clientWithTwoConnectionsThatListensToAllKeepsThem() throws Exception {
        List<String> dataIds = newDataIds(LISTENS_OF_A_CONNECTION + 500);
        try (FaultyNetwork network = FaultyNetwork.before(server);
                NacosClients direct = new NacosClients(server.serverAddress());
                NacosClients behind = new NacosClients(network.address())) {
            Map<String, RecordingListener> listeners = listen(behind.open(), dataIds);
            awaitListened(dataIds, dataIds.size());
            long listensSince = System.nanoTime();

            patiently()
                    .atMost(ALL_QUESTIONS.plus(PATIENCE))
                    .until(() -> System.nanoTime() - listensSince > ALL_QUESTIONS.toNanos()
                            && network.seen(FaultyNetwork.METRIC_ANSWER) >= 4);

            assertThat(network.seen(FaultyNetwork.RESET)).isZero();
            List<String> some = List.of(dataIds.get(0), dataIds.get(dataIds.size() - 1));
            publish(direct.open(), numbered("changed", some));
            awaitNow(only(listeners, some), numbered("changed", some));
        }
    }

    @Test
    void clientWithFailoverFilesKeepsItsConnections() throws Exception {
        List<String> dataIds = newDataIds(20);
        List<String> fromFiles = dataIds.subList(0, 5);
        List<String> listened = dataIds.subList(5, 20);
        try (FaultyNetwork network = FaultyNetwork.before(server);
                NacosClients direct = new NacosClients(server.serverAddress());
                NacosClients behind = new NacosClients(network.address())) {
            publish(direct.open(), numbered("stored", dataIds));
            ConfigService reader = behind.open();
            for (String dataId : fromFiles) {
                assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("stored in " + dataId);
                writeFailover(network, dataId, "file in " + dataId);
                assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("file in " + dataId);
            }
            Map<String, RecordingListener> listeners = listen(reader, dataIds);
            awaitNow(only(listeners, listened), numbered("stored", listened));
            awaitListened(dataIds, listened.size());

            // Two equal answers, over the first connection and its replacement.
            patiently().until(() -> network.isQuietAfter(FaultyNetwork.METRIC_ANSWER, 2, NO_MORE_QUESTIONS));
            assertServes(reader);
            network.cut();
            network.mend();
            patiently().until(() -> network.isQuietAfter(FaultyNetwork.METRIC_ANSWER, 4, NO_MORE_QUESTIONS));
            assertServes(reader);

            assertThat(network.seen(FaultyNetwork.RESET)).isZero();
            awaitListened(dataIds, listened.size());
        }
    }

    /** The server has handled all earlier requests of the client. */
    private static void assertServes(ConfigService client) throws NacosException {
        assertThat(client.getConfig("absent", GROUP, READ_TIMEOUT_MS)).isNull();
    }

    private static Map<String, RecordingListener> listen(ConfigService client, List<String> dataIds)
            throws NacosException {
        var listeners = new LinkedHashMap<String, RecordingListener>();
        for (String dataId : dataIds) {
            var listener = new RecordingListener();
            client.addListener(dataId, GROUP, listener);
            listeners.put(dataId, listener);
        }
        return listeners;
    }

    private static Map<String, RecordingListener> only(Map<String, RecordingListener> all, List<String> dataIds) {
        var some = new LinkedHashMap<>(all);
        some.keySet().retainAll(dataIds);
        return some;
    }

    private void awaitListened(List<String> dataIds, int count) {
        patiently().untilAsserted(() -> assertThat(http.listened(dataIds)).isEqualTo(count));
    }

    private static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(500));
    }

    /** Writes the file that a client prefers to the server, beside the snapshot. */
    private static void writeFailover(FaultyNetwork network, String dataId, String content) throws IOException {
        Path folder = folderOf(network);
        Path snapshot = snapshotIn(folder, dataId);
        Path kind = snapshot.getName(0);
        Path failover = folder.resolve("data")
                .resolve(kind.toString().replace("snapshot", "config-data"))
                .resolve(kind.relativize(snapshot));
        Files.createDirectories(Objects.requireNonNull(failover.getParent()));
        Files.writeString(failover, content);
    }

    private static Path folderOf(FaultyNetwork network) throws IOException {
        String port = network.address().substring(network.address().indexOf(':') + 1);
        String root = Objects.requireNonNull(System.getProperty("JM.SNAPSHOT.PATH"));
        try (var folders = Files.list(Path.of(root, "nacos", "config"))) {
            return folders.filter(folder -> folder.toString().contains("_" + port))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Path snapshotIn(Path folder, String dataId) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.map(folder::relativize)
                    .filter(file -> file.startsWith("snapshot") || file.startsWith("snapshot-tenant"))
                    .filter(file -> file.endsWith(dataId))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
