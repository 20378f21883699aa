package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.connection.Origin;
import io.cairn.client.naming.ServiceView;
import io.cairn.client.naming.ServiceWatch;
import io.cairn.server.CairnServer;
import io.cairn.testing.ReservedPorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that go and come. */
@Tag("full")
class OutagesIT {

    @TempDir
    Path snapshots;

    @TempDir
    Path home;

    private ClientBuilder builder(String... servers) {
        return CairnClient.builder()
                .servers(servers)
                .snapshots(snapshots)
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    private static Set<Thread> threadsOfTheTransport() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> Stream.of("OkHttp", "grpc-shared", "Keep-Alive")
                        .anyMatch(part -> thread.getName().contains(part)))
                .collect(Collectors.toSet());
    }

    private static void awaitThreadsGone(String name) {
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(thread -> thread.startsWith(name)));
    }

    @Test
    void afterARestartAllIsRegisteredAndWatchedAgain() {
        String port = Integer.toString(ReservedPorts.ofServer());
        CairnServer first =
                CairnServer.builder().home(home).setting("server.port", port).start();
        try (CairnClient client = builder(first.address()).build();
                CairnClient other = builder(first.address()).build()) {
            ConfigKey key = client.configs().key("restarted");
            ServiceKey service = client.naming().service("restarted");
            client.configs().publish(key, "one");
            List<String> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch = client.configs().watch(key, content -> told.add(content.text()));
                    ServiceWatch subscribed = other.naming().subscribe(service, change -> {})) {
                client.naming().register(service, Instance.of("10.0.0.1", 80));
                await().until(() -> told, List.of("one")::equals);
                await().until(() -> !subscribed
                        .current()
                        .map(ServiceView::instances)
                        .orElse(List.of())
                        .isEmpty());

                first.close();
                await().until(() -> !client.connected());
                CairnServer second = CairnServer.builder()
                        .home(home)
                        .setting("server.port", port)
                        .start();
                try {
                    await().until(client::connected);
                    other.configs().publish(key, "two");
                    await().until(() -> told, List.of("one", "two")::equals);
                    await().until(() -> other.naming().instances(service).size() == 1);
                    assertThat(watch.current()).map(ConfigContent::text).contains("two");
                    // The restarted server has told it itself.
                    try (CairnClient fresh = builder(second.address()).build()) {
                        await().until(() -> fresh.naming().instances(service).size() == 1);
                    }
                } finally {
                    client.close();
                    other.close();
                    second.close();
                }
            }
        }
    }

    @Test
    void whenItsServerEndsTheClientGoesToTheOtherOne() {
        CairnServer one = CairnServer.builder().temporary().start();
        CairnServer two = CairnServer.builder().temporary().start();
        try (CairnClient client = builder(one.address(), two.address()).build()) {
            // Two servers without a common database: each is asked for what it knows.
            boolean onOne = client.server().orElseThrow().port() == one.httpPort();
            CairnServer used = onOne ? one : two;
            CairnServer left = onOne ? two : one;
            ConfigKey key = client.configs().key("failover");
            ServiceKey service = client.naming().service("failover");
            client.configs().publish(key, "of the first");
            try (CairnClient direct = builder(left.address()).noSnapshots().build()) {
                direct.configs().publish(key, "of the second");
            }
            List<String> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch = client.configs().watch(key, content -> told.add(content.text()))) {
                await().until(() -> told, List.of("of the first")::equals);
                client.naming().register(service, Instance.of("10.0.0.1", 80));

                used.close();

                await().until(() -> told, List.of("of the first", "of the second")::equals);
                assertThat(client.server().orElseThrow().port()).isEqualTo(left.httpPort());
                assertThat(watch.current()).map(ConfigContent::text).contains("of the second");
                await().until(() -> client.naming().instances(service).size() == 1);
            }
        } finally {
            one.close();
            two.close();
        }
    }

    @Test
    void withoutAServerAClientStartsFromItsSnapshotsAndCatchesUp() {
        String port = Integer.toString(ReservedPorts.ofServer());
        CairnServer first =
                CairnServer.builder().home(home).setting("server.port", port).start();
        String address = first.address();
        ConfigKey key;
        ServiceKey service;
        try (CairnClient client = builder(address).build()) {
            key = client.configs().key("kept");
            service = client.naming().service("kept");
            client.configs().publish(key, "kept text");
            client.naming().register(service, Instance.of("10.0.0.1", 80));
            assertThat(client.configs().get(key)).isPresent();
            assertThat(client.naming().instances(service)).hasSize(1);
            await().until(() ->
                    java.nio.file.Files.exists(snapshots.resolve("service").resolve("public")));
        } finally {
            first.close();
        }

        assertThatThrownBy(() -> builder(address)
                        .name("vain")
                        .failFast(Duration.ofSeconds(5))
                        .build())
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("opening the TCP connection failed")
                .hasMessageContaining(" + 1000");
        awaitThreadsGone("vain");

        try (CairnClient client = builder(address).startWithoutServer(PATIENCE).build()) {
            assertThat(client.connected()).isFalse();
            assertThat(client.problem()).isPresent();
            ConfigContent kept = client.configs().get(key).orElseThrow();
            assertThat(kept.text()).isEqualTo("kept text");
            assertThat(kept.origin()).isEqualTo(Origin.SNAPSHOT);
            assertThat(kept.age()).isPositive();

            List<String> told = new CopyOnWriteArrayList<>();
            try (ConfigWatch watch = client.configs().watch(key, content -> told.add(content.text()));
                    ServiceWatch subscribed = client.naming().subscribe(service, change -> {})) {
                await().until(() -> told, List.of("kept text")::equals);
                await().until(() -> subscribed.current().isPresent());
                assertThat(subscribed.current().orElseThrow().origin()).isEqualTo(Origin.SNAPSHOT);

                CairnServer second = CairnServer.builder()
                        .home(home)
                        .setting("server.port", port)
                        .start();
                try {
                    await().until(client::connected);
                    client.configs().publish(key, "new text");
                    await().until(() -> told, List.of("kept text", "new text")::equals);
                    assertThat(watch.current().orElseThrow().origin()).isEqualTo(Origin.SERVER);
                } finally {
                    client.close();
                    second.close();
                }
            }
        }
    }

    @Test
    void closingLeavesNoThreadBehind() {
        Set<Thread> before = threadsOfTheTransport(); // of an application's own gRPC, as other tests are
        CairnServer server = CairnServer.builder().temporary().start();
        try {
            for (int i = 0; i < 10; i++) {
                CairnClient client = builder(server.address()).name("leak").build();
                client.configs().watch(client.configs().key("leak-" + i), content -> {});
                client.naming().register(client.naming().service("leak"), Instance.of("10.0.0.1", 1 + i));
                client.close();
                client.close();
                assertThatThrownBy(() -> client.configs().get(client.configs().key("x")))
                        .hasMessageContaining("closed");
            }
            awaitThreadsGone("leak");
            await().untilAsserted(() -> assertThat(threadsOfTheTransport()).isSubsetOf(before));
        } finally {
            server.close();
        }
    }
}
