package io.cairn.server.cluster.replication;

import static io.cairn.server.cluster.replication.Samples.A;
import static io.cairn.server.cluster.replication.Samples.B;
import static io.cairn.server.cluster.replication.Samples.SERVICE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.LossCause;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.stored.InstanceMemory;
import io.cairn.server.naming.stored.LastKnownInstances;
import io.cairn.server.naming.stored.NamingChange;
import io.cairn.server.naming.stored.NamingStore;
import io.cairn.server.naming.stored.NamingWrite;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.node.NodeId;
import io.cairn.server.testing.SettableClock;
import io.netty.util.HashedWheelTimer;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HTTP clients that a node remembers from before its restart, and that deregister at another node meanwhile. */
class RecoveredClientInGroupTest {

    private static final Instance BEFORE = Instance.of("10.1.0.1", 80);
    private static final Instance AFTER = Instance.of("10.1.0.2", 80);
    private static final Instance STAYS = Instance.of("10.1.0.3", 80);

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final Map<NodeId, RegistryReplication> nodes = new ConcurrentHashMap<>();

    @AfterEach
    void stops() {
        nodes.values().forEach(RegistryReplication::close);
        timer.stop();
    }

    private RegistryParts start(NodeId id) {
        SettableClock time = new SettableClock();
        ClusterClock clock = new ClusterClock(time);
        RegistryParts naming = Samples.registry(timer, time);
        RegistryReplication node = RegistryReplication.withThreads(
                id,
                Samples.READY_NODE,
                naming.mirrored(),
                naming.registrations(),
                clock,
                (peer, message) -> Objects.requireNonNull(nodes.get(peer)).message(id, message),
                List::of,
                sdk -> Duration.ofSeconds(15),
                (from, message) -> {});
        naming.registry().joinGroup(id.address(), clock::stamp, node.changes());
        nodes.put(id, node);
        return naming;
    }

    private static List<Instance> listed(RegistryParts naming) {
        return naming.reads().snapshot(SERVICE).instances();
    }

    @Test
    void deregistrationAtAnotherNodeWinsBeforeAndAfterTheRecovery() {
        RegistryParts b = start(B);
        RegistryParts a = start(A);
        // Clients whose node is still starting: the other node knows nothing of them.
        b.recovery().deregisterOverHttp(SERVICE, BEFORE.key(), LossCause.DEREGISTERED);
        RegistryReplication ofA = Objects.requireNonNull(nodes.get(A));
        RegistryReplication ofB = Objects.requireNonNull(nodes.get(B));
        ofA.view(List.of(A, B), false);
        ofB.view(List.of(A, B), false);
        await().until(() -> ofA.isComplete() && ofB.isComplete());

        new LastKnownInstances(
                        a,
                        new StoredNaming(a, new NothingStored(), new StoredNaming.PersistentInstances() {}),
                        new Memory(new KnownService(SERVICE, List.of(), List.of(BEFORE, AFTER, STAYS), List.of())))
                .recover();
        assertThat(listed(a)).containsExactlyInAnyOrder(AFTER, STAYS);
        await().untilAsserted(() -> assertThat(listed(b)).containsExactlyInAnyOrder(AFTER, STAYS));

        b.recovery().deregisterOverHttp(SERVICE, AFTER.key(), LossCause.DEREGISTERED);

        await().untilAsserted(() -> assertThat(listed(a)).containsExactly(STAYS));
        await().untilAsserted(() -> assertThat(listed(b)).containsExactly(STAYS));
    }

    private record Memory(KnownService known) implements InstanceMemory {

        @Override
        public void forEach(Consumer<KnownService> consumer) {
            consumer.accept(known);
        }

        @Override
        public void save(Collection<KnownService> services) {}

        @Override
        public void close() {}
    }

    private static final class NothingStored implements NamingStore {

        @Override
        public CompletionStage<Void> write(List<NamingWrite> writes, Caller by, Runnable committed) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("write"));
        }

        @Override
        public CompletionStage<Void> change(
                List<NamingChange> changes, Caller by, Consumer<List<NamingWrite>> committed) {
            return CompletableFuture.failedFuture(new UnsupportedOperationException("change"));
        }

        @Override
        public void forEach(Consumer<NamingWrite> consumer) {}

        @Override
        public void forEach(Set<ServiceKey> services, Consumer<NamingWrite> consumer) {}

        @Override
        public void forEachSwitch(Set<String> names, Consumer<NamingWrite> consumer) {}
    }
}
