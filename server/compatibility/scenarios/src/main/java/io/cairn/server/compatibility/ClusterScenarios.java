package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.nodes.ClusterOfProcesses;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients with three addresses register, subscribe, publish and listen, while a node fails. No list is shorter, no acknowledged
 * publish is lost, and each listener receives missed changes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ClusterScenarios {
    private static final Pattern CONNECTIONS = Pattern.compile("\"connections\":(\\d+)");

    /** The hold of a killed node's instances: its clients must connect elsewhere in time, also on a busy machine. */
    private static final Duration WINDOW = PATIENCE.dividedBy(3);
    /** The others detect a hang after 7.5 to 9 s, and keep the instances for the window. */
    private static final Duration HANGS = WINDOW.plusSeconds(10);

    private PackedCluster packed;
    private ClusterOfProcesses cluster;

    @BeforeAll
    void startCluster(@TempDir Path folder) {
        packed = PackedCluster.start(folder, "--cairn.naming.recovery-window=" + WINDOW.toSeconds() + "s");
        cluster = packed.nodes();
    }

    @AfterAll
    void endCluster() {
        if (packed != null) {
            packed.close();
        }
    }

    /** Publishes all these instances of one service by one client. */
    void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
        client.batchRegisterInstance(service, NamingScenarios.GROUP, instances);
    }

    @Test
    void clientsSurviveAKilledNode() throws Exception {
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll)) {
            int node = mostConnected();
            cluster.kill(node);
            clients.assertNotifiedOfTheNextPublish();
            pass(WINDOW.plusSeconds(1));
            cluster.restart(node);
            clients.assertWhole();
        }
    }

    @Test
    @Tag("endurance")
    void nodeHangs() throws Exception {
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll)) {
            int node = mostConnected();
            cluster.pause(node);
            pass(HANGS);
            cluster.resume(node);
            clients.assertWhole();
        }
    }

    @Test
    @Tag("endurance")
    void clientsSurviveAStoppedNode() throws Exception {
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll)) {
            int node = mostConnected();
            cluster.stop(node);
            clients.assertNotifiedOfTheNextPublish();
            cluster.restart(node);
            clients.assertWhole();
        }
    }

    private int mostConnected() {
        return IntStream.range(0, cluster.size())
                .boxed()
                .max(Comparator.comparingInt(this::connections))
                .orElseThrow();
    }

    private int connections(int node) {
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + cluster.address(node) + "/nacos/v3/admin/core/cluster/node/self"))
                .build();
        try {
            String self = HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofString())
                    .body();
            Matcher connections = CONNECTIONS.matcher(self);
            assertThat(connections.find()).as("connections in %s", self).isTrue();
            return Integer.parseInt(connections.group(1));
        } catch (IOException e) {
            throw new AssertionError("node " + node, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void pass(Duration time) {
        long began = System.nanoTime();
        NamingScenarios.patiently(time.plus(PATIENCE)).until(() -> System.nanoTime() - began > time.toNanos());
    }
}
