package io.cairn.junit.jupiter6;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractListener;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.NamingEvent;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.junit.CairnConfig;
import io.cairn.junit.CairnTest;
import io.cairn.junit.CairnTestServer;
import java.net.URL;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@CairnTest
@CairnConfig(dataId = "orders.yaml", content = "timeout: 3s")
class NacosClientIT {

    @Test
    void anOfficialClientReadsAndWatchesConfigurations(CairnTestServer cairn) throws Exception {
        ConfigService configs = NacosFactory.createConfigService(cairn.address());
        try {
            CompletableFuture<String> heard = new CompletableFuture<>();
            String first =
                    configs.getConfigAndSignListener("orders.yaml", "DEFAULT_GROUP", 30_000, new AbstractListener() {
                        @Override
                        public void receiveConfigInfo(String content) {
                            heard.complete(content);
                        }
                    });
            assertThat(first).isEqualTo("timeout: 3s");

            cairn.publish("orders.yaml", "DEFAULT_GROUP", "timeout: 5s");

            assertThat(heard.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("timeout: 5s");
        } finally {
            configs.shutDown();
        }
    }

    @Test
    void anOfficialClientFindsTheInstanceOfAnother(CairnTestServer cairn) throws Exception {
        NamingService consumer = NacosFactory.createNamingService(cairn.address());
        NamingService provider = NacosFactory.createNamingService(cairn.address());
        try {
            CompletableFuture<List<Instance>> heard = new CompletableFuture<>();
            consumer.subscribe("orders", event -> {
                List<Instance> instances = ((NamingEvent) event).getInstances();
                if (!instances.isEmpty()) {
                    heard.complete(instances);
                }
            });

            provider.registerInstance("orders", "10.0.0.5", 8080);

            assertThat(heard.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .singleElement()
                    .extracting(Instance::getIp)
                    .isEqualTo("10.0.0.5");
        } finally {
            provider.shutDown();
            consumer.shutDown();
        }
    }

    @Test
    void theExtensionIsTheOneOutOfTheJarOnTheNewestJUnit() {
        URL extension = CairnTest.class.getProtectionDomain().getCodeSource().getLocation();
        URL jupiter = Test.class.getProtectionDomain().getCodeSource().getLocation();

        assertThat(extension.getPath()).endsWith(".jar");
        assertThat(jupiter.getPath()).contains("junit-jupiter-api-6.");
    }

    @Test
    void theClassesOfTheServerAreNotSeenByTheTests() {
        for (String name : List.of(
                "io.cairn.server.CairnServer",
                "org.springframework.boot.SpringApplication",
                "io.netty.buffer.ByteBuf")) {
            assertThatThrownBy(() -> Class.forName(name)).isInstanceOf(ClassNotFoundException.class);
        }
    }
}
