package io.cairn.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.wire.Payload;
import io.cairn.api.wire.RevisionHeaders;
import io.cairn.server.support.NamingClient;
import io.cairn.server.support.WireClient;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Three servers on one database are one cluster. */
@Tag("mysql")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {

    private static final List<Integer> NODES = List.of(0, 1, 2);
    private static final List<String> THREADS_OF_MEMBERS = List.of(
            "cairn-group-",
            "cairn-lane-",
            "cairn-cluster",
            "cairn-node-row",
            "cairn-members",
            "cairn-barrier",
            "cairn-last-known-copies");

    @TempDir
    static Path folder;

    private static TestSchema schema;
    private static ClusterOfServers cluster;
    private static ClusterRegistry registry;

    @BeforeAll
    static void start() {
        schema = TestSchema.create(ClusterIT.class);
        // So long that a busy machine ends no barrier before all nodes show the change.
        cluster = ClusterOfServers.start(3, schema, folder, Map.of("cairn.cluster.visible-within", "30s"));
        registry = new ClusterRegistry(cluster);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
        schema.close();
    }

    private static Map<String, String> all(String... states) {
        Map<String, String> expected = new TreeMap<>();
        for (int node : NODES) {
            expected.put(cluster.address(node), states[node]);
        }
        return expected;
    }

    @Test
    @Order(1)
    void everyNodeReportsTheSameNodes() {
        for (int node : NODES) {
            await().untilAsserted(() -> assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "UP")));
            assertThat(addresses(cluster.json(node, "/nacos/v2/core/cluster/node/list")))
                    .isEqualTo(all("UP", "UP", "UP"));
            assertThat(addresses(cluster.json(node, "/nacos/v3/admin/core/cluster/node/list?state=UP")))
                    .isEqualTo(all("UP", "UP", "UP"));
            assertThat(cluster.json(node, "/nacos/v3/admin/core/cluster/node/list?state=DOWN")
                            .get("data"))
                    .isEmpty();
            assertThat(cluster.json(node, "/nacos/v1/core/cluster/simple/nodes").get("data"))
                    .hasSize(3);
            assertThat(cluster.json(node, "/nacos/v1/ns/operator/servers").get("servers"))
                    .hasSize(3);
            assertThat(cluster.json(node, "/nacos/v1/core/cluster/self")
                            .get("data")
                            .get("address")
                            .asString())
                    .isEqualTo(cluster.address(node));
            assertThat(cluster.json(node, "/nacos/v2/core/cluster/node/self/health")
                            .get("data")
                            .asString())
                    .isEqualTo("UP");
            assertThat(cluster.serverList(node)).hasSize(3);
            assertThat(cluster.get(node, "/nacos/v1/console/health/readiness").statusCode())
                    .isEqualTo(200);
            assertThat(cluster.json(node, "/nacos/v1/console/server/state")
                            .get("startup_mode")
                            .asString())
                    .isEqualTo("cluster");
        }
    }

    @Test
    @Order(2)
    void everyNodeReportsTheSameAboutAnother() {
        JsonNode own = details(0, 0);
        await().untilAsserted(() -> {
            JsonNode seen = details(1, 0);
            assertThat(seen.get("state").asString()).isEqualTo("READY");
            assertThat(seen.get("presence").asString()).isEqualTo("PRESENT");
            for (String equal : List.of("startedAt", "grpcPort", "groupPort")) {
                assertThat(seen.get(equal)).as(equal).isEqualTo(own.get(equal));
            }
            assertThat(seen.has("reason")).isFalse();
        });
        assertThat(findings(1)).isEmpty();
    }

    /** Threads beside those of a single server. */
    @Test
    @Order(3)
    void anIdleMemberOfThreeHasAtMostFifteenThreadsMore() {
        int most = 15 * NODES.size();
        await().pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(threadsOfMembers()).hasSizeLessThanOrEqualTo(most));
    }

    private static List<String> threadsOfMembers() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> THREADS_OF_MEMBERS.stream().anyMatch(name::startsWith))
                .sorted()
                .toList();
    }

    @Test
    @Order(4)
    void anInstanceOfAGrpcClientIsListedByAllNodesAndPushedByAnother() {
        String instance = "10.1.0.1:8080";
        try (NamingClient provider = cluster.naming(0);
                NamingClient subscriber = cluster.naming(2)) {
            assertThat(NamingClient.hosts(subscriber.subscribe("over-grpc"))).isEmpty();

            provider.register("over-grpc", instance);
            awaitPush(subscriber, instance);
            awaitListed("over-grpc", instance);

            provider.deregister("over-grpc", instance);
            awaitPush(subscriber);
            awaitListed("over-grpc");

            provider.register("over-grpc", instance);
            awaitPush(subscriber, instance);
            provider.close();
            awaitPush(subscriber);
            awaitListed("over-grpc");
        }
    }

    @Test
    @Order(5)
    void anHttpClientMaySendEachRequestToAnotherNode() {
        String instance = registry.ownedBy(1, "10.1.0.2");
        for (int node : NODES) {
            assertThat(registry.owner(node, instance)).isEqualTo(cluster.address(1));
            assertThat(registry.ownerInVersion3(node, instance)).isEqualTo(cluster.address(1));
        }
        assertThat(registry.beat(2, "over-http", instance))
                .as("heartbeat of an instance that no node knows")
                .isEqualTo(20404);

        registry.register(
                0,
                "over-http",
                instance,
                "&metadata="
                        + ClusterRegistry.encoded(
                                "{\"preserved.heart.beat.timeout\":\"600\",\"preserved.heart.beat.interval\":\"200\"}"));
        awaitListed("over-http", instance);
        awaitOnEachNode(node -> assertThat(isHealthy(node, "over-http", instance))
                .as("without heartbeats, on node %s", node)
                .isFalse());

        try (NamingClient subscriber = cluster.naming(0)) {
            subscriber.subscribe("over-http");
            assertThat(pushedHealth(subscriber)).isFalse();

            // This node neither owns the client nor has it taken the registration.
            await().pollInterval(Duration.ofMillis(100)).until(() -> {
                assertThat(registry.beat(2, "over-http", instance)).isEqualTo(10200);
                return isPushed(subscriber, true);
            });
            await().until(() -> isPushed(subscriber, false));
        }

        registry.deregister(2, "over-http", instance, "");
        awaitListed("over-http");
        assertThat(registry.beat(0, "over-http", instance)).isEqualTo(20404);
    }

    @Test
    @Order(6)
    void allNodesSeeAnOperatorsChange() {
        String overHttp = registry.ownedBy(1, "10.1.0.3");
        registry.register(1, "operated", overHttp, "");
        String overGrpc = "10.1.0.4:8080";
        try (NamingClient provider = cluster.naming(0)) {
            provider.register("operated", overGrpc);
            awaitListed("operated", overHttp, overGrpc);

            // Node 2 publishes neither of them.
            for (String instance : List.of(overHttp, overGrpc)) {
                registry.patch(
                        2, "operated", instance, "&weight=7&metadata=" + ClusterRegistry.encoded("{\"zone\":\"b\"}"));
                awaitOnEachNode(node -> {
                    JsonNode shown = registry.listed(node, "operated", instance);
                    assertThat(shown.path("weight").asDouble()).isEqualTo(7);
                    assertThat(shown.path("metadata").path("zone").asString("")).isEqualTo("b");
                });

                registry.patch(2, "operated", instance, "&healthy=false");
                awaitOnEachNode(node ->
                        assertThat(isHealthy(node, "operated", instance)).isFalse());

                registry.patch(2, "operated", instance, "&enabled=false");
                awaitOnEachNode(node -> assertThat(
                                registry.listed(node, "operated", instance).isMissingNode())
                        .as("%s is listed by node %s", instance, node)
                        .isTrue());
            }
        }
        registry.deregister(1, "operated", overHttp, "");
        awaitListed("operated");
    }

    /** Whichever of the two is taken, and be it both: all nodes list what was acknowledged, and say the same of the kind of the service. */
    @Test
    @Order(6)
    void instancesOfBothKindsThatTwoNodesTakeAtTheSameTimeAreListedByAllNodes() {
        String persistent = "10.1.0.20:8080";
        for (int round = 0; round < 5; round++) {
            String service = "both-kinds-" + round;
            String ephemeral = registry.ownedBy(0, "10.1.0.21");
            List<String> acknowledged = Stream.of(
                            CompletableFuture.supplyAsync(() -> registers(0, service, ephemeral, "true")),
                            CompletableFuture.supplyAsync(() -> registers(1, service, persistent, "false")))
                    .toList()
                    .stream()
                    .flatMap(each -> each.join().stream())
                    .toList();
            assertThat(acknowledged).isNotEmpty();
            awaitListed(service, acknowledged.toArray(new String[0]));
            boolean isPersistent = acknowledged.contains(persistent);
            for (int node : NODES) {
                assertThat(registers(node, service, "10.1.0.22:" + (8080 + node), "true"))
                        .as("another ephemeral one at node %s, where %s were acknowledged", node, acknowledged)
                        .hasSize(isPersistent ? 0 : 1);
            }
        }
    }

    /** The instance if its registration is acknowledged. */
    private static List<String> registers(int node, String service, String instance, String isEphemeral) {
        String[] parts = instance.split(":");
        HttpResponse<String> answer = cluster.call(
                "POST",
                node,
                "/nacos/v1/ns/instance?serviceName=" + service + "&ip=" + parts[0] + "&port=" + parts[1] + "&ephemeral="
                        + isEphemeral);
        if (answer.statusCode() != 200) {
            assertThat(answer.body()).contains("service, can't register");
        }
        return answer.statusCode() == 200 ? List.of(instance) : List.of();
    }

    /** A stored change is on all nodes when the request is answered. */
    @Test
    @Order(7)
    void aPersistentInstanceIsOnAllNodesWhenItsRegistrationIsAnswered() {
        String instance = "10.1.0.5:8080";
        String other = "10.1.0.5:8081";
        cluster.ok("POST", 0, "/nacos/v1/ns/service?serviceName=stored&protectThreshold=0.7");
        for (int node : NODES) {
            assertThat(cluster.json(node, "/nacos/v1/ns/service?serviceName=stored")
                            .path("protectThreshold")
                            .asDouble())
                    .isEqualTo(0.7);
        }
        cluster.ok("PUT", 2, "/nacos/v1/ns/service?serviceName=stored&protectThreshold=0");
        cluster.ok(
                "PUT",
                1,
                "/nacos/v1/ns/cluster?serviceName=stored&clusterName=DEFAULT&checkPort=8080"
                        + "&useInstancePort4Check=true&healthChecker="
                        + ClusterRegistry.encoded("{\"type\":\"NONE\"}"));
        for (int node : NODES) {
            assertThat(cluster.json(node, "/nacos/v1/ns/service?serviceName=stored")
                            .path("protectThreshold")
                            .asDouble(-1))
                    .isZero();
        }

        registry.register(0, "stored", instance, "&ephemeral=false");
        // A healthy one beside it: a service without any lists all as healthy.
        registry.register(0, "stored", other, "&ephemeral=false");
        for (int node : NODES) {
            assertThat(isHealthy(node, "stored", instance))
                    .as("on node %s", node)
                    .isTrue();
        }

        cluster.ok("PUT", 2, "/nacos/v1/ns/health/instance?serviceName=stored&ip=10.1.0.5&port=8080&healthy=false");
        awaitOnEachNode(node -> assertThat(isHealthy(node, "stored", instance)).isFalse());

        registry.deregister(1, "stored", instance, "&ephemeral=false");
        for (int node : NODES) {
            assertThat(registry.listed(node, "stored")).as("on node %s", node).containsExactly(other);
        }
    }

    @Test
    @Order(8)
    void aPublishIsShownByAllNodesWhenItIsAnswered() {
        List<String> notByAll = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
            int publisher = number % NODES.size();
            String content = "content-" + number;
            HttpResponse<String> answer = publish(publisher, "a", content);
            if (!visible(answer).equals("3/3")) {
                // After a standstill of this JVM, which has all nodes, a node may count as away.
                notByAll.add(visible(answer));
                cluster.awaitInService();
                continue;
            }
            String revision =
                    answer.headers().firstValue(RevisionHeaders.REVISION).orElseThrow();
            for (int reader : NODES) {
                assertThat(read(reader, "a")).as("on node %s", reader).isEqualTo(content);
                assertThat(read(reader, "a", RevisionHeaders.MIN_REVISION, revision))
                        .as("with the least revision, on node %s", reader)
                        .isEqualTo(content);
            }
        }

        assertThat(notByAll).as("publishes that not all nodes showed").hasSizeLessThan(3);

        HttpResponse<String> removed = cluster.ok("DELETE", 1, "/nacos/v1/cs/configs?group=g&dataId=a");
        assertThat(visible(removed)).isEqualTo("3/3");
        for (int node : NODES) {
            assertThat(cluster.get(node, "/nacos/v1/cs/configs?group=g&dataId=a")
                            .statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    @Order(9)
    void aPublishOverGrpcIsShownByAllNodesAndPushedByAnother() {
        try (WireClient publisher = cluster.wire(0);
                WireClient reader = cluster.wire(1);
                WireClient listener = cluster.wire(2)) {
            listener.listen("b", "");

            Payload published = publisher.call(WireClient.payload(
                    "ConfigPublishRequest", "{\"dataId\":\"b\",\"group\":\"DEFAULT_GROUP\",\"content\":\"1\"}"));

            assertThat(published.header(RevisionHeaders.VISIBLE)).isEqualTo("3/3");
            String revision = published.header(RevisionHeaders.REVISION);
            assertThat(revision).matches("\\d+");
            assertThat(reader.query("b").path("content").asString()).isEqualTo("1");
            assertThat(WireClient.tree(reader.call(Payload.of(
                                    "ConfigQueryRequest",
                                    "127.0.0.1",
                                    Map.of(RevisionHeaders.MIN_REVISION, revision),
                                    "{\"dataId\":\"b\",\"group\":\"DEFAULT_GROUP\"}".getBytes(StandardCharsets.UTF_8))))
                            .path("content")
                            .asString())
                    .isEqualTo("1");
            assertThat(listener.nextChange()).isEqualTo("b");

            publisher.remove("b");
            assertThat(reader.query("b").path("resultCode").asInt()).isNotEqualTo(200);
        }
    }

    @Test
    @Order(10)
    void grayReleasesNamespacesAndCapacitiesAreOnAllNodesWhenTheyAreAnswered() {
        cluster.ok("POST", 0, "/nacos/v1/cs/configs?group=g&dataId=gray&content=for-all");
        cluster.ok("POST", 1, "/nacos/v1/cs/configs?group=g&dataId=gray&content=for-some", "betaIps", "127.0.0.1");
        for (int node : NODES) {
            assertThat(read(node, "gray")).as("on node %s", node).isEqualTo("for-some");
        }
        cluster.ok("DELETE", 2, "/nacos/v1/cs/configs?group=g&dataId=gray&beta=true");
        for (int node : NODES) {
            assertThat(read(node, "gray")).as("on node %s", node).isEqualTo("for-all");
        }

        cluster.ok("POST", 1, "/nacos/v1/console/namespaces?customNamespaceId=dev&namespaceName=of-dev&namespaceDesc=");
        for (int node : NODES) {
            assertThat(cluster.json(node, "/nacos/v1/console/namespaces?show=all&namespaceId=dev")
                            .path("namespaceShowName")
                            .asString())
                    .isEqualTo("of-dev");
        }

        cluster.ok("POST", 2, "/nacos/v1/cs/capacity?group=g&quota=7");
        for (int node : NODES) {
            assertThat(cluster.json(node, "/nacos/v1/cs/capacity?group=g")
                            .at("/data/quota")
                            .asInt())
                    .isEqualTo(7);
        }
    }

    @Test
    @Order(10)
    void listenersSubscribersAndConnectionsOfAllNodesAreSeenAtEachNode() {
        new SeenFromAnyNode(cluster).clientsAreSeen();
    }

    @Test
    @Order(10)
    void eachNodeIsDescribedAsItDescribesItself() {
        new SeenFromAnyNode(cluster).nodesAreDescribed();
        new SeenFromAnyNode(cluster).nodesAreMeasured();
    }

    @Test
    @Order(11)
    void aStoppedNodeIsDownAndReturnsAsAnotherRun() {
        long startedBefore = details(0, 2).get("startedAt").asLong();
        cluster.stop(2);

        for (int node : List.of(0, 1)) {
            await().untilAsserted(() -> assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "DOWN")));
            assertThat(cluster.serverList(node)).containsExactly(cluster.address(0), cluster.address(1));
            await().untilAsserted(() -> assertThat(findings(node)).containsExactly("NODE_AWAY " + cluster.address(2)));
            assertThat(cluster.get(node, "/nacos/v1/console/health/readiness").statusCode())
                    .isEqualTo(200);
        }

        assertThat(visible(publish(0, "stopped", "while-a-node-is-away"))).isEqualTo("2/2");
        assertThat(read(1, "stopped")).isEqualTo("while-a-node-is-away");

        cluster.start(2);
        cluster.awaitInService();
        assertThat(read(2, "stopped")).isEqualTo("while-a-node-is-away");
        // The others wait for the node as soon as they know that it is in service.
        AtomicInteger number = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(20))
                .untilAsserted(() -> assertThat(visible(publish(0, "stopped", "to-all-" + number.incrementAndGet())))
                        .isEqualTo("3/3"));
        assertThat(read(2, "stopped")).isEqualTo("to-all-" + number.get());
        for (int node : NODES) {
            await().untilAsserted(() -> assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "UP")));
            await().untilAsserted(() ->
                    assertThat(details(node, 2).get("startedAt").asLong()).isGreaterThan(startedBefore));
        }
        assertThat(schema.query("select address, state from cairn_node order by address"))
                .extracting(row -> row.get(0))
                .containsExactly(cluster.address(0), cluster.address(1), cluster.address(2));
    }

    /** The lists are read all the time, and a subscriber gets no shorter list either. */
    @Test
    @Order(12)
    void noListIsShorterWhileTheNodeThatPublishesItsInstancesIsStoppedAndStarted() {
        String overHttp = registry.ownedBy(1, "10.1.0.6");
        String overGrpc = "10.1.0.7:8080";
        registry.register(0, "kept", overHttp, "");
        Queue<List<String>> otherLists = new ConcurrentLinkedQueue<>();
        AtomicInteger completeLists = new AtomicInteger();
        ScheduledExecutorService reading = Executors.newSingleThreadScheduledExecutor();
        try (NamingClient provider = cluster.naming(1);
                NamingClient providerElsewhere = cluster.naming(2);
                NamingClient subscriber = cluster.naming(0)) {
            provider.register("kept", overGrpc);
            awaitListed("kept", overHttp, overGrpc);
            subscriber.subscribe("kept");
            Future<?> reads = reading.scheduleWithFixedDelay(
                    () -> {
                        for (int node : List.of(0, 2)) {
                            List<String> listed = registry.listed(node, "kept");
                            if (listed.equals(List.of(overHttp, overGrpc))) {
                                completeLists.incrementAndGet();
                            } else {
                                otherLists.add(listed);
                            }
                        }
                    },
                    0,
                    5,
                    TimeUnit.MILLISECONDS);

            cluster.stop(1);
            awaitOnEachNode(node -> assertThat(registry.owner(node, overHttp))
                    .isIn(cluster.address(0), cluster.address(2))
                    .isEqualTo(registry.owner(0, overHttp)));
            for (int node : List.of(0, 2)) {
                assertThat(registry.beat(node, "kept", overHttp)).isEqualTo(10200);
            }
            providerElsewhere.register("kept", overGrpc);

            cluster.start(1);
            cluster.awaitInService();
            assertThat(registry.listed(1, "kept"))
                    .as("on the node that has started, as soon as it is in service")
                    .containsExactlyInAnyOrder(overHttp, overGrpc);
            awaitOnEachNode(node -> assertThat(registry.owner(node, overHttp)).isEqualTo(cluster.address(1)));
            assertThat(registry.beat(0, "kept", overHttp)).isEqualTo(10200);

            assertThat(reads.isDone()).as("the reads have failed").isFalse();
            assertThat(otherLists).isEmpty();
            int before = completeLists.get();
            await().until(() -> completeLists.get() > before);
            assertThat(subscriber.wire().pushes()).allSatisfy(push -> assertThat(
                            NamingClient.hosts(WireClient.tree(push).path("serviceInfo")))
                    .containsExactlyInAnyOrder(overHttp, overGrpc));
            reads.cancel(false);
        } finally {
            reading.shutdownNow();
        }
        registry.deregister(0, "kept", overHttp, "");
        awaitListed("kept");
    }

    /** No client is back yet: what is listed is what each node has kept of itself and of the others. */
    @Test
    @Order(13)
    void eachNodeListsAllOfTheGroupAtOnceWhenAllWereStopped() {
        List<String> overHttp =
                NODES.stream().map(node -> registry.ownedBy(node, "10.1.0.8")).toList();
        List<String> overGrpc = List.of("10.1.0.9:8080", "10.1.0.9:8081", "10.1.0.9:8082");
        List<String> all = Stream.concat(overHttp.stream(), overGrpc.stream()).toList();
        List<NamingClient> providers = new ArrayList<>();
        try {
            for (int node : NODES) {
                registry.register(node, "all-stopped", overHttp.get(node), "");
                NamingClient provider = cluster.naming(node);
                providers.add(provider);
                provider.register("all-stopped", overGrpc.get(node));
            }
            awaitListed("all-stopped", all.toArray(new String[0]));

            cluster.stopAll();
            for (int node : NODES) {
                cluster.start(node);
                assertThat(registry.listed(node, "all-stopped"))
                        .as("on node %s, which has just opened its ports", node)
                        .containsExactlyInAnyOrderElementsOf(all);
            }
            cluster.awaitInService();
            for (int node : NODES) {
                assertThat(registry.listed(node, "all-stopped")).containsExactlyInAnyOrderElementsOf(all);
            }
        } finally {
            providers.forEach(NamingClient::close);
        }

        try (NamingClient elsewhere = cluster.naming(1)) {
            elsewhere.register("all-stopped", overGrpc.get(0));
            awaitOnEachNode(
                    node -> assertThat(registry.listed(node, "all-stopped")).containsExactlyInAnyOrderElementsOf(all));
            elsewhere.deregister("all-stopped", overGrpc.get(0));
            registry.deregister(2, "all-stopped", overHttp.get(0), "");
        }
        awaitListed("all-stopped", overHttp.get(1), overHttp.get(2), overGrpc.get(1), overGrpc.get(2));
    }

    /** Comes late: one of the findings stays. */
    @Test
    @Order(14)
    void findingsPushesAndSubscriptionsOfAllNodesAreSeenAtEachNode() {
        new SeenFromAnyNode(cluster).overviewsAreSeen();
    }

    /** Comes last: the finding stays for a day. */
    @Test
    @Order(15)
    void allNodesReloadAndReportLostCommitsOfTheDatabase() throws Exception {
        publish(0, "lost", "stored-everywhere");
        cluster.ok(
                "POST", 0, "/nacos/v1/console/namespaces?customNamespaceId=stays&namespaceName=stays&namespaceDesc=");
        SchemaCopy replica = SchemaCopy.of(schema);
        assertThat(visible(publish(1, "lost", "not-on-the-replica"))).isEqualTo("3/3");
        publish(2, "lost-too", "not-on-the-replica");
        cluster.ok("POST", 0, "/nacos/v1/console/namespaces?customNamespaceId=gone&namespaceName=gone&namespaceDesc=");
        cluster.ok("POST", 2, "/nacos/v1/ns/service?serviceName=lost-service&protectThreshold=0.7");
        try (WireClient listener = cluster.wire(2)) {
            cluster.ok("POST", 0, "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=heard&content=not-on-the-replica");
            listener.listen("heard", listener.query("heard").path("md5").asString());

            replica.restore();

            for (int node : NODES) {
                await().untilAsserted(() -> assertThat(findings(node)).contains("DATABASE_LOST_COMMITS database"));
                await().untilAsserted(() -> assertThat(read(node, "lost")).isEqualTo("stored-everywhere"));
                await().untilAsserted(() -> assertThat(cluster.get(node, "/nacos/v1/cs/configs?group=g&dataId=lost-too")
                                .statusCode())
                        .isEqualTo(404));
                await().untilAsserted(() -> assertThat(cluster.get(node, "/nacos/v1/console/namespaces")
                                .body())
                        .contains("stays")
                        .doesNotContain("gone"));
                await().untilAsserted(
                                () -> assertThat(cluster.get(node, "/nacos/v1/ns/service?serviceName=lost-service")
                                                .body())
                                        .doesNotContain("0.7"));
            }
            assertThat(listener.nextChange()).isEqualTo("heard");
        }

        await().pollInterval(Duration.ofMillis(200))
                .untilAsserted(() -> assertThat(visible(publish(1, "lost", "published-again")))
                        .isEqualTo("3/3"));
        for (int node : NODES) {
            assertThat(read(node, "lost")).isEqualTo("published-again");
            await().untilAsserted(() -> assertThat(cluster.states(node)).isEqualTo(all("UP", "UP", "UP")));
        }
    }

    private static HttpResponse<String> publish(int node, String dataId, String content) {
        return cluster.ok("POST", node, "/nacos/v1/cs/configs?group=g&dataId=" + dataId + "&content=" + content);
    }

    /** How many nodes show the change, as its answer says. */
    private static String visible(HttpResponse<String> answer) {
        return answer.headers().firstValue(RevisionHeaders.VISIBLE).orElse("not named");
    }

    private static String read(int node, String dataId, String... headers) {
        return cluster.ok("GET", node, "/nacos/v1/cs/configs?group=g&dataId=" + dataId, headers)
                .body();
    }

    private static boolean isHealthy(int node, String service, String instance) {
        JsonNode healthy = registry.listed(node, service, instance).path("healthy");
        assertThat(healthy.isBoolean())
                .as("%s is listed by node %s", instance, node)
                .isTrue();
        return healthy.asBoolean();
    }

    /** Reads pushes until one has these instances. */
    private static void awaitPush(NamingClient subscriber, String... instances) {
        List<String> hosts = subscriber.nextHosts();
        while (!hosts.equals(List.of(instances))) {
            hosts = subscriber.nextHosts();
        }
    }

    /** The health of the only instance in the next push. */
    private static boolean pushedHealth(NamingClient subscriber) {
        return isHealthy(subscriber.nextInfo());
    }

    /** Whether one of the pushes that have come shows the only instance so. */
    private static boolean isPushed(NamingClient subscriber, boolean healthy) {
        List<Payload> pushes = new ArrayList<>();
        subscriber.wire().pushes().drainTo(pushes);
        return pushes.stream().anyMatch(push -> isHealthy(WireClient.tree(push).path("serviceInfo")) == healthy);
    }

    private static boolean isHealthy(JsonNode info) {
        assertThat(info.path("hosts")).hasSize(1);
        return info.path("hosts").get(0).path("healthy").asBoolean();
    }

    /** Waits until each node lists these instances and no other. */
    private static void awaitListed(String service, String... instances) {
        awaitOnEachNode(node -> assertThat(registry.listed(node, service))
                .as("on node %s", node)
                .containsExactlyInAnyOrder(instances));
    }

    private static void awaitOnEachNode(IntConsumer assertion) {
        for (int node : cluster.nodes()) {
            await().pollInterval(Duration.ofMillis(20)).untilAsserted(() -> assertion.accept(node));
        }
    }

    private static Map<String, String> addresses(JsonNode list) {
        Map<String, String> states = new TreeMap<>();
        list.get("data")
                .forEach(each -> states.put(
                        each.get("address").asString(), each.get("state").asString()));
        return states;
    }

    private static JsonNode details(int asked, int about) {
        for (JsonNode node :
                cluster.json(asked, "/nacos/v3/admin/core/cluster/node/list").get("data")) {
            if (node.get("address").asString().equals(cluster.address(about))) {
                return node.get("extendInfo").get("cluster");
            }
        }
        throw new AssertionError("node " + asked + " does not list node " + about);
    }

    /** The findings about nodes. */
    private static List<String> findings(int node) {
        return cluster.json(node, "/nacos/v3/admin/core/attention")
                .get("data")
                .valueStream()
                .filter(finding -> finding.get("detail").asString().length() > 0)
                .map(finding -> finding.get("kind").asString()
                        + ' '
                        + finding.get("subject").asString())
                .filter(text -> !text.startsWith("DISK_FULL") && !text.startsWith("LIMIT_NEAR"))
                .toList();
    }
}
