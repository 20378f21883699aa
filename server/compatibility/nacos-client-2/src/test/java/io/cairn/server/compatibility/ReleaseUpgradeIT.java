package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.server.nodes.DatabaseProcess;
import io.cairn.server.nodes.NodeProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A cluster of the last release, whose nodes are replaced one by one by nodes of this build, and one of them back. */
@Tag("upgrade")
class ReleaseUpgradeIT {
    private static final Logger log = LoggerFactory.getLogger(ReleaseUpgradeIT.class);
    private static final int NODES = 3;
    private static final String SCHEMA = "upgrade";
    private static final String NO_RELEASE = "No tag v* has a cluster, so there is no release to upgrade from";

    @Test
    void noClientNoticesTheUpgrade(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(DatabaseProcess.obstacle() == null, DatabaseProcess::obstacle);
        Optional<Path> release = LastRelease.distribution();
        if (release.isEmpty()) {
            log.warn(NO_RELEASE);
        }
        Assumptions.assumeTrue(release.isPresent(), NO_RELEASE);

        NodeProcess.Launcher older = PackedNode.of(release.get());
        AtomicReference<NodeProcess.Launcher> launcher = new AtomicReference<>(older);
        try (DatabaseProcess database = DatabaseProcess.runningWith(SCHEMA);
                ClusterOfProcesses cluster = ClusterOfProcesses.start(
                        folder,
                        database.access(SCHEMA),
                        (home, port, arguments) -> launcher.get().launch(home, port, arguments),
                        NODES);
                ClusterClients clients = new ClusterClients(
                        cluster,
                        (client, service, instances) ->
                                client.batchRegisterInstance(service, NamingScenarios.GROUP, instances))) {
            launcher.set(PackedNode.with());
            for (int node = 0; node < NODES; node++) {
                replace(cluster, node);
            }
            launcher.set(older);
            replace(cluster, 0);
            clients.assertWhole();
        }
    }

    private static void replace(ClusterOfProcesses cluster, int node) {
        cluster.stop(node);
        cluster.restart(node);
        HttpRequest readiness = HttpRequest.newBuilder(
                        URI.create("http://" + cluster.address(node) + "/nacos/v3/admin/core/state/readiness"))
                .build();
        NamingScenarios.patiently().untilAsserted(() -> assertThat(HttpClient.newHttpClient()
                        .send(readiness, BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200));
    }
}
