package io.cairn.server.compatibility;

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
 * Clients that are given the addresses of three nodes register, subscribe, publish and listen, while one of the nodes fails. No list is
 * shorter meanwhile, no acknowledged publish is lost, and each listener is notified of what it missed.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ClusterScenarios {
    private static final Pattern CONNECTIONS = Pattern.compile("\"connections\":(\\d+)");

    /** The other nodes keep the instances of a killed node so long: shorter than by default, because the test waits for its end. */
    private static final Duration WINDOW = Duration.ofSeconds(10);
    /** The others notice a node that hangs after 7.5 to 9 s, and keep its instances for the window. */
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

    /** Has one client publish all these instances of one service. */
    void registerAll(NamingService client, String service, List<Instance> instances) throws NacosException {
        client.batchRegisterInstance(service, NamingScenarios.GROUP, instances);
    }

    /** For so long a client that has lost its node may do nothing about its listens, and shows no sign of it. */
    abstract Duration pauseAfterLoss();

    @Test
    void clientsSurviveAKilledNode() throws Exception {
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll, pauseAfterLoss())) {
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
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll, pauseAfterLoss())) {
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
        try (ClusterClients clients = new ClusterClients(cluster, this::registerAll, pauseAfterLoss())) {
            int node = mostConnected();
            cluster.stop(node);
            clients.assertNotifiedOfTheNextPublish();
            cluster.restart(node);
            clients.assertWhole();
        }
    }

    /** The node to which most clients are connected over gRPC; any node when they use HTTP. */
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

    /** Lets the clients do what they do for that time. */
    private static void pass(Duration time) {
        long began = System.nanoTime();
        NamingScenarios.patiently(time.plus(NamingScenarios.PATIENCE))
                .until(() -> System.nanoTime() - began > time.toNanos());
    }
}
