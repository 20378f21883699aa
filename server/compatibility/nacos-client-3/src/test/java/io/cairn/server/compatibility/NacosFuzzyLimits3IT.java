package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.ConfigFuzzyWatchChangeEvent;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.FuzzyWatchChangeEvent;
import io.cairn.server.process.CairnProcess;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The callbacks of a client of generation 3 when its watches exceed a limit of the server: two patterns, and three
 * names each. Each test has its own server: a client that was notified of one limit reports no other limit for a
 * minute, so the watches of a client that is being closed must not disturb the next test.
 */
@Tag("full")
@Execution(ExecutionMode.SAME_THREAD) // one server at a time
class NacosFuzzyLimits3IT {

    private static final String GROUP = "DEFAULT_GROUP";

    private CairnProcess server;
    private NacosClients configs;
    private NamingClients services;

    @BeforeEach
    void start() {
        server = CairnProcess.builder()
                .setting("nacos.config.fuzzy.watch.max.pattern.count", 2)
                .setting("nacos.config.fuzzy.watch.max.pattern.match.config.count", 3)
                .setting("nacos.naming.fuzzy.watch.max.pattern.count", 2)
                .setting("nacos.naming.fuzzy.watch.max.pattern.match.service.count", 3)
                .start();
        configs = new NacosClients(server.serverAddress());
        services = new NamingClients(server.serverAddress());
    }

    @AfterEach
    void stop() {
        configs.close();
        services.close();
        server.close();
    }

    @Test
    void notifiesAConfigWatcherOfThePatternLimit() throws Exception {
        ConfigService reader = configReader();
        var fitting = new ConfigWatcher();
        var surplus = new ConfigWatcher();
        reader.fuzzyWatch("too-many-a*", GROUP, fitting);
        reader.fuzzyWatch("too-many-b*", GROUP, fitting);
        configs.open().publishConfig("too-many-a1", GROUP, "a: 1");
        configs.open().publishConfig("too-many-b1", GROUP, "a: 1");
        patiently(() ->
                assertThat(fitting.told).containsExactlyInAnyOrder("ADD_CONFIG too-many-a1", "ADD_CONFIG too-many-b1"));

        reader.fuzzyWatch("too-many-c*", GROUP, surplus);

        patiently(() -> assertThat(surplus.told).containsExactly("pattern over limit"));
        configs.open().publishConfig("too-many-a2", GROUP, "a: 1");
        patiently(() -> assertThat(fitting.told)
                .as("watches within the limit continue")
                .containsExactlyInAnyOrder(
                        "ADD_CONFIG too-many-a1", "ADD_CONFIG too-many-b1", "ADD_CONFIG too-many-a2"));
    }

    @Test
    void notifiesAConfigWatcherOfTheMatchLimit() throws Exception {
        ConfigService publisher = configs.open();
        for (int i = 1; i <= 5; i++) {
            publisher.publishConfig("crowd-" + i, GROUP, "a: 1");
        }
        var watcher = new ConfigWatcher();

        configReader().fuzzyWatch("crowd-*", GROUP, watcher);

        patiently(() -> assertThat(watcher.told).contains("up to limit"));
        patiently(() -> assertThat(watcher.told.stream().filter(told -> told.startsWith("ADD_CONFIG crowd-")))
                .hasSize(3)
                .doesNotHaveDuplicates());
    }

    @Test
    void notifiesAServiceWatcherOfThePatternLimit() throws Exception {
        NamingService consumer = services.open();
        var fitting = new ServiceWatcher();
        var surplus = new ServiceWatcher();
        consumer.fuzzyWatch("too-many-a*", GROUP, fitting);
        consumer.fuzzyWatch("too-many-b*", GROUP, fitting);
        NamingService provider = services.open();
        provider.registerInstance("too-many-a1", GROUP, "10.1.1.1", 8080);
        provider.registerInstance("too-many-b1", GROUP, "10.1.1.1", 8080);
        patiently(() -> assertThat(fitting.told)
                .containsExactlyInAnyOrder("ADD_SERVICE too-many-a1", "ADD_SERVICE too-many-b1"));

        consumer.fuzzyWatch("too-many-c*", GROUP, surplus);

        patiently(() -> assertThat(surplus.told).containsExactly("pattern over limit"));
    }

    @Test
    void notifiesAServiceWatcherOfTheMatchLimit() throws Exception {
        NamingService provider = services.open();
        for (int i = 1; i <= 5; i++) {
            provider.registerInstance("crowd-" + i, GROUP, "10.1.1.1", 8080);
        }
        var watcher = new ServiceWatcher();

        services.open().fuzzyWatch("crowd-*", GROUP, watcher);

        patiently(() -> assertThat(watcher.told).contains("up to limit"));
        patiently(() -> assertThat(watcher.told.stream().filter(told -> told.startsWith("ADD_SERVICE crowd-")))
                .hasSize(3)
                .doesNotHaveDuplicates());
    }

    /** With two processors the client has no worker thread for such watches unless a setting adds one. */
    private ConfigService configReader() throws Exception {
        return configs.open(Map.of(PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "8"));
    }

    private static void patiently(Runnable assertion) {
        Awaitility.await().untilAsserted(assertion::run);
    }

    private static final class ConfigWatcher
            extends com.alibaba.nacos.api.config.listener.AbstractFuzzyWatchEventWatcher
            implements com.alibaba.nacos.api.config.listener.FuzzyWatchLoadWatcher {

        private final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(ConfigFuzzyWatchChangeEvent event) {
            told.add(event.getChangedType() + " " + event.getDataId());
        }

        @Override
        public void onPatternOverLimit() {
            told.add("pattern over limit");
        }

        @Override
        public void onConfigReachUpLimit() {
            told.add("up to limit");
        }
    }

    private static final class ServiceWatcher
            extends com.alibaba.nacos.api.naming.listener.AbstractFuzzyWatchEventWatcher
            implements com.alibaba.nacos.api.naming.listener.FuzzyWatchLoadWatcher {

        private final List<String> told = new CopyOnWriteArrayList<>();

        @Override
        public void onEvent(FuzzyWatchChangeEvent event) {
            told.add(event.getChangeType() + " " + event.getServiceName());
        }

        @Override
        public void onPatternOverLimit() {
            told.add("pattern over limit");
        }

        @Override
        public void onServiceReachUpLimit() {
            told.add("up to limit");
        }
    }
}
