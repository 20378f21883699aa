package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.cli.migrate.Bridge;
import io.cairn.cli.migrate.ConfigPass;
import io.cairn.cli.migrate.ConfigPlan;
import io.cairn.cli.migrate.ConfigState;
import io.cairn.cli.migrate.ConfigStore;
import io.cairn.cli.migrate.ConflictRule;
import io.cairn.cli.migrate.Follow;
import io.cairn.cli.migrate.GrayRelease;
import io.cairn.cli.migrate.Journal;
import io.cairn.cli.migrate.Origin;
import io.cairn.cli.migrate.Pace;
import io.cairn.cli.migrate.Report;
import io.cairn.cli.migrate.ServiceStore;
import io.cairn.cli.migrate.Side;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.Registration;
import io.cairn.server.CairnServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A bridge both ways to a running Nacos 2.x or 3.x without login: {@code -Dcairn.test.nacos=host:port}. */
@EnabledIfSystemProperty(named = "cairn.test.nacos", matches = ".+")
class MigrateNacosIT {

    private static final String NACOS = System.getProperty("cairn.test.nacos", "");
    private static final int SERVICES = Integer.getInteger("cairn.test.nacos.services", 20);
    private static final int CONFIGS = Integer.getInteger("cairn.test.nacos.configs", 100);

    private final Namespace namespace = new Namespace("m-" + UUID.randomUUID());

    private static BridgeServer server(String address) {
        return new BridgeServer(
                "--from",
                () -> new Api("http://" + address + "/nacos", Duration.ofSeconds(30), null),
                new Pace(10_000));
    }

    private static BridgeClients clients(String address) {
        return new BridgeClients(() -> CairnClient.builder().servers(address));
    }

    private CairnClient client(String address) {
        return CairnClient.builder()
                .servers(address)
                .namespace(namespace.id())
                .noSnapshots()
                .build();
    }

    private ConfigState config(int number, String content, String description) {
        List<GrayRelease> grays = number == 0
                ? List.of(new GrayRelease(GrayRelease.BETA, GrayRelease.BETA, "10.0.0.1,10.0.0.2", "beta"))
                : List.of();
        return new ConfigState(
                new ConfigKey(namespace, "G", "c-" + number + ".yaml"),
                content,
                "yaml",
                description,
                "t1,t2",
                "orders",
                "",
                grays,
                true,
                0);
    }

    private static boolean shows(ServiceStore store, ServiceKey key, List<Instance> wanted) {
        List<Instance> shown = store.read(key).instances();
        return shown.size() == wanted.size()
                && wanted.stream().allMatch(instance -> shown.stream()
                        .anyMatch(each -> each.key().equals(instance.key())
                                && each.weight() == instance.weight()
                                && each.enabled() == instance.enabled()
                                && each.metadata()
                                        .entrySet()
                                        .containsAll(instance.metadata().entrySet())));
    }

    @Test
    void connectsANacosBothWays() throws Exception {
        try (CairnServer cairn = CairnServer.builder().temporary().start();
                BridgeClients atNacos = clients(NACOS);
                BridgeClients atCairn = clients(cairn.address());
                CairnClient old = client(NACOS);
                CairnClient young = client(cairn.address())) {
            BridgeServer nacosServer = server(NACOS);
            BridgeServer cairnServer = server(cairn.address());
            ConfigStore nacosConfigs = nacosServer.configs(List.of());
            ConfigStore cairnConfigs = cairnServer.configs(List.of());
            for (int i = 0; i < CONFIGS; i++) {
                assertThat(nacosConfigs.write(config(i, "a: " + i, "about"), Optional.empty()))
                        .isTrue();
            }
            for (int i = 0; i < SERVICES; i++) {
                old.naming().registerAll(old.naming().service("s-" + i), instances(i));
            }

            Report report = new Report(decision -> {});
            Journal journal = Journal.inMemory();
            ServiceStore nacosServices = new BridgeServices(nacosServer, atNacos);
            ServiceStore cairnServices = new BridgeServices(cairnServer, atCairn);
            Bridge bridge = new Bridge(
                    new ConfigPass(
                            nacosConfigs,
                            cairnConfigs,
                            new ConfigPlan(true, ConflictRule.NEWEST),
                            journal,
                            report,
                            false),
                    List.of(namespace),
                    Follow.every(Duration.ofSeconds(2)),
                    report,
                    notice -> {});
            bridge.follow(
                    Map.of(Side.SOURCE, nacosServices, Side.TARGET, cairnServices),
                    Map.of(Side.SOURCE, NACOS, Side.TARGET, cairn.address()),
                    true,
                    journal,
                    "test",
                    false);
            Thread thread = new Thread(() -> {
                try {
                    bridge.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            thread.start();
            try {
                follow(nacosConfigs, cairnConfigs);
                services(nacosServices, cairnServices, old, young);
                assertThat(report.open()).isEmpty();
            } finally {
                thread.interrupt();
                thread.join();
            }
        }
    }

    private static List<Instance> instances(int service) {
        return List.of(
                Instance.of("10.1." + service / 200 + "." + service % 200, 81).withMetadata(Map.of("zone", "a")),
                Instance.of("10.1." + service / 200 + "." + service % 200, 82).withWeight(3),
                Instance.of("10.1." + service / 200 + "." + service % 200, 83).withEnabled(false));
    }

    private void follow(ConfigStore nacos, ConfigStore cairn) {
        for (int i = 0; i < CONFIGS; i++) {
            ConfigState wanted = config(i, "a: " + i, "about");
            await().until(() ->
                    cairn.read(wanted.key()).filter(wanted::isSameAs).isPresent());
        }
        ConfigState changed = config(1, "a: changed", "about");
        assertThat(cairn.write(changed, cairn.read(changed.key()))).isTrue();
        await().until(() -> nacos.read(changed.key()).filter(changed::isSameAs).isPresent());
        nacos.delete(changed.key());
        await().until(() -> cairn.read(changed.key()).isEmpty());
    }

    private void services(ServiceStore nacos, ServiceStore cairn, CairnClient old, CairnClient young) {
        for (int i = 0; i < SERVICES; i++) {
            ServiceKey key = young.naming().service("s-" + i);
            List<Instance> wanted = instances(i);
            await().until(() -> shows(cairn, key, wanted));
        }
        ServiceKey moving = young.naming().service("s-0");
        List<Instance> wanted = instances(0);
        try (Registration moved = young.naming().registerAll(moving, wanted)) {
            await().until(() -> shows(cairn, moving, moved.instances())
                    && cairn.read(moving).instances().stream().noneMatch(Origin::isCopy));
            wanted.forEach(instance -> old.naming().deregister(moving, instance.key()));
            await().until(() -> shows(nacos, moving, wanted)
                    && nacos.read(moving).instances().stream().allMatch(Origin::isCopy));
            assertThat(shows(cairn, moving, wanted)).isTrue();
        }
    }
}
