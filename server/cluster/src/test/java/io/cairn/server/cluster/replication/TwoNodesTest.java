package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.server.node.NodeId;
import io.cairn.server.node.NodeState;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two nodes with their real threads, joined by a transport in memory. */
class TwoNodesTest {

    private final Map<NodeId, RegistryReplication> nodes = new ConcurrentHashMap<>();
    private final Map<NodeId, RecordingRegistry> registries = new ConcurrentHashMap<>();
    private final ExecutorService publishers = Executors.newFixedThreadPool(4);

    @AfterEach
    void stops() {
        publishers.shutdownNow();
        nodes.values().forEach(RegistryReplication::close);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("cairn-lane-")));
    }

    private RegistryReplication start(NodeId id) {
        RecordingRegistry registry = new RecordingRegistry();
        registries.put(id, registry);
        RegistryReplication node = RegistryReplication.withThreads(
                id,
                new LocalNode() {
                    @Override
                    public Description description() {
                        return new Description(9848, 9849, "0.2.0", NodeState.READY, 0, "");
                    }

                    @Override
                    public Load load() {
                        return new Load(0, 0, 0);
                    }
                },
                registry,
                registry,
                new ClusterClock(new SettableClock()),
                (peer, message) -> Objects.requireNonNull(nodes.get(peer)).message(id, message),
                List::of,
                sdk -> Duration.ofSeconds(15),
                (from, message) -> {});
        nodes.put(id, node);
        return node;
    }

    @Test
    void copyFollowsPublishersOfManyThreads() throws Exception {
        RegistryReplication a = start(A);
        RegistryReplication b = start(B);
        RecordingRegistry own = Objects.requireNonNull(registries.get(A));
        publish(a, own, "before", 1);
        a.view(List.of(A, B), false);
        b.view(List.of(A, B), false);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            String name = "p" + thread + "-";
            all.add(publishers.submit(() -> {
                for (int i = 0; i < 2_000; i++) {
                    publish(a, own, name + i % 50, i);
                    if (i % 7 == 0) {
                        own.own.remove(name + i % 50);
                        a.changes().withdrawn(name + i % 50, SERVICE);
                    }
                }
            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
        await().until(() -> Objects.requireNonNull(b.copies().get(A)).summary().equals(a.summary()));
        RecordingRegistry mirrored = Objects.requireNonNull(registries.get(B));
        own.own.forEach((id, publication) -> assertThat(
                        Objects.requireNonNull(mirrored.shown(id)).instances().decode())
                .as(id)
                .isEqualTo(publication.instances()));
        assertThat(mirrored.shown("before")).isNotNull();
        assertThat(a.snapshots()).isEqualTo(1);
        assertThat(b.diverged()).isZero();
        await().until(() -> a.isComplete() && b.isComplete());
    }

    private static void publish(RegistryReplication node, RecordingRegistry registry, String id, int port) {
        registry.own.put(id, RecordingRegistry.ownPublication(id, Instance.of("10.1.0.1", port)));
        node.changes().published(id, SERVICE);
    }
}
