package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import io.cairn.testing.HangLimit;
import io.cairn.testing.Patience;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A bridge with 10,000 copies at rest. */
@Tag("endurance")
class MigrationCost2IT {

    private static final int SERVICES = 1_000;
    private static final int INSTANCES = 10;
    private static final Duration MEASURED = Duration.ofSeconds(60);
    private static final double MOST_OF_A_CORE = 0.02;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    @HangLimit
    void restsWithTenThousandCopies() throws Exception {
        try (NacosProcess nacos = NacosProcess.start(NacosProcess.Release.NACOS_2_5, folder.resolve("nacos"), false);
                CairnProcess cairn = CairnProcess.builder().start();
                NamingClients clients = new NamingClients(nacos.address());
                MigrationSide target = new MigrationSide("Cairn", cairn.serverAddress())) {
            NamingService provider = clients.open();
            for (int service = 0; service < SERVICES; service++) {
                provider.batchRegisterInstance("cost-" + service, "DEFAULT_GROUP", instances(service));
            }
            Path journal = Files.createDirectory(folder.resolve("bridge"));
            try (MigrationBridge bridge = MigrationBridge.follow(journal, nacos.address(), cairn.serverAddress(), 10)) {
                for (int service = 0; service < SERVICES; service++) {
                    String name = "cost-" + service;
                    await().atMost(Patience.START)
                            .until(() -> target.ports(name).size() == INSTANCES);
                }
                Duration before = cpu(bridge);
                Pace pace = new Pace(MEASURED);
                pace.await();
                double share = (double) cpu(bridge).minus(before).toNanos()
                        / pace.elapsed().toNanos();
                System.out.printf(
                        "%d copies at rest: %.2f %% of a core, %s%n",
                        SERVICES * INSTANCES, 100 * share, memory(bridge));
                assertThat(share).as("share of a core").isLessThan(MOST_OF_A_CORE);
            }
        }
    }

    private static List<Instance> instances(int service) {
        List<Instance> instances = new ArrayList<>();
        for (int port = 0; port < INSTANCES; port++) {
            Instance instance = new Instance();
            instance.setIp(MovingFleet.ip(service));
            instance.setPort(8080 + port);
            instances.add(instance);
        }
        return instances;
    }

    private static Duration cpu(MigrationBridge bridge) {
        return ProcessHandle.of(bridge.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow();
    }

    private static String memory(MigrationBridge bridge) throws IOException {
        return Files.readAllLines(Path.of("/proc", String.valueOf(bridge.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmRSS"))
                .findAny()
                .orElseThrow();
    }
}
