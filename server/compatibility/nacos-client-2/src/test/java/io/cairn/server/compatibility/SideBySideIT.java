package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.NamingEvent;
import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ConfigType;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.CairnClient;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceWatch;
import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The official client and Cairn's own in one process: neither meets the other's parts, and each sees the other's work. */
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
class SideBySideIT {

    private static CairnClient own(String address) {
        return CairnClient.builder()
                .servers(address)
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE)
                .build();
    }

    @Test
    void configurationsGoBothWays(CairnProcess server) throws Exception {
        try (CairnClient own = own(server.serverAddress());
                NacosClients official = new NacosClients(server.serverAddress())) {
            ConfigService nacos = official.open();
            ConfigKey key = own.configs().key("side-by-side");
            List<String> seenByNacos = new CopyOnWriteArrayList<>();
            List<String> seenByOwn = new CopyOnWriteArrayList<>();
            nacos.addListener("side-by-side", "DEFAULT_GROUP", new AbstractListener() {
                @Override
                public void receiveConfigInfo(String content) {
                    seenByNacos.add(content);
                }
            });
            try (ConfigWatch watch = own.configs().watch(key, content -> seenByOwn.add(content.text()))) {
                own.configs().publish(key, "a: 1", ConfigType.YAML);
                await().until(() -> seenByNacos.contains("a: 1") && seenByOwn.contains("a: 1"));
                assertThat(nacos.publishConfig("side-by-side", "DEFAULT_GROUP", "a: 2", "yaml"))
                        .isTrue();
                await().until(() -> seenByNacos.contains("a: 2") && seenByOwn.contains("a: 2"));
                assertThat(watch.current()).map(ConfigContent::type).contains(ConfigType.YAML);
                assertThat(nacos.getConfig("side-by-side", "DEFAULT_GROUP", 30_000))
                        .isEqualTo("a: 2");
            }
        }
    }

    @Test
    void instancesGoBothWays(CairnProcess server) throws Exception {
        try (CairnClient own = own(server.serverAddress());
                NamingClients official = new NamingClients(server.serverAddress())) {
            NamingService nacos = official.open();
            ServiceKey service = own.naming().service("side-by-side");
            List<Integer> seenByNacos = new CopyOnWriteArrayList<>();
            nacos.subscribe("side-by-side", event -> {
                seenByNacos.clear();
                ((NamingEvent) event).getInstances().forEach(instance -> seenByNacos.add(instance.getPort()));
            });
            try (ServiceWatch watch = own.naming().subscribe(service, change -> {})) {
                nacos.registerInstance("side-by-side", "10.0.0.1", 1);
                try (Registration registration = own.naming().register(service, Instance.of("10.0.0.1", 2))) {
                    await().until(() -> ports(watch).equals(List.of(1, 2))
                            && seenByNacos.stream().sorted().toList().equals(List.of(1, 2)));
                    assertThat(registration.instances()).hasSize(1);
                }
                await().until(() -> ports(watch).equals(List.of(1)) && seenByNacos.equals(List.of(1)));
            }
        }
    }

    /** The official clients mark what they have not sent: see {@link LostListensScenarios}. */
    @Test
    void ownClientLosesNoListensWithABrokenConnection(CairnProcess server) throws Exception {
        List<String> dataIds = ConfigScenarios.newDataIds(200);
        List<String> changed = dataIds.subList(0, 5);
        var http = new HttpListeners(server);
        Map<String, String> seen = new ConcurrentHashMap<>();
        try (FaultyNetwork network = FaultyNetwork.before(server);
                CairnClient writer = own(server.serverAddress());
                CairnClient reader = own(network.address())) {
            publish(writer, dataIds, "first");
            for (String dataId : dataIds) {
                reader.configs().watch(reader.configs().key(dataId), content -> seen.put(dataId, content.text()));
            }
            awaitSeen(seen, dataIds, "first");

            network.cut();
            publish(writer, changed, "second");
            CompletableFuture<Void> lost = network.loseNextListens();
            network.mend();
            lost.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            await().pollInterval(Duration.ofMillis(500)).until(() -> http.listened(dataIds) == dataIds.size());
            awaitSeen(seen, changed, "second");
            publish(writer, dataIds, "third");
            awaitSeen(seen, dataIds, "third");
            assertThat(network.seen(FaultyNetwork.RESET)).isZero();
        }
    }

    private static void publish(CairnClient writer, List<String> dataIds, String content) {
        dataIds.forEach(dataId -> writer.configs().publish(writer.configs().key(dataId), content));
    }

    private static void awaitSeen(Map<String, String> seen, List<String> dataIds, String content) {
        await().until(() -> dataIds.stream().map(seen::get).allMatch(content::equals));
    }

    private static List<Integer> ports(ServiceWatch watch) {
        return watch.current()
                .map(view -> view.instances().stream()
                        .map(instance -> instance.key().port())
                        .sorted()
                        .toList())
                .orElse(List.of());
    }
}
