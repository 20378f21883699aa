package io.cairn.server.compatibility;

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
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The official client and Cairn's own in one process: neither meets the other's parts, and each sees the other's work. */
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
class SideBySideIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static CairnClient own(CairnProcess server) {
        return CairnClient.builder()
                .servers(server.serverAddress())
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE)
                .build();
    }

    @Test
    void configurationsGoBothWays(CairnProcess server) throws Exception {
        try (CairnClient own = own(server);
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
                await().atMost(PATIENCE).until(() -> seenByNacos.contains("a: 1") && seenByOwn.contains("a: 1"));
                assertThat(nacos.publishConfig("side-by-side", "DEFAULT_GROUP", "a: 2", "yaml"))
                        .isTrue();
                await().atMost(PATIENCE).until(() -> seenByNacos.contains("a: 2") && seenByOwn.contains("a: 2"));
                assertThat(watch.current()).map(ConfigContent::type).contains(ConfigType.YAML);
                assertThat(nacos.getConfig("side-by-side", "DEFAULT_GROUP", 30_000))
                        .isEqualTo("a: 2");
            }
        }
    }

    @Test
    void instancesGoBothWays(CairnProcess server) throws Exception {
        try (CairnClient own = own(server);
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
                    await().atMost(PATIENCE)
                            .until(() -> ports(watch).equals(List.of(1, 2))
                                    && seenByNacos.stream().sorted().toList().equals(List.of(1, 2)));
                    assertThat(registration.instances()).hasSize(1);
                }
                await().atMost(PATIENCE).until(() -> ports(watch).equals(List.of(1)) && seenByNacos.equals(List.of(1)));
            }
        }
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
