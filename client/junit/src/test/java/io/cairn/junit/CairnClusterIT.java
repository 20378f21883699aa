package io.cairn.junit;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.CairnClient;
import io.cairn.client.naming.EmptyLists;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A cluster of processes, and a client that moves through it with all that it watches and has registered. */
@Tag("full")
@CairnCluster
@CairnConfig(dataId = "orders.yaml", content = "timeout: 3s")
@EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "the MariaDB of this build runs there")
class CairnClusterIT {

    private static final int COUNT = 50;

    private final List<String> gaps = new CopyOnWriteArrayList<>();
    private final List<String> older = new CopyOnWriteArrayList<>();
    private final AtomicIntegerArray shown = new AtomicIntegerArray(COUNT);
    private final AtomicIntegerArray listed = new AtomicIntegerArray(COUNT);

    private static CairnClient client(CairnTestCluster cluster) {
        return CairnClient.builder()
                .servers(cluster.addresses())
                .noSnapshots()
                // The list of a server counts: one that the client holds back would hide a gap.
                .emptyLists(EmptyLists.BELIEVE, Duration.ZERO)
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE)
                .build();
    }

    private static ConfigKey key(CairnClient client, int number) {
        return client.configs().key("k-" + number);
    }

    private static ServiceKey service(CairnClient client, int number) {
        return client.naming().service("s-" + number);
    }

    private void watch(CairnClient client, int number) {
        client.configs()
                .watch(
                        key(client, number),
                        content -> {
                            int now = Integer.parseInt(content.text());
                            int before = shown.getAndSet(number, now);
                            if (now < before) {
                                older.add(number + ": " + now + " after " + before);
                            }
                        },
                        Runnable::run);
    }

    private void subscribe(CairnClient client, int number) {
        client.naming()
                .subscribe(
                        service(client, number),
                        change -> {
                            int now = change.now().instances().size();
                            int before = listed.getAndSet(number, now);
                            if (now < before) {
                                gaps.add(number + ": " + now + " instances after " + before);
                            }
                        },
                        Runnable::run);
    }

    private void publishAll(CairnClient writer, int value) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            all.add(writer.configs().publishAsync(key(writer, i), Integer.toString(value)));
        }
        all.forEach(CompletableFuture::join);
    }

    private void awaitAll(AtomicIntegerArray what, int value) {
        await().untilAsserted(() -> {
            for (int i = 0; i < COUNT; i++) {
                assertThat(what.get(i)).as("number %s of %s", i, what).isEqualTo(value);
            }
        });
    }

    private static CairnTestNode nodeOf(CairnTestCluster cluster, CairnClient client) {
        return cluster.nodeAt(client.server().orElseThrow().port());
    }

    private static CairnTestNode another(CairnTestCluster cluster, CairnTestNode than) {
        return cluster.nodes().stream()
                .filter(node -> node != than && node.serves())
                .findFirst()
                .orElseThrow();
    }

    private static void awaitLeft(CairnClient client, CairnTestNode node) {
        await().until(() -> client.connected()
                && client.server().map(server -> server.port()).orElse(0) != node.httpPort());
    }

    @Test
    void movedClientKeepsItsListensAndRegistrations(CairnTestCluster cluster) {
        showsTheRequestedStateAndPauses(cluster);
        try (CairnClient application = client(cluster);
                CairnClient consumer = client(cluster);
                CairnClient writer = client(cluster)) {
            publishAll(writer, 1);
            for (int i = 0; i < COUNT; i++) {
                watch(application, i);
                subscribe(consumer, i);
                application.naming().register(service(application, i), Instance.of("10.0.0.1", 1 + i));
            }
            awaitAll(shown, 1);
            awaitAll(listed, 1);

            // At the server's word, to the node that it names.
            CairnTestNode first = nodeOf(cluster, application);
            CairnTestNode second = another(cluster, first);
            first.calls().get("/v2/core/loader/reloadCurrent?count=0&redirectAddress=" + second.address());
            await().until(() ->
                    application.server().map(server -> server.port()).orElse(0) == second.httpPort());
            publishAll(writer, 2);
            awaitAll(shown, 2);

            // A node that stops drains first.
            second.stop();
            awaitLeft(application, second);
            publishAll(writer, 3);
            awaitAll(shown, 3);
            second.start();
            cluster.awaitInService();

            // A node that is killed says nothing.
            CairnTestNode killed = nodeOf(cluster, application);
            killed.kill();
            awaitLeft(application, killed);
            publishAll(writer, 4);
            awaitAll(shown, 4);

            for (CairnTestNode node : cluster.nodes()) {
                if (node.serves()) {
                    awaitRegistered(node);
                }
            }
            assertThat(gaps).as("lists that became shorter").isEmpty();
            assertThat(older).as("contents that became older").isEmpty();
        }
    }

    private static void awaitRegistered(CairnTestNode node) {
        await().untilAsserted(() -> {
            for (int i = 0; i < COUNT; i++) {
                assertThat(node.calls().get("/v1/ns/instance/list?serviceName=s-" + i))
                        .as("service %s at %s", i, node)
                        .hasValueSatisfying(list -> assertThat(list).contains("\"ip\":\"10.0.0.1\""));
            }
        });
    }

    /** First, while all three run. */
    private static void showsTheRequestedStateAndPauses(CairnTestCluster cluster) {
        for (CairnTestNode node : cluster.nodes()) {
            assertThat(node.config("orders.yaml", "DEFAULT_GROUP")).contains("timeout: 3s");
        }
        CairnTestNode paused = cluster.node(2);
        paused.pause();
        assertThat(paused.serves()).isFalse();
        paused.resume();
        assertThat(paused.serves()).isTrue();
        assertThat(paused.config("orders.yaml", "DEFAULT_GROUP")).contains("timeout: 3s");
        assertThatThrownBy(() -> cluster.nodeAt(1)).hasMessageContaining("expected: one of");
    }
}
