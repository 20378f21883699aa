package io.cairn.server.compatibility;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.model.Page;
import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.PreservedMetadataKeys;
import com.alibaba.nacos.api.naming.pojo.Instance;
import com.alibaba.nacos.api.naming.pojo.Service;
import com.alibaba.nacos.api.naming.pojo.healthcheck.AbstractHealthChecker;
import com.alibaba.nacos.api.naming.pojo.healthcheck.impl.Http;
import com.alibaba.nacos.api.naming.pojo.healthcheck.impl.Tcp;
import com.alibaba.nacos.api.naming.pojo.maintainer.ClientPublisherInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ClientServiceInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ClientSubscriberInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ClientSummaryInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ClusterInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.MetricsInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ServiceDetailInfo;
import com.alibaba.nacos.api.naming.pojo.maintainer.ServiceView;
import com.alibaba.nacos.api.naming.pojo.maintainer.SubscriberInfo;
import com.alibaba.nacos.maintainer.client.naming.NamingMaintainerFactory;
import com.alibaba.nacos.maintainer.client.naming.NamingMaintainerService;
import io.cairn.server.process.CairnProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The official maintainer client: the operations of consoles and pipelines on services, over
 * {@code /nacos/v3/admin/ns}. A naming client of the same generation runs beside it and sees the effects.
 */
@Tag("full")
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
class NacosMaintainerClient3IT {
    private static final String NAMESPACE = "public";

    private static NamingMaintainerService maintainer;

    /**
     * Closes the client after the last test of the module: closing any client ends the HTTP client that all of a JVM
     * share.
     */
    @RegisterExtension
    static final BeforeAllCallback CLOSED_LAST = test -> test.getRoot()
            .getStore(ExtensionContext.Namespace.create(NacosMaintainerClient3IT.class))
            .put("maintainer", (AutoCloseable) () -> maintainer.shutdown());

    @BeforeAll
    static void open(CairnProcess shared) throws NacosException {
        maintainer = NamingMaintainerFactory.createNamingMaintainerService(shared.serverAddress());
    }

    private static Service persistent(String name) {
        var service = new Service();
        service.setNamespaceId(NAMESPACE);
        service.setGroupName(NamingScenarios.GROUP);
        service.setName(name);
        service.setEphemeral(false);
        return service;
    }

    private static Service ephemeral(String name) {
        Service service = persistent(name);
        service.setEphemeral(true);
        return service;
    }

    private interface Call {
        Object run() throws NacosException;
    }

    private static void assertRefused(int code, String text, Call call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(NacosException.class, refusal -> {
            assertThat(refusal.getErrCode()).isEqualTo(code);
            assertThat(refusal.getErrMsg()).contains(text);
        });
    }

    /** Services are created, found, changed and removed. */
    @Nested
    class Services extends NamingScenarios {
        @Test
        void serviceIsCreatedReadUpdatedListedAndRemoved() throws Exception {
            String name = newService();
            String grouped = GROUP + "@@" + name;
            Service service = persistent(name);
            service.setProtectThreshold(0.5f);
            service.addMetadata("owner", "队伍 & co");

            assertThat(maintainer.createService(service)).isEqualTo("ok");
            ServiceDetailInfo created = maintainer.getServiceDetail(NAMESPACE, GROUP, name);
            assertThat(created.getServiceName()).isEqualTo(name);
            assertThat(created.getGroupName()).isEqualTo(GROUP);
            assertThat(created.getNamespaceId()).isEqualTo(NAMESPACE);
            assertThat(created.getProtectThreshold()).isEqualTo(0.5f);
            assertThat(created.getMetadata()).isEqualTo(Map.of("owner", "队伍 & co"));
            assertThat(created.getClusterMap()).isEmpty();
            assertThat(created.isEphemeral()).isFalse();
            assertThat(created.getSelector().getType()).isEqualTo("none");
            assertRefused(
                    400, "specified service " + grouped + " already exists!", () -> maintainer.createService(service));

            service.setProtectThreshold(0.25f);
            service.setMetadata(Map.of("tier", "1"));
            assertThat(maintainer.updateService(service)).isEqualTo("ok");
            ServiceDetailInfo updated = maintainer.getServiceDetail(NAMESPACE, GROUP, name);
            assertThat(updated.getProtectThreshold()).isEqualTo(0.25f);
            assertThat(updated.getMetadata()).isEqualTo(Map.of("tier", "1"));

            Page<ServiceView> listed = maintainer.listServices(NAMESPACE, GROUP, name, false, 1, 10);
            assertThat(listed.getTotalCount()).isEqualTo(1);
            assertThat(listed.getPageItems()).singleElement().satisfies(view -> {
                assertThat(view.getName()).isEqualTo(name);
                assertThat(view.getGroupName()).isEqualTo(GROUP);
                assertThat(view.getIpCount()).isZero();
                assertThat(view.getHealthyInstanceCount()).isZero();
            });
            assertThat(maintainer
                            .listServices(NAMESPACE, GROUP, name, true, 1, 10)
                            .getPageItems())
                    .as("services that are not empty")
                    .isEmpty();

            assertThat(maintainer.removeService(NAMESPACE, GROUP, name)).isEqualTo("ok");
            assertRefused(400, "service not found", () -> maintainer.getServiceDetail(NAMESPACE, GROUP, name));
            assertRefused(
                    400, "service " + grouped + " not found!", () -> maintainer.removeService(NAMESPACE, GROUP, name));
            assertThat(maintainer
                            .listServices(NAMESPACE, GROUP, name, false, 1, 10)
                            .getPageItems())
                    .isEmpty();
        }

        @Test
        void serviceWithInstancesIsNotRemoved() throws Exception {
            String name = newService();
            NamingService provider = clients().open();
            Instance instance = newInstance();
            provider.registerInstance(name, copy(instance));

            assertRefused(
                    400,
                    "Service " + GROUP + "@@" + name
                            + " is not empty, can't be delete. Please unregister instance first",
                    () -> maintainer.removeService(ephemeral(name)));

            provider.deregisterInstance(name, copy(instance));
            assertThat(maintainer.removeService(ephemeral(name))).isEqualTo("ok");
        }

        @Test
        void servicesAreListedInPagesByPartsOfTheirNames() throws Exception {
            String mark = newName("mark");
            var names = new TreeSet<String>();
            for (int i = 0; i < 5; i++) {
                String name = "s" + i + "-" + mark + "-api";
                names.add(name);
                maintainer.createService(NAMESPACE, "shop-" + mark, name);
            }

            var listed = new ArrayList<String>();
            for (int page = 1; page <= 3; page++) {
                Page<ServiceView> view = maintainer.listServices(NAMESPACE, "shop-" + mark, mark, false, page, 2);
                assertThat(view.getTotalCount()).isEqualTo(5);
                assertThat(view.getPagesAvailable()).isEqualTo(3);
                assertThat(view.getPageNumber()).isEqualTo(page);
                view.getPageItems().forEach(service -> listed.add(service.getName()));
            }

            assertThat(listed).containsExactlyInAnyOrderElementsOf(names);
            assertThat(maintainer
                            .listServices(NAMESPACE, "", mark, false, 1, 10)
                            .getTotalCount())
                    .isEqualTo(5);
            assertThat(maintainer
                            .listServices("dev-7f3a", "", mark, false, 1, 10)
                            .getTotalCount())
                    .isZero();
        }

        @Test
        void servicesAreListedWithTheirInstances() throws Exception {
            String name = newService();
            Instance east = newInstance("east");
            Instance west = newInstance("west");
            west.setHealthy(false);
            clients().open().registerInstance(name, withMetadata(east, "version", "1"));
            clients().open().registerInstance(name, copy(west));

            Page<ServiceDetailInfo> detailed = maintainer.listServicesWithDetail(NAMESPACE, GROUP, name);
            assertThat(detailed.getTotalCount()).isEqualTo(1);
            assertThat(detailed.getPageItems()).singleElement().satisfies(service -> {
                assertThat(service.getServiceName()).isEqualTo(name);
                assertThat(service.getClusterMap()).containsOnlyKeys("east", "west");
                assertThat(service.getClusterMap().get("east").getHosts())
                        .singleElement()
                        .satisfies(host -> assertThat(host.getMetadata()).isEqualTo(Map.of("version", "1")));
                assertThat(addresses(service.getClusterMap().get("west").getHosts()))
                        .containsExactly(west.toInetAddr());
            });
            assertThat(maintainer.listServices(NAMESPACE, GROUP, name).getPageItems())
                    .singleElement()
                    .satisfies(view -> {
                        assertThat(view.getClusterCount()).isEqualTo(2);
                        assertThat(view.getIpCount()).isEqualTo(2);
                        assertThat(view.getHealthyInstanceCount()).isEqualTo(1);
                    });
        }

        @Test
        void updatesTheHealthCheckOfACluster() throws Exception {
            String name = newService();
            Service service = persistent(name);
            maintainer.createService(service);
            maintainer.registerInstance(service, newPersistentInstance());
            var http = new Http();
            http.setPath("/health");
            http.setHeaders("X-Probe:1|X-Other:2");
            http.setExpectedResponseCode(204);
            var cluster = new ClusterInfo();
            cluster.setClusterName("DEFAULT");
            cluster.setHealthChecker(http);
            cluster.setHealthyCheckPort(8081);
            cluster.setUseInstancePortForCheck(false);
            cluster.setMetadata(Map.of());

            assertThat(maintainer.updateCluster(service, cluster)).isEqualTo("ok");

            ClusterInfo read = maintainer
                    .getServiceDetail(NAMESPACE, GROUP, name)
                    .getClusterMap()
                    .get("DEFAULT");
            assertThat(read.getHealthChecker()).isEqualTo(http);
            assertThat(read.getHealthyCheckPort()).isEqualTo(8081);
            assertThat(read.isUseInstancePortForCheck()).isFalse();
            cluster.setHealthChecker(new Tcp());
            cluster.setUseInstancePortForCheck(true);
            assertThat(maintainer.updateCluster(service, cluster)).isEqualTo("ok");
            assertThat(maintainer.getServiceDetail(NAMESPACE, GROUP, name).getClusterMap())
                    .hasEntrySatisfying("DEFAULT", again -> assertThat(again.getHealthChecker())
                            .isEqualTo(new Tcp()));
        }
    }

    /** Registers and overrides instances; consumers see the changes. */
    @Nested
    class Instances extends NamingScenarios {
        @Test
        void persistentInstanceIsRegisteredChangedAndDeregistered() throws Exception {
            String name = newService();
            Service service = persistent(name);
            Instance instance = newPersistentInstance();
            instance.setWeight(2);
            instance.addMetadata("version", "1");
            instance.addMetadata("zone", "a");
            var subscriber = new RecordingSubscriber();
            clients().open().subscribe(name, subscriber);

            assertThat(maintainer.registerInstance(service, instance)).isEqualTo("ok");
            awaitNow(subscriber, instance);
            Instance read = maintainer.getInstanceDetail(service, instance);
            assertThat(read.getWeight()).isEqualTo(2);
            assertThat(read.getMetadata()).isEqualTo(Map.of("version", "1", "zone", "a"));
            assertThat(read.isEphemeral()).isFalse();

            Instance updated = copy(instance);
            updated.setWeight(3);
            updated.setMetadata(Map.of("version", "2")); // added to the registered metadata
            assertThat(maintainer.updateInstance(service, updated)).isEqualTo("ok");
            assertThat(maintainer.listInstances(NAMESPACE, GROUP, name, "DEFAULT", false))
                    .singleElement()
                    .satisfies(listed -> {
                        assertThat(listed.getWeight()).isEqualTo(3);
                        assertThat(listed.getMetadata()).isEqualTo(Map.of("version", "2", "zone", "a"));
                    });
            awaitMetadata(subscriber, "version", "2");

            Instance partly = copy(updated);
            partly.setWeight(4);
            assertThat(maintainer.partialUpdateInstance(service, partly)).isEqualTo("ok");
            patiently().untilAsserted(() -> assertThat(subscriber.newest().orElseThrow())
                    .singleElement()
                    .satisfies(pushed -> {
                        assertThat(pushed.getWeight()).isEqualTo(4);
                        assertThat(pushed.getMetadata()).containsEntry("version", "2");
                    }));

            assertThat(maintainer.deregisterInstance(service, instance)).isEqualTo("ok");
            awaitNow(subscriber);
            assertRefused(404, "", () -> maintainer.getInstanceDetail(service, instance));
        }

        @Test
        void ephemeralInstanceOfTheMaintainerExpiresWithoutBeats() throws Exception {
            String name = newService();
            Instance instance = newInstance();
            instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_INTERVAL, "500");
            instance.addMetadata(PreservedMetadataKeys.HEART_BEAT_TIMEOUT, "2000");
            instance.addMetadata(PreservedMetadataKeys.IP_DELETE_TIMEOUT, "4000");
            Instance longer = newInstance();
            longer.addMetadata(PreservedMetadataKeys.HEART_BEAT_TIMEOUT, "600000");
            longer.addMetadata(PreservedMetadataKeys.IP_DELETE_TIMEOUT, "600000");
            var subscriber = new RecordingSubscriber();
            clients().open().subscribe(name, subscriber);

            maintainer.registerInstance(ephemeral(name), longer);
            awaitNow(subscriber, longer);
            maintainer.registerInstance(ephemeral(name), instance);

            patiently().untilAsserted(() -> assertThat(subscriber.lists())
                    .anySatisfy(list -> assertThat(addresses(list)).contains(instance.toInetAddr())));
            awaitNow(subscriber, longer);
            assertThat(maintainer.deregisterInstance(ephemeral(name), longer)).isEqualTo("ok");
            awaitNow(subscriber);
        }

        @Test
        void valuesOfTheMaintainerOverrideThoseOfTheProvider() throws Exception {
            String name = newService();
            Service service = ephemeral(name);
            Instance instance = withMetadata(newInstance(), "version", "1");
            Instance other = newInstance();
            NamingService provider = clients().open();
            provider.registerInstance(name, copy(instance));
            clients().open().registerInstance(name, copy(other));
            var subscriber = new RecordingSubscriber();
            NamingService consumer = clients().open();
            consumer.subscribe(name, subscriber);
            awaitNow(subscriber, instance, other);

            Instance heavy = copy(instance);
            heavy.setWeight(7);
            heavy.addMetadata("color", "blue");
            assertThat(maintainer.updateInstance(service, heavy)).isEqualTo("ok");
            patiently().untilAsserted(() -> {
                Instance pushed = at(instance, subscriber.newest().orElseThrow());
                assertThat(pushed.getWeight()).isEqualTo(7);
                assertThat(pushed.getMetadata()).containsEntry("color", "blue");
            });
            provider.registerInstance(name, copy(instance)); // the provider does not know the override
            assertThat(at(instance, query(consumer, name)).getWeight()).isEqualTo(7);

            heavy.setEnabled(false);
            assertThat(maintainer.updateInstance(service, heavy)).isEqualTo("ok");
            awaitNow(subscriber, other);
            heavy.setEnabled(true);
            assertThat(maintainer.updateInstance(service, heavy)).isEqualTo("ok");
            awaitNow(subscriber, instance, other);
        }

        @Test
        void changesMetadataOfManyInstancesInOneRequest() throws Exception {
            String name = newService();
            Service service = ephemeral(name);
            Instance first = newInstance();
            Instance second = newInstance();
            Instance spared = newInstance();
            for (Instance instance : List.of(first, second, spared)) {
                clients().open().registerInstance(name, withMetadata(instance, "version", "1"));
            }
            NamingService consumer = clients().open();
            var subscriber = new RecordingSubscriber();
            consumer.subscribe(name, subscriber);
            List<Instance> both = List.of(withMetadata(first, "version", "1"), withMetadata(second, "version", "1"));

            assertThat(maintainer
                            .batchUpdateInstanceMetadata(service, both, Map.of("color", "blue", "version", "2"))
                            .getUpdated())
                    .hasSize(2)
                    .anyMatch(updated -> updated.startsWith(first.toInetAddr() + ":"))
                    .anyMatch(updated -> updated.startsWith(second.toInetAddr() + ":"));
            patiently().untilAsserted(() -> {
                List<Instance> pushed = subscriber.newest().orElseThrow();
                assertThat(at(first, pushed).getMetadata()).isEqualTo(Map.of("color", "blue", "version", "2"));
                assertThat(at(second, pushed).getMetadata()).isEqualTo(Map.of("color", "blue", "version", "2"));
                assertThat(at(spared, pushed).getMetadata()).isEqualTo(Map.of("version", "1"));
            });

            maintainer.batchDeleteInstanceMetadata(service, both.subList(0, 1), Map.of("color", "blue"));
            patiently().untilAsserted(() -> {
                List<Instance> pushed = subscriber.newest().orElseThrow();
                assertThat(at(first, pushed).getMetadata()).isEqualTo(Map.of("version", "2"));
                assertThat(at(second, pushed).getMetadata()).containsEntry("color", "blue");
            });
        }

        @Test
        void healthIsSetByHandOnceTheClusterIsNotChecked() throws Exception {
            String name = newService();
            Service service = persistent(name);
            Instance instance = newPersistentInstance();
            Instance other = newPersistentInstance();
            maintainer.registerInstance(service, copy(instance));
            maintainer.registerInstance(service, copy(other));
            var subscriber = new RecordingSubscriber();
            clients().open().subscribe(name, subscriber);
            Instance sick = copy(instance);
            sick.setHealthy(false);
            assertRefused(
                    400,
                    "health check is still working, service: " + GROUP + "@@" + name + ", cluster: DEFAULT",
                    () -> maintainer.updateInstanceHealthStatus(service, sick));

            var cluster = new ClusterInfo();
            cluster.setClusterName("DEFAULT");
            cluster.setHealthChecker(new AbstractHealthChecker.None());
            cluster.setMetadata(Map.of("room", "12"));
            assertThat(maintainer.updateCluster(service, cluster)).isEqualTo("ok");
            ClusterInfo read = maintainer
                    .getServiceDetail(NAMESPACE, GROUP, name)
                    .getClusterMap()
                    .get("DEFAULT");
            assertThat(read.getHealthChecker().getType()).isEqualTo("NONE");
            assertThat(read.getMetadata()).isEqualTo(Map.of("room", "12"));

            for (boolean healthy : List.of(false, true, false)) {
                sick.setHealthy(healthy);
                assertThat(maintainer.updateInstanceHealthStatus(service, sick)).isEqualTo("ok");
                patiently().untilAsserted(() -> assertThat(
                                at(instance, subscriber.newest().orElseThrow()).isHealthy())
                        .isEqualTo(healthy));
            }
            assertThat(addresses(maintainer.listInstances(NAMESPACE, GROUP, name, "DEFAULT", true)))
                    .doesNotContain(instance.toInetAddr());
        }

        private static Instance at(Instance address, List<Instance> instances) {
            return instances.stream()
                    .filter(instance -> instance.toInetAddr().equals(address.toInetAddr()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Publishers, subscribers, and the state of the server. */
    @Nested
    class Insight extends NamingScenarios {
        @Test
        void subscribersAreListed() throws Exception {
            String name = newService();
            NamingService consumer = clients().open();
            consumer.subscribe(name, new RecordingSubscriber());

            Page<SubscriberInfo> subscribers = maintainer.getSubscribers(NAMESPACE, GROUP, name, 1, 10, true);

            assertThat(subscribers.getTotalCount()).isEqualTo(1);
            assertThat(subscribers.getPageItems()).singleElement().satisfies(subscriber -> {
                assertThat(subscriber.getNamespaceId()).isEqualTo(NAMESPACE);
                assertThat(subscriber.getGroupName()).isEqualTo(GROUP);
                assertThat(subscriber.getServiceName()).isEqualTo(name);
                assertThat(subscriber.getAgent()).startsWith("Nacos-Java-Client:v3");
                assertThat(subscriber.getIp()).isNotBlank();
            });
            consumer.shutDown();
            patiently().untilAsserted(() -> assertThat(maintainer
                            .getSubscribers(NAMESPACE, GROUP, name, 1, 10, true)
                            .getPageItems())
                    .isEmpty());
        }

        @Test
        void findsClientsByTheirPublishedAndSubscribedServices() throws Exception {
            String published = newService();
            String subscribed = newService();
            Instance instance = newInstance();
            NamingService client = clients().open();
            client.registerInstance(published, copy(instance));
            client.subscribe(subscribed, new RecordingSubscriber());

            List<ClientPublisherInfo> publishers = maintainer.getPublishedClientList(
                    NAMESPACE, GROUP, published, instance.getIp(), instance.getPort());
            assertThat(publishers).singleElement().satisfies(publisher -> {
                assertThat(publisher.getIp()).isEqualTo(instance.getIp());
                assertThat(publisher.getPort()).isEqualTo(8080);
                assertThat(publisher.getClusterName()).isEqualTo("DEFAULT");
            });
            String clientId = publishers.get(0).getClientId();

            ClientSummaryInfo summary = maintainer.getClientDetail(clientId);
            assertThat(summary.getClientId()).isEqualTo(clientId);
            assertThat(summary.getClientType()).isEqualTo("connection");
            assertThat(summary.getConnectType()).isEqualToIgnoringCase("grpc");
            assertThat(summary.isEphemeral()).isTrue();
            assertThat(summary.getVersion()).startsWith("Nacos-Java-Client:v3");
            List<ClientServiceInfo> publishes = maintainer.getPublishedServiceList(clientId);
            assertThat(publishes).singleElement().satisfies(service -> {
                assertThat(service.getServiceName()).isEqualTo(published);
                assertThat(service.getGroupName()).isEqualTo(GROUP);
                assertThat(service.getNamespaceId()).isEqualTo(NAMESPACE);
                assertThat(service.getPublisherInfo().getIp()).isEqualTo(instance.getIp());
            });
            List<ClientServiceInfo> subscribes = maintainer.getSubscribeServiceList(clientId);
            assertThat(subscribes).singleElement().satisfies(service -> {
                assertThat(service.getServiceName()).isEqualTo(subscribed);
                assertThat(service.getSubscriberInfo().getAgent()).startsWith("Nacos-Java-Client:v3");
            });
            SubscriberInfo subscriber = maintainer
                    .getSubscribers(NAMESPACE, GROUP, subscribed)
                    .getPageItems()
                    .get(0);
            assertThat(maintainer.getSubscribeClientList(
                            NAMESPACE, GROUP, subscribed, subscriber.getIp(), subscriber.getPort()))
                    .singleElement()
                    .satisfies(found -> assertThat(found.getClientId()).isEqualTo(clientId));
            assertThat(get("/client/list").body()).contains("\"" + clientId + "\"");
            // The client sends a missing filter as the word null.
            assertThat(maintainer.getPublishedClientList(NAMESPACE, GROUP, published, null, null))
                    .extracting(ClientPublisherInfo::getClientId)
                    .containsExactly(clientId);
            assertThat(maintainer.getSubscribeClientList(NAMESPACE, GROUP, subscribed, null, null))
                    .extracting(ClientSubscriberInfo::getClientId)
                    .containsExactly(clientId);
            assertRefused(404, "clientId [ nobody ] not exist", () -> maintainer.getClientDetail("nobody"));
        }

        @Test
        void reportsMetricsAndState() throws Exception {
            String name = newService();
            clients().open().registerInstance(name, newInstance());

            assertThat(maintainer.getMetrics(true).getStatus()).isEqualTo("UP");
            MetricsInfo metrics = maintainer.getMetrics(false);
            assertThat(metrics.getStatus()).isEqualTo("UP");
            assertThat(metrics.getServiceCount()).isPositive();
            assertThat(metrics.getInstanceCount()).isPositive();
            assertThat(metrics.getClientCount()).isPositive();
            assertThat(metrics.getConnectionBasedClientCount()).isPositive();
            assertThat(maintainer.liveness()).isTrue();
            assertThat(maintainer.readiness()).isTrue();
            assertThat(maintainer.getServerState()).containsEntry("startup_mode", "standalone");
            assertThat(maintainer.setLogLevel("naming-main", "INFO")).isEqualTo("ok");
        }

        /** The client reads these without the envelope that every server of its generation sends. */
        @Test
        void sendsSelectorTypesAndHealthCheckersInAnEnvelope() throws Exception {
            assertThat(get("/service/selector/types").body())
                    .isEqualTo("{\"code\":0,\"message\":\"success\",\"data\":[\"label\",\"none\"]}");
            assertThat(get("/health/checkers").body()).contains("\"code\":0", "\"TCP\":{", "\"HTTP\":{", "\"MYSQL\":{");
            assertThat(get("/client/list").body()).contains("\"code\":0", "\"data\":[");
        }

        private HttpResponse<String> get(String path) throws Exception {
            URI uri = URI.create("http://" + server().serverAddress() + "/nacos/v3/admin/ns" + path);
            HttpResponse<String> response =
                    HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString(UTF_8));
            assertThat(response.statusCode()).isEqualTo(200);
            return response;
        }
    }

    /** The maintainer's changes are durable. */
    @Nested
    class Restart extends NamingScenarios {
        @Test
        void servicesClustersAndOverridesSurviveAKilledServer() throws Exception {
            try (CairnProcess own = startOwnServer()) {
                useServer(own);
                // Not shut down here: shutting down one client closes the HTTP client of all; see {@code CLOSED_LAST}.
                NamingMaintainerService ownMaintainer =
                        NamingMaintainerFactory.createNamingMaintainerService(own.serverAddress());
                String empty = newService();
                String checked = newService();
                String overridden = newService();
                Service service = persistent(empty);
                service.setProtectThreshold(0.5f);
                service.addMetadata("owner", "shop");
                ownMaintainer.createService(service);
                Instance instance = newPersistentInstance();
                ownMaintainer.registerInstance(persistent(checked), withMetadata(instance, "version", "1"));
                var cluster = new ClusterInfo();
                cluster.setClusterName("DEFAULT");
                cluster.setHealthChecker(new AbstractHealthChecker.None());
                cluster.setMetadata(Map.of("room", "12"));
                ownMaintainer.updateCluster(persistent(checked), cluster);
                Instance live = newInstance();
                clients().open().registerInstance(overridden, copy(live));
                Instance heavy = copy(live);
                heavy.setWeight(7);
                ownMaintainer.updateInstance(ephemeral(overridden), heavy);

                own.kill(); // right after the last acknowledgement
                own.restart();

                ServiceDetailInfo detail = ownMaintainer.getServiceDetail(NAMESPACE, GROUP, empty);
                assertThat(detail.getProtectThreshold()).isEqualTo(0.5f);
                assertThat(detail.getMetadata()).isEqualTo(Map.of("owner", "shop"));
                assertThat(ownMaintainer
                                .getServiceDetail(NAMESPACE, GROUP, checked)
                                .getClusterMap())
                        .hasEntrySatisfying("DEFAULT", kept -> {
                            assertThat(kept.getHealthChecker().getType()).isEqualTo("NONE");
                            assertThat(kept.getMetadata()).isEqualTo(Map.of("room", "12"));
                        });
                assertThat(ownMaintainer.listInstances(NAMESPACE, GROUP, checked, "DEFAULT", false))
                        .singleElement()
                        .satisfies(kept -> {
                            assertThat(kept.toInetAddr()).isEqualTo(instance.toInetAddr());
                            assertThat(kept.getMetadata()).isEqualTo(Map.of("version", "1"));
                            assertThat(kept.isEphemeral()).isFalse();
                        });
                NamingService consumer = clients().open();
                patiently().untilAsserted(() -> assertThat(
                                queryOne(consumer, overridden).getWeight())
                        .isEqualTo(7));
            }
        }
    }
}
