package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.testing.HangLimit;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A cluster is closed node by node, in the steps of the guide's page about logins in stages, while its clients call. */
@Tag("endurance")
public abstract class StagedClusterScenarios {
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String SERVICE = "staged-service";
    private static final String DATA_ID = "staged";
    private static final Set<Integer> PROVIDERS = Set.of(8080, 8081);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final Duration PUBLISH_PAUSE = Duration.ofSeconds(1);
    private static final List<String> ADMINISTRATION = List.of("--nacos.core.auth.admin.enabled=true");
    private static final List<String> REHEARSAL =
            List.of("--nacos.core.auth.admin.enabled=true", "--cairn.auth.rehearsal=true");
    private static final List<String> ALL = List.of("--nacos.core.auth.enabled=true");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    @Test
    @HangLimit
    void noCallFailsWhileAClusterIsClosedNodeByNode() throws Exception {
        List<String> settings = new CopyOnWriteArrayList<>();
        try (PackedCluster cluster =
                PackedCluster.start(folder, (home, port, arguments) -> PackedNode.with(settings.toArray(String[]::new))
                        .launch(home, port, arguments))) {
            ClusterOfProcesses nodes = cluster.nodes();
            StagedAdministration administration = new StagedAdministration(() -> nodes.address(0));
            restartAll(nodes, settings, ADMINISTRATION);
            administration.login(folder.resolve("node-0"));
            administration.createUser("orders");
            administration.grant("orders", "rw");
            Map<String, String> login =
                    Map.of(PropertyKeyConst.USERNAME, "orders", PropertyKeyConst.PASSWORD, "of-orders");
            List<NamingService> providers = new ArrayList<>();
            NamingService consumer = NamingClients.create(nodes.addresses(), login);
            List<SteadyCalls> callers = new ArrayList<>();
            try (NacosClients clients = new NacosClients(nodes.addresses())) {
                ConfigService configs = clients.open(login);
                for (int port : PROVIDERS) {
                    // A client of 2.x has one instance of a service.
                    NamingService provider = NamingClients.create(nodes.addresses(), login);
                    providers.add(provider);
                    provider.registerInstance(SERVICE, "10.0.0." + port % 100, port);
                }
                await().ignoreExceptions().until(() -> configs.publishConfig(DATA_ID, GROUP, "version 0"));
                await().ignoreExceptions().until(() -> ports(consumer).equals(PROVIDERS));
                callers.add(new SteadyCalls(new Reads(configs, consumer), PROVIDERS, PAUSE));
                callers.add(new SteadyCalls(new Publishes(configs), Set.of(), PUBLISH_PAUSE));

                restartAll(nodes, settings, REHEARSAL);
                assertThat(administration.listed())
                        .as("clients without a login")
                        .isEmpty();
                restartAll(nodes, settings, ALL);
                restartAll(nodes, settings, ALL);

                for (SteadyCalls caller : callers) {
                    assertThat(caller.violations()).isEmpty();
                    assertThat(caller.calls()).isGreaterThan(10);
                }
            } finally {
                callers.forEach(SteadyCalls::close);
                for (NamingService provider : providers) {
                    provider.shutDown();
                }
                consumer.shutDown();
            }
        }
    }

    private static void restartAll(ClusterOfProcesses nodes, List<String> settings, List<String> wanted) {
        settings.clear();
        settings.addAll(wanted);
        for (int node = 0; node < nodes.size(); node++) {
            nodes.stop(node);
            nodes.restart(node);
        }
    }

    private static Set<Integer> ports(NamingService of) {
        try {
            return of.getAllInstances(SERVICE, false).stream()
                    .map(Instance::getPort)
                    .collect(Collectors.toSet());
        } catch (Exception e) {
            throw new IllegalStateException("The list was refused", e);
        }
    }

    private record Reads(ConfigService configs, NamingService registry) implements CallingConsumer {

        @Override
        public void call() throws Exception {
            assertThat(configs.getConfig(DATA_ID, GROUP, 5_000)).startsWith("version ");
        }

        @Override
        public Set<Integer> listed() {
            return ports(registry);
        }
    }

    private record Publishes(ConfigService configs, AtomicInteger version) implements CallingConsumer {

        Publishes(ConfigService configs) {
            this(configs, new AtomicInteger());
        }

        @Override
        public void call() throws Exception {
            assertThat(configs.publishConfig(DATA_ID, GROUP, "version " + version.incrementAndGet()))
                    .as("published")
                    .isTrue();
        }

        @Override
        public Set<Integer> listed() {
            return Set.of();
        }
    }
}
