package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.nodes.ClusterOfProcesses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Clients of all nodes: providers, consumers with watched lists, publishers and listeners. */
final class ClusterClients implements AutoCloseable {
    private static final int CLIENTS = 3;
    private static final int LISTENED = 2;

    private final ClusterOfProcesses cluster;
    private final NamingClients naming;
    private final NacosClients configs;
    private final Map<String, List<Instance>> living = new HashMap<>();
    private final List<AvailabilityProbe> probes = new ArrayList<>();
    private final List<VersionListener> listeners = new ArrayList<>();
    private final List<VersionPublisher> publishers = new ArrayList<>();

    /** How a client publishes several instances of one service. */
    interface Registration {
        void register(NamingService client, String service, List<Instance> instances) throws NacosException;
    }

    /** Returns when each client has all instances and receives publishes. */
    ClusterClients(ClusterOfProcesses cluster, Registration registration) throws NacosException {
        this.cluster = cluster;
        naming = new NamingClients(cluster.addresses());
        configs = new NacosClients(cluster.addresses());
        String alone = NamingScenarios.newService();
        String crowded = NamingScenarios.newService();
        List<Instance> crowd = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            NamingService provider = naming.open();
            List<Instance> several = NamingScenarios.newInstances(2);
            registration.register(provider, crowded, several);
            crowd.addAll(several);
            if (i == 0) {
                Instance single = NamingScenarios.newInstance();
                provider.registerInstance(alone, NamingScenarios.copy(single));
                living.put(alone, List.of(single));
            }
        }
        living.put(crowded, crowd);
        for (int node = 0; node < cluster.size(); node++) {
            int index = node;
            NamingScenarios.patiently()
                    .untilAsserted(() -> assertThat(missing(index)).isEmpty());
        }
        for (int i = 0; i < CLIENTS; i++) {
            probes.add(new AvailabilityProbe(cluster.address(i % cluster.size()), naming.open(), living));
            publishers.add(new VersionPublisher(configs.open(), ConfigScenarios.newDataIds(LISTENED)));
        }
        List<String> listened = publishers.stream()
                .flatMap(publisher -> publisher.listened().stream())
                .toList();
        for (ConfigService client : configs.open(CLIENTS)) {
            listeners.add(new VersionListener(client, listened));
        }
        probes.forEach(AvailabilityProbe::awaitAll);
        probes.forEach(AvailabilityProbe::probeHealth);
        publishers.forEach(VersionPublisher::start);
        NamingScenarios.patiently().untilAsserted(() -> assertThat(listeners)
                .allSatisfy(listener -> assertThat(listener.newest().keySet()).containsAll(listened)));
    }

    /** The instances, with their services, that a node does not list. */
    private List<String> missing(int node) throws Exception {
        HttpInstances http = new HttpInstances(cluster.address(node));
        List<String> missing = new ArrayList<>();
        for (var service : living.entrySet()) {
            List<String> listed = http.addresses(service.getKey());
            NamingScenarios.addresses(service.getValue()).stream()
                    .filter(instance -> !listed.contains(instance))
                    .forEach(instance -> missing.add(service.getKey() + ' ' + instance));
        }
        return missing;
    }

    /**
     * Publishes with each publisher, with retries, and awaits each listener. A client that has lost a listen does nothing for five
     * minutes; the server must have restored it by then ({@code LostListens}).
     */
    void assertNotifiedOfTheNextPublish() throws Exception {
        for (VersionPublisher publisher : publishers) {
            publisher.pause();
            Map<String, Integer> published = publisher.publishEach();
            for (VersionListener listener : listeners) {
                NamingScenarios.patiently().untilAsserted(() -> assertThat(listener.newest())
                        .as("newest versions of a listener whose client is %s", listener.status())
                        .containsAllEntriesOf(published));
            }
            publisher.resume();
        }
    }

    /**
     * Asserts that all nodes always listed all instances, that they show the acknowledged contents, and that each listener has the
     * newest. Ends the publishers.
     */
    void assertWhole() throws Exception {
        assertNotifiedOfTheNextPublish();
        int acknowledged = 0;
        for (VersionPublisher publisher : publishers) {
            publisher.pause();
            acknowledged += publisher.acknowledged().size();
            for (int node : IntStream.range(0, cluster.size()).toArray()) {
                HttpConfigs http = new HttpConfigs(cluster.address(node));
                for (var config : publisher.acknowledged().entrySet()) {
                    assertShown(http, config.getKey(), config.getValue().toString());
                }
            }
        }
        assertThat(acknowledged).as("acknowledged publishes").isGreaterThan(10);
        Map<Integer, List<String>> missing = new TreeMap<>();
        for (int node = 0; node < cluster.size(); node++) {
            missing.put(node, missing(node));
        }
        assertThat(missing.values())
                .as("instances that nodes do not list: %s; %s", missing, cluster.output())
                .allSatisfy(each -> assertThat(each).isEmpty());
        probes.forEach(AvailabilityProbe::assertNothingMissed);
    }

    private static void assertShown(HttpConfigs http, String dataId, String version) throws Exception {
        if (!http.get(dataId, ConfigScenarios.GROUP).body().equals(version)) {
            NamingScenarios.patiently().untilAsserted(() -> assertThat(
                            http.get(dataId, ConfigScenarios.GROUP).body())
                    .as(dataId)
                    .isEqualTo(version));
        }
    }

    @Override
    public void close() {
        publishers.forEach(VersionPublisher::close);
        probes.forEach(AvailabilityProbe::close);
        naming.close();
        configs.close();
    }
}
