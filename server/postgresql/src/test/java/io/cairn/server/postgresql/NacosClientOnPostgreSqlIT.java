package io.cairn.server.postgresql;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.NacosFactory;
import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.ConfigType;
import com.alibaba.nacos.api.config.listener.Listener;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.CairnServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The official client of generation 2 does what it does, with PostgreSQL behind the server. */
class NacosClientOnPostgreSqlIT {

    private static final String GROUP = "DEFAULT_GROUP";
    private static final long TIMEOUT_MILLIS = PATIENCE.toMillis();

    @TempDir
    static Path home;

    private static TestSchema schema;
    private static CairnServer server;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(NacosClientOnPostgreSqlIT.class);
        server = launch();
    }

    private static CairnServer launch() {
        return schema.serverAt(home).start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (schema != null) {
            schema.close();
        }
    }

    private static Properties properties(String namespace) {
        Properties properties = new Properties();
        properties.setProperty(PropertyKeyConst.SERVER_ADDR, "127.0.0.1:" + server.httpPort());
        properties.setProperty(PropertyKeyConst.NAMESPACE, namespace);
        return properties;
    }

    @Test
    void itPublishesReadsListensComparesAndRemoves() throws Exception {
        for (String namespace : List.of("", "dev")) {
            ConfigService configs = NacosFactory.createConfigService(properties(namespace));
            try {
                BlockingQueue<String> heard = new LinkedBlockingQueue<>();
                configs.addListener("a.yaml", GROUP, new Queueing(heard));
                assertThat(configs.getConfig("a.yaml", GROUP, TIMEOUT_MILLIS)).isNull();

                assertThat(configs.publishConfig("a.yaml", GROUP, "größe: 1 🚀", ConfigType.YAML.getType()))
                        .isTrue();
                assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("größe: 1 🚀");
                assertThat(configs.getConfig("a.yaml", GROUP, TIMEOUT_MILLIS)).isEqualTo("größe: 1 🚀");

                String stale = "00000000000000000000000000000000";
                assertThat(configs.publishConfigCas("a.yaml", GROUP, "lost", stale))
                        .isFalse();
                assertThat(configs.publishConfig("a.yaml", GROUP, "größe: 2")).isTrue();
                assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("größe: 2");
                String tenant = schema.query("SELECT tenant_id, content, type FROM config_info WHERE tenant_id = '"
                                + namespace + "'")
                        .toString();
                assertThat(tenant).isEqualTo("[[" + namespace + ", größe: 2, text]]");

                assertThat(configs.removeConfig("a.yaml", GROUP)).isTrue();
                assertThat(configs.getConfig("a.yaml", GROUP, TIMEOUT_MILLIS)).isNull();
                assertThat(schema.query("SELECT op_type FROM his_config_info WHERE tenant_id = '" + namespace
                                + "' ORDER BY nid"))
                        .extracting(row -> row.get(0).trim())
                        .containsExactly("I", "U", "D");
            } finally {
                configs.shutDown();
            }
        }
    }

    @Test
    void itRegistersAndSubscribes() throws Exception {
        NamingService naming = NacosFactory.createNamingService(properties(""));
        try {
            BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
            naming.subscribe("shop", event -> heard.add(1));
            naming.registerInstance("shop", "10.0.0.1", 8080);
            assertThat(heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
            await().untilAsserted(() -> assertThat(naming.getAllInstances("shop"))
                    .extracting(Instance::getIp)
                    .containsExactly("10.0.0.1"));
            Instance lasting = new Instance();
            lasting.setIp("10.0.0.2");
            lasting.setPort(80);
            lasting.setEphemeral(false);
            naming.registerInstance("stored", lasting);
            await().untilAsserted(() ->
                    assertThat(schema.query("SELECT ip FROM cairn_instance")).containsExactly(List.of("10.0.0.2")));
            naming.deregisterInstance("shop", "10.0.0.1", 8080);
            await().untilAsserted(
                            () -> assertThat(naming.getAllInstances("shop")).isEmpty());
        } finally {
            naming.shutDown();
        }
    }

    private record Queueing(BlockingQueue<String> heard) implements Listener {

        @Override
        public Executor getExecutor() {
            return Runnable::run;
        }

        @Override
        public void receiveConfigInfo(String content) {
            heard.add(content);
        }
    }
}
