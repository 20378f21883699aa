package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.nodes.ClusterOfProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Clients of all nodes of a cluster: providers, consumers whose lists are watched all the time, publishers and listeners. */
final class ClusterClients implements AutoCloseable {
    private static final int CLIENTS = 3;
    private static final int LISTENED = 2;
    /** The time in which a listener that is connected is notified of the newest version. */
    private static final Duration TOLD_WITHIN = Duration.ofSeconds(3);
    /** A node that runs again shows all publishes within 1 s; with more time, because other work runs on the machine of a build. */
    private static final Duration SHOWN_WITHIN = Duration.ofSeconds(4);
    /** More time for each of them, because other work runs on the machine of a build. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    /**
     * For so long a client over gRPC may be behind whose connection broke during a listen, see {@code LostListens}: its new node asks after
     * 6 s, and again after 2 s, before it has the client connect anew.
     */
    static final Duration UNTIL_LISTENS_ARE_HEALED = Duration.ofSeconds(9);

    private final ClusterOfProcesses cluster;
    private final Duration pauseAfterLoss;
    private final NamingClients naming;
    private final NacosClients configs;
    private final Map<String, List<Instance>> living = new HashMap<>();
    private final List<AvailabilityProbe> probes = new ArrayList<>();
    private final List<VersionListener> listeners = new ArrayList<>();
    private final List<VersionPublisher> publishers = new ArrayList<>();

    /** The call by which a client publishes several instances of one service. */
    interface Registration {
        void register(NamingService client, String service, List<Instance> instances) throws NacosException;
    }

    /**
     * Returns when each client knows all instances and hears of publishes.
     *
     * @param pauseAfterLoss for which a client that has lost its node may do nothing about its listens
     */
    ClusterClients(ClusterOfProcesses cluster, Registration registration, Duration pauseAfterLoss)
            throws NacosException {
        this.cluster = cluster;
        this.pauseAfterLoss = pauseAfterLoss;
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
        probes.forEach(AvailabilityProbe::lookAtHealth);
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

    /** Has each publisher publish, as soon as it can, and each listener notified of it. */
    void assertNotifiedOfTheNextPublish() throws Exception {
        for (VersionPublisher publisher : publishers) {
            publisher.pause();
            Map<String, Integer> published = publisher.publishEach();
            long acknowledged = System.nanoTime();
            Duration within = TOLD_WITHIN.plus(SLACK).plus(pauseAfterLoss);
            for (VersionListener listener : listeners) {
                NamingScenarios.patiently()
                        .until(() -> has(listener, published)
                                || listener.connectedSince(acknowledged).compareTo(within) > 0);
                if (!has(listener, published)) {
                    assertThat(listener.newest())
                            .as(
                                    "listener that has been connected for %s; the nodes show %s",
                                    listener.connectedSince(acknowledged), shown(published))
                            .containsAllEntriesOf(published);
                }
            }
            publisher.resume();
        }
    }

    /** The contents of the configurations as each node shows them. */
    private List<Map<String, String>> shown(Map<String, Integer> published) throws Exception {
        List<Map<String, String>> all = new ArrayList<>();
        for (int node = 0; node < cluster.size(); node++) {
            HttpConfigs http = new HttpConfigs(cluster.address(node));
            Map<String, String> contents = new TreeMap<>();
            for (String dataId : published.keySet()) {
                contents.put(dataId, http.get(dataId, ConfigScenarios.GROUP).body());
            }
            all.add(contents);
        }
        return all;
    }

    private static boolean has(VersionListener listener, Map<String, Integer> versions) {
        return listener.newest().entrySet().containsAll(versions.entrySet());
    }

    /**
     * All nodes list all instances, and did so all the time; they show what was acknowledged, and each listener was notified of the
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
        // Of all publishers: one of generation 1 whose node hangs tries that node again and again.
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
            NamingScenarios.patiently(SHOWN_WITHIN).untilAsserted(() -> assertThat(
                            http.get(dataId, ConfigScenarios.GROUP).body())
                    .as(dataId)
                    .isEqualTo(version));
        }
    }

    @Override
    public void close() {
        publishers.forEach(VersionPublisher::close);
        probes.forEach(AvailabilityProbe::close);
        listeners.forEach(VersionListener::close);
        naming.close();
        configs.close();
    }
}
