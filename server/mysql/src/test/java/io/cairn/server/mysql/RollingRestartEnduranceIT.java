package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.testing.HangLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bar of a rolling restart: 300 clients over gRPC and 300 over HTTP, with the settings of production. */
@Tag("endurance")
class RollingRestartEnduranceIT {

    private static final int CLIENTS = 300;

    @TempDir
    Path folder;

    @Test
    @HangLimit
    void noCallFailsAndClientsAreSpreadAMinuteLater() {
        try (TestSchema schema = TestSchema.create(RollingRestartEnduranceIT.class);
                ClusterOfServers cluster = ClusterOfServers.start(3, schema, folder, RollingRestart.settings("30s"));
                RestartLoad load = new RestartLoad(cluster, CLIENTS, CLIENTS, 5_000)) {
            RollingRestart restart = new RollingRestart(cluster, load, Duration.ofMinutes(1));
            load.begin();
            Instant begin = Instant.now();
            restart.run();
            report("restarted in " + Duration.between(begin, Instant.now()) + ", connections " + restart.connections());
            Instant end = Instant.now();
            restart.awaitBalanced();
            report("after " + Duration.between(end, Instant.now()) + " connections " + restart.connections() + ", "
                    + load.calls() + " calls, " + load.moves() + " requests to move");
            restart.assertUnharmed();
            assertThat(load.areAllConnected()).isTrue();
        }
    }

    private static void report(String line) {
        System.out.println(Instant.now() + " rolling restart: " + line);
    }
}
