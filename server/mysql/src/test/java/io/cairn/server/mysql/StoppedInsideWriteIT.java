package io.cairn.server.mysql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.load.ChildNode;
import io.cairn.server.testing.DatabaseRelay;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes on one database, of which one is stopped, cut off from the database, or loses power while it holds the lock that all writes
 * take. The others store each write, stay in service, and name the node and its session.
 */
@Tag("full")
@Tag("processes")
class StoppedInsideWriteIT {

    private static final int STOPPED = 0;
    private static final List<Integer> OTHERS = List.of(1, 2);
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private TestSchema schema;
    private DatabaseRelay relay;
    private ClusterOfProcesses cluster;
    private final List<SteadyWrites> writes = new ArrayList<>();

    @BeforeEach
    void start() {
        schema = TestSchema.create(StoppedInsideWriteIT.class);
        relay = new DatabaseRelay(schema.url());
        cluster = ChildNode.cluster(
                folder,
                schema.access(),
                3,
                node -> node == STOPPED ? relay.url() + "&socketTimeout=3000" : schema.url());
        // Nodes that start at the same time may meet after they have gone into service, and one joins again.
        await().atMost(PATIENCE)
                .until(() -> OTHERS.stream().allMatch(node -> SteadyWrites.isVisible(cluster.address(node), "3/3")));
        for (int node : OTHERS) {
            writes.add(SteadyWrites.start(cluster.address(node), "steady-" + node));
        }
        await().atMost(PATIENCE).until(() -> writes.stream().allMatch(each -> each.stored() > 10));
    }

    @AfterEach
    void stop() {
        writes.forEach(SteadyWrites::close);
        if (cluster != null) {
            cluster.close();
        }
        if (relay != null) {
            relay.close();
        }
        if (schema != null) {
            schema.close();
        }
    }

    /** Publishes at the node until it holds the lock and has lost its way to the database. */
    private void cutInsideWrite() {
        relay.cutAfter("FOR UPDATE");
        HTTP.sendAsync(
                HttpRequest.newBuilder(URI.create("http://" + cluster.address(STOPPED)
                                + "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=held&content=1"))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        assertThat(relay.awaitCut()).isTrue();
    }

    @Test
    void nodeLosesPower() throws Exception {
        cutInsideWrite();
        cluster.kill(STOPPED);
        assertOthersWrite();
        assertNamed();
    }

    @Test
    @Tag("endurance")
    void nodeLosesPowerAndTheOthersPauseForFiveSecondsAtMost() throws Exception {
        nodeLosesPower();
        assertShortPause();
    }

    @Test
    @Tag("endurance")
    void nodeIsStoppedAndGoesOn() throws Exception {
        cutInsideWrite();
        cluster.pause(STOPPED);
        relay.heal();
        TimeUnit.SECONDS.sleep(20);
        assertOthersWrite();
        assertShortPause();
        assertNamed();
        cluster.resume(STOPPED);
        assertReturns();
    }

    @Test
    @Tag("endurance")
    void nodeIsCutOffFromTheDatabaseAndComesBack() throws Exception {
        cutInsideWrite();
        TimeUnit.SECONDS.sleep(20);
        assertOthersWrite();
        assertShortPause();
        assertNamed();
        relay.heal();
        assertReturns();
    }

    private void assertOthersWrite() {
        List<Integer> before = writes.stream().map(SteadyWrites::stored).toList();
        await().atMost(PATIENCE).untilAsserted(() -> {
            for (int i = 0; i < writes.size(); i++) {
                assertThat(writes.get(i).stored()).isGreaterThan(before.get(i) + 20);
            }
        });
        for (SteadyWrites each : writes) {
            System.out.println(each);
            assertThat(each.refusals()).as("%s%s", each, cluster.output()).isEmpty();
        }
    }

    private void assertShortPause() {
        for (SteadyWrites each : writes) {
            assertThat(each.longestGap()).as("%s%s", each, cluster.output()).isLessThanOrEqualTo(Duration.ofSeconds(5));
        }
    }

    /** The other nodes name the node and its session in a finding and in their logs. */
    private void assertNamed() throws Exception {
        for (int node : OTHERS) {
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(get(cluster.address(node), "/nacos/v3/admin/core/attention"))
                            .contains("WRITE_LOCK_HELD", cluster.address(STOPPED), "session "));
        }
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(cluster.output())
                .contains("Node " + cluster.address(STOPPED) + " stopped inside a write"));
        assertThat(schema.query("SELECT DISTINCT node FROM cairn_audit WHERE target LIKE '%steady-1'"))
                .containsExactly(List.of(cluster.address(1)));
    }

    private void assertReturns() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(SteadyWrites.isReady(cluster.address(STOPPED))).isTrue();
            assertThat(get(
                            cluster.address(STOPPED),
                            "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId="
                                    + writes.get(0).dataId()))
                    .matches("\\d+");
        });
    }

    private static String get(String address, String path) throws IOException, InterruptedException {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create("http://" + address + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
