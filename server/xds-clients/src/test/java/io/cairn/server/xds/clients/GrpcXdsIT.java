package io.cairn.server.xds.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.CairnServer;
import io.cairn.testing.ReservedPorts;
import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** gRPC-Java with {@code xds:///}, as an application uses it: a bootstrap with a token, and a channel. */
class GrpcXdsIT {

    /** The balancer picks at random: 3 points are six times the standard deviation. */
    private static final int CALLS = 4_000;

    private static final int DRAINS = Integer.getInteger("cairn.test.drain.rounds", 3);

    @TempDir
    static Path home;

    private static CairnServer cairn;
    private static RegistryCalls registry;
    private static GrpcBackend one;
    private static GrpcBackend other;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        cairn = start(ReservedPorts.ofServer());
        registry = new RegistryCalls(cairn.httpPort());
        registry.login(home);
        one = new GrpcBackend();
        other = new GrpcBackend();
        System.setProperty("io.grpc.xds.bootstrapConfig", """
                {
                  "xds_servers": [{
                    "server_uri": "127.0.0.1:%d",
                    "channel_creds": [{"type": "insecure"}],
                    "server_features": ["xds_v3"]
                  }],
                  "server_listener_resource_name_template": "grpc/server?xds.resource.listening_address=%%s",
                  "node": {"id": "grpc-java-test", "cluster": "test", "metadata": {"accessToken": "%s"}}
                }
                """.formatted(cairn.grpcPort(), registry.readingToken()));
    }

    private static CairnServer start(int port) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", Integer.toString(port))
                .setting("cairn.shutdown.drain", "0s")
                .setting("nacos.core.auth.enabled", "true")
                .start();
    }

    @AfterAll
    static void stop() {
        System.clearProperty("io.grpc.xds.bootstrapConfig");
        one.close();
        other.close();
        cairn.close();
    }

    @Test
    void callsReachAllInstancesAndFollowTheRegistry() throws Exception {
        registry.register("orders", one.port(), 1, "");
        try (OpenChannel orders = new OpenChannel("orders")) {
            assertThat(answers(orders.channel(), 20)).containsOnlyKeys(one.port());

            registry.register("orders", other.port(), 1, "");
            await().untilAsserted(() -> assertThat(answers(orders.channel(), 10))
                    .containsOnly(Map.entry(one.port(), 5), Map.entry(other.port(), 5)));

            registry.deregister("orders", one.port());
            await().untilAsserted(
                            () -> assertThat(answers(orders.channel(), 10)).containsOnlyKeys(other.port()));
        }
    }

    @Test
    void weightsDecideTheShareOfCalls() throws Exception {
        registry.register("weighted", one.port(), 90, "");
        registry.register("weighted", other.port(), 10, "");
        try (OpenChannel weighted = new OpenChannel("weighted")) {
            // Until both are connected, one of them takes all calls.
            await().until(() -> answers(weighted.channel(), 100).size() == 2);
            double share = answers(weighted.channel(), CALLS).get(one.port()) * 100.0 / CALLS;
            assertThat(share).as("percent of the calls to weight 90").isBetween(87.0, 93.0);
        }
    }

    @Test
    void subsetIsAClusterOfItsOwn() throws Exception {
        registry.register("canary", one.port(), 1, "\"version\":\"1\"");
        registry.register("canary", other.port(), 1, "\"version\":\"2\"");
        try (OpenChannel second = new OpenChannel("canary~version=2")) {
            assertThat(answers(second.channel(), 20)).containsOnlyKeys(other.port());
        }
    }

    @Test
    void serviceOfAnotherGroupIsNamedWithoutAt() throws Exception {
        registry.register("shop@@grouped", one.port(), 1, "\"version\":\"1\"");
        registry.register("grouped", other.port(), 1, "");
        try (OpenChannel grouped = new OpenChannel("shop%20grouped");
                OpenChannel first = new OpenChannel("shop%20grouped~version=1")) {
            assertThat(answers(grouped.channel(), 10)).containsOnlyKeys(one.port());
            assertThat(answers(first.channel(), 10)).containsOnlyKeys(one.port());

            registry.register("shop@@grouped", other.port(), 1, "\"version\":\"2\"");
            await().untilAsserted(() ->
                    assertThat(answers(grouped.channel(), 10)).containsOnlyKeys(one.port(), other.port()));
        }
    }

    /** Its listener is generated from the name that the template of the bootstrap makes. */
    @Test
    void serverStartsWithAPlainListener() throws Exception {
        try (GrpcBackend server = GrpcBackend.overXds(ReservedPorts.one())) {
            ManagedChannel channel = Grpc.newChannelBuilder(
                            "127.0.0.1:" + server.port(), InsecureChannelCredentials.create())
                    .build();
            try (OpenChannel plain = new OpenChannel(channel)) {
                assertThat(GrpcBackend.ask(plain.channel())).isEqualTo(server.port());
            }
            registry.register("over-xds", server.port(), 1, "");
            try (OpenChannel client = new OpenChannel("over-xds")) {
                assertThat(answers(client.channel(), 5)).containsOnlyKeys(server.port());
            }
        }
    }

    /** The canary of the guide: a stored route with weights between two subsets, changed and taken back. */
    @Test
    void weightedRouteDecidesTheShareOfACanary() throws Exception {
        registry.register("shop", one.port(), 1, "\"version\":\"1\"");
        registry.register("shop", other.port(), 1, "\"version\":\"2\"");
        registry.publish("route.shop", canary("shop", 90, 10));
        try (OpenChannel shop = new OpenChannel("shop")) {
            await().until(() -> answers(shop.channel(), 100).size() == 2);
            double share = answers(shop.channel(), CALLS).get(one.port()) * 100.0 / CALLS;
            assertThat(share).as("percent of the calls to version 1").isBetween(87.0, 93.0);

            registry.publish("route.shop", canary("shop", 0, 100));
            await().untilAsserted(() -> assertThat(answers(shop.channel(), 20)).containsOnlyKeys(other.port()));
            registry.withdraw("route.shop");
            await().untilAsserted(
                            () -> assertThat(answers(shop.channel(), 20)).containsOnlyKeys(one.port(), other.port()));
        }
    }

    /** The backend is stopped after the answer, without a deregistration before, and starts on its port again. */
    @Test
    void drainedBackendRestartsWithoutAFailedCall() throws Exception {
        registry.register("drained", one.port(), 1, "");
        int port = ReservedPorts.one();
        try (OpenChannel drained = new OpenChannel("drained");
                SteadyAsks asks = new SteadyAsks(drained.channel())) {
            for (int round = 0; round < DRAINS; round++) {
                try (GrpcBackend leaving = new GrpcBackend(port)) {
                    registry.register("drained", leaving.port(), 1, "");
                    asks.awaitAnswersOf(port);

                    assertThat(registry.drain("drained", port)).contains("\"acknowledged\":true", "\"subscribers\":1");
                    // The calls under way have ended then.
                    asks.awaitCalls(20);
                    int last = asks.answersOf(port);
                    asks.awaitCalls(20);
                    assertThat(asks.answersOf(port)).isEqualTo(last);
                }
                asks.awaitCalls(20);
                registry.deregister("drained", port);
            }
            assertThat(asks.failures()).isEmpty();
        }
    }

    private static String canary(String service, int first, int second) {
        return """
                virtual_hosts:
                - name: canary
                  domains: ["*"]
                  routes:
                  - match: {prefix: ""}
                    route:
                      weighted_clusters:
                        clusters:
                        - {name: "%1$s~version=1", weight: %2$d}
                        - {name: "%1$s~version=2", weight: %3$d}
                """.formatted(service, first, second);
    }

    @Test
    void serverThatRestartsCostsNoCallAndNoEndpoint() throws Exception {
        registry.register("lasting", one.port(), 1, "");
        registry.register("lasting", other.port(), 1, "");
        try (OpenChannel lasting = new OpenChannel("lasting")) {
            await().until(() -> answers(lasting.channel(), 10).size() == 2);
            int httpPort = cairn.httpPort();
            cairn.close();
            bothAnswer(lasting.channel());
            cairn = start(httpPort);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            while (System.nanoTime() < end) {
                bothAnswer(lasting.channel());
            }
            // The client is connected again: it sees a change.
            registry.deregister("lasting", one.port());
            await().untilAsserted(
                            () -> assertThat(answers(lasting.channel(), 10)).containsOnlyKeys(other.port()));
        }
    }

    private static void bothAnswer(Channel channel) {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            ports.add(GrpcBackend.ask(channel));
        }
        assertThat(ports).containsExactlyInAnyOrder(one.port(), other.port());
    }

    /** How many calls each backend answered; a call that fails fails the test. */
    private static Map<Integer, Integer> answers(Channel channel, int calls) {
        Map<Integer, Integer> answers = new HashMap<>();
        for (int i = 0; i < calls; i++) {
            answers.merge(GrpcBackend.ask(channel), 1, Integer::sum);
        }
        return answers;
    }

    private record OpenChannel(ManagedChannel channel) implements AutoCloseable {

        OpenChannel(String name) {
            this(Grpc.newChannelBuilder("xds:///" + name, InsecureChannelCredentials.create())
                    .build());
        }

        @Override
        public void close() {
            channel.shutdownNow();
        }
    }
}
