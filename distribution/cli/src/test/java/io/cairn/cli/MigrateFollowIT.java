package io.cairn.cli;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.Pace;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.Registration;
import io.cairn.server.CairnServer;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bridge that runs on. */
@Tag("full")
class MigrateFollowIT {

    @TempDir
    Path folder;

    private CairnServer source;
    private CairnServer target;
    private final List<Bridge> bridges = new ArrayList<>();

    @BeforeEach
    void start() {
        source = CairnServer.builder().temporary().start();
        target = CairnServer.builder().temporary().start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Bridge bridge : bridges) {
            bridge.end();
        }
        source.close();
        target.close();
    }

    /** The command in a thread, which an interrupt ends as Ctrl-C would. */
    private static final class Bridge {

        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final Thread thread;

        Bridge(CairnServer target, String... words) {
            thread = new Thread(() -> new Cairn(
                            Map.of("CAIRN_SERVER", target.address()),
                            new ByteArrayInputStream("".getBytes(StandardCharsets.UTF_8)))
                    .run(new PrintWriter(out), new PrintWriter(err), words));
            thread.start();
        }

        void end() throws InterruptedException {
            thread.interrupt();
            thread.join(PATIENCE.toMillis());
            assertThat(thread.isAlive())
                    .as("the bridge runs on after an interrupt")
                    .isFalse();
        }

        String said() {
            return out.toString() + err;
        }
    }

    private Bridge bridge(String... more) {
        List<String> words = new ArrayList<>(List.of(
                "migrate",
                "--from",
                source.address(),
                "--journal",
                folder.resolve("journal").toString(),
                "--follow"));
        words.addAll(List.of(more));
        Bridge bridge = new Bridge(target, words.toArray(String[]::new));
        bridges.add(bridge);
        return bridge;
    }

    private static void publish(CairnServer server, String dataId, String content) {
        assertThat(CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), content, "config", "publish", dataId)
                        .status())
                .isZero();
    }

    private static void delete(CairnServer server, String dataId) {
        assertThat(CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), "", "config", "delete", dataId)
                        .status())
                .isZero();
    }

    private static Optional<String> content(CairnServer server, String dataId) {
        CairnCommandIT.Answer answer =
                CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), "", "config", "get", dataId);
        return answer.status() == 0 ? Optional.of(answer.out()) : Optional.empty();
    }

    @Test
    void followsChangesAndDeletionsAndGoesOnAfterARestart() throws Exception {
        publish(source, "a.yaml", "1");
        publish(target, "own.yaml", "own");
        Bridge bridge = bridge("--interval", "1");
        await().until(() -> content(target, "a.yaml").isPresent());
        publish(source, "a.yaml", "2");
        publish(source, "b.yaml", "1");
        await().until(() -> content(target, "a.yaml").equals(Optional.of("2"))
                && content(target, "b.yaml").isPresent());
        bridge.end();

        publish(source, "a.yaml", "3");
        delete(source, "b.yaml");
        bridge("--interval", "1");
        await().until(() -> content(target, "a.yaml").equals(Optional.of("3"))
                && content(target, "b.yaml").isEmpty());
        assertThat(content(target, "own.yaml")).contains("own");
    }

    @Test
    void followsAChangeLongBeforeTheNextList() {
        publish(source, "a.yaml", "1");
        Bridge bridge = bridge("--interval", "3600");
        await().until(() -> bridge.said().contains("following changes"));
        for (int version = 2; version < 6; version++) {
            String content = String.valueOf(version);
            publish(source, "a.yaml", content);
            await().atMost(PATIENCE).until(() -> content(target, "a.yaml").equals(Optional.of(content)));
        }
    }

    @Test
    void carriesChangesBothWaysWithoutALoop() {
        publish(source, "a.yaml", "1");
        Bridge bridge = bridge("--interval", "1", "--both-ways");
        await().until(() -> content(target, "a.yaml").isPresent());
        publish(target, "a.yaml", "2");
        publish(target, "b.yaml", "1");
        await().until(() -> content(source, "a.yaml").equals(Optional.of("2"))
                && content(source, "b.yaml").isPresent());
        delete(target, "a.yaml");
        await().until(() -> content(source, "a.yaml").isEmpty());
        publish(source, "c.yaml", "1");
        await().until(() -> content(target, "c.yaml").isPresent());
        // The line of a change is printed after the change.
        await().until(() -> bridge.said().contains("public/DEFAULT_GROUP/c.yaml"));
        assertThat(bridge.said().lines().filter(line -> line.contains("public/DEFAULT_GROUP/")))
                .as(bridge.said())
                .hasSize(5);
    }

    @Test
    void waitsForAServerThatIsAway() throws Exception {
        publish(source, "a.yaml", "1");
        Bridge bridge = bridge("--interval", "1");
        await().until(() -> content(target, "a.yaml").isPresent());
        source.close();
        await().until(() ->
                bridge.said().contains("configurations wait, nothing is changed until both servers answer"));
        assertThat(content(target, "a.yaml")).contains("1");
    }

    @Test
    void aRestartedBridgeWaitsForAServerThatIsAway() throws Exception {
        publish(source, "a.yaml", "1");
        Bridge first = bridge("--interval", "1");
        await().until(() -> content(target, "a.yaml").isPresent());
        first.end();
        source.close();
        Bridge again = bridge("--interval", "1");
        await().until(() ->
                again.said().contains("servers wait, nothing is changed until both servers answer: no server answers"));
        assertThat(again.thread.isAlive()).isTrue();
    }

    @Test
    void aRestartedBridgeTakesOverItsCopiesAlthoughTheOtherServerIsAway() throws Exception {
        try (CairnClient old = client(source);
                CairnClient young = client(target)) {
            ServiceKey orders = old.naming().service("orders");
            old.naming().register(orders, Instance.of("10.0.0.1", 80));
            young.naming().register(orders, Instance.of("10.0.0.2", 80));
            Bridge first = bridge("--interval", "1", "--both-ways");
            await().until(() ->
                    instances(source).size() == 2 && instances(target).size() == 2);
            first.end();
            source.close();
            Bridge again = bridge("--interval", "1", "--both-ways");
            await().until(() ->
                    again.said().contains("took over the copies of 1 services in namespace public of the target"));
            assertThat(instances(target)).hasSize(2);
            await().until(() -> again.said().contains("servers wait, nothing is changed until both servers answer"));
            assertThat(again.thread.isAlive()).isTrue();
        }
    }

    private static CairnClient client(CairnServer server) {
        return CairnClient.builder().servers(server.address()).noSnapshots().build();
    }

    private static List<Instance> instances(CairnServer server) {
        List<Instance> shown = new ArrayList<>();
        new BridgeServices(
                        new BridgeServer(
                                "--from",
                                () -> new Api("http://" + server.address() + "/nacos", PATIENCE, null),
                                new Pace(10_000)),
                        new BridgeClients(CairnClient::builder))
                .list(Namespace.DEFAULT, state -> {
                    if (state.key().name().equals("orders")) {
                        shown.addAll(state.instances());
                    }
                });
        return shown;
    }

    @Test
    void showsInstancesUntilTheirClientsHaveMovedAndThenCutsOver() throws Exception {
        Bridge bridge;
        try (CairnClient old = client(source);
                CairnClient young = client(target)) {
            ServiceKey orders = old.naming().service("orders");
            Instance one = Instance.of("10.0.0.1", 80).withMetadata(Map.of("zone", "a"));
            Instance two = new Instance(new InstanceKey("10.0.0.2", 81, "c"), 3, true, false, true, Map.of(), null);
            Registration first = old.naming().registerAll(orders, List.of(one, two));
            bridge = bridge("--interval", "1");
            await().until(() -> instances(target).size() == 2);
            assertThat(instances(target))
                    .containsExactlyInAnyOrder(
                            one.withMetadata(Map.of("zone", "a", Origin.MARK, source.address())),
                            two.withMetadata(Map.of(Origin.MARK, source.address())));
            CairnCommandIT.Answer status = CairnCommandIT.run(
                    Map.of("CAIRN_SERVER", target.address()),
                    "",
                    "migrate",
                    "--from",
                    source.address(),
                    "--journal",
                    folder.resolve("other").toString(),
                    "--status");
            assertThat(status.out())
                    .containsPattern("orders +2 +0 +2 +0 +0")
                    .containsPattern("127.0.0.1 .*Cairn.* 1 +1")
                    .contains("Behind: no change is known that is not carried over");
            assertThat(Files.exists(folder.resolve("other"))).isFalse();

            first.reweigh(7);
            await().until(() -> instances(target).stream().allMatch(instance -> instance.weight() == 7));

            // The client moves: it registers at the target before it leaves the source.
            try (Registration moved = young.naming().registerAll(orders, List.of(one, two))) {
                await().until(() -> instances(target).equals(moved.instances()));
                first.close();
                await().until(() -> instances(source).isEmpty());
                assertThat(instances(target)).isEqualTo(moved.instances());
                bridge.end();

                Bridge cut = bridge("--interval", "1", "--cut-over");
                cut.thread.join(PATIENCE.toMillis());
                assertThat(cut.said()).contains("Cut over.");
                assertThat(instances(target)).isEqualTo(moved.instances());
            }
        }
    }

    @Test
    void cutsOverOnlyWhenNoConflictIsOpen() throws Exception {
        publish(source, "a.yaml", "1");
        publish(target, "a.yaml", "2");
        Bridge cut = bridge("--interval", "1", "--cut-over");
        await().until(() -> cut.said()
                .contains("the cut-over waits until both sides are equal: 1 open, the first: "
                        + "conflict public/DEFAULT_GROUP/a.yaml"));
        assertThat(cut.thread.isAlive()).isTrue();
        cut.end();
        assertThat(cut.said()).contains("Ended before the cut-over.").doesNotContain("Cut over.");

        Bridge again = bridge("--interval", "1", "--cut-over");
        await().until(() -> again.said().contains("the cut-over waits"));
        publish(target, "a.yaml", "1");
        again.thread.join(PATIENCE.toMillis());
        assertThat(again.said()).contains("Cut over.");
    }

    @Test
    void aStatusNamesWhatIsOpen() {
        publish(source, "a.yaml", "1");
        publish(target, "a.yaml", "2");
        try (CairnClient client = client(source)) {
            client.naming().register(client.naming().service("orders"), Instance.of("10.0.0.1", 80));
            await().until(() -> instances(source).size() == 1);
            CairnCommandIT.Answer status = CairnCommandIT.run(
                    Map.of("CAIRN_SERVER", target.address()),
                    "",
                    "migrate",
                    "--from",
                    source.address(),
                    "--journal",
                    folder.resolve("other").toString(),
                    "--status");
            assertThat(status.out()).contains("Open: 1 conflicts and failures; instances are missing in 1 services");
        }
    }

    @Test
    void showsInstancesBothWaysAlsoWhileItIsRestarted() throws Exception {
        try (CairnClient old = client(source);
                CairnClient young = client(target)) {
            ServiceKey orders = old.naming().service("orders");
            old.naming().register(orders, Instance.of("10.0.0.1", 80));
            Registration second = young.naming().register(orders, Instance.of("10.0.0.2", 80));
            // Without it the target would be empty at the end, which holds the copy.
            young.naming().register(orders, Instance.of("10.0.0.3", 80));
            Bridge bridge = bridge("--interval", "1", "--both-ways");
            await().until(() ->
                    instances(source).size() == 3 && instances(target).size() == 3);

            Bridge other = new Bridge(
                    target,
                    "migrate",
                    "--from",
                    source.address(),
                    "--journal",
                    folder.resolve("other").toString(),
                    "--follow");
            other.thread.join(PATIENCE.toMillis());
            assertThat(other.said()).contains("another bridge works in namespace public");

            // The copies outlive a bridge that ends, until its next start.
            bridge.end();
            assertThat(instances(target)).hasSize(3);
            second.close();
            bridge("--interval", "1", "--both-ways");
            await().untilAsserted(() -> assertThat(instances(source))
                    .extracting(instance -> instance.key().ip())
                    .containsExactlyInAnyOrder("10.0.0.1", "10.0.0.3"));
            assertThat(instances(target)).hasSize(2);
        }
    }
}
