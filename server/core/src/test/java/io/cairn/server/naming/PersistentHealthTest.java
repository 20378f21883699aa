package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.health.HandDrivenChecks;
import io.cairn.server.naming.registry.OwnChanges;
import io.cairn.server.naming.stored.PersistentHealth;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The nodes of a cluster share the checks of persistent instances, and follow each other's results. */
class PersistentHealthTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance ONE = persistent("10.0.0.1");
    private static final Instance TWO = persistent("10.0.0.2");
    private static final Duration FIRST_CHECK = Duration.ofSeconds(2);

    private final HandDrivenLoop timer = new HandDrivenLoop();
    private final Node a = new Node();
    private final Node b = new Node();

    private static Instance persistent(String ip) {
        return new Instance(new InstanceKey(ip, 80, "DEFAULT"), 1, true, true, false, Map.of(), null);
    }

    /** A node whose recorded results arrive at the other one when the test lets them. */
    private final class Node implements OwnChanges {

        private final HandDrivenChecks checks = new HandDrivenChecks(timer);
        private final RegistryParts naming = RegistryParts.of(
                new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
                new Switches(),
                timer,
                new SettableClock(),
                timer::nanoTime);
        private final Set<String> share = new HashSet<>();
        private final List<String> recorded = new ArrayList<>();
        private final List<Runnable> stream = new ArrayList<>();
        private final PersistentHealth health = new PersistentHealth(
                naming,
                checks.checks(),
                new SettableClock(),
                (service, instance) -> share.contains(instance.ip()),
                this);
        private final StoredNaming stored = new StoredNaming(naming, new MapStore(), health);

        void register(Instance instance) {
            stored.register(Caller.SERVER, SERVICE, instance)
                    .toCompletableFuture()
                    .join();
        }

        void shares(String... ips) {
            share.clear();
            share.addAll(List.of(ips));
            health.shareChanged();
        }

        boolean shows(Instance instance) {
            return naming.reads().snapshot(SERVICE).published().stream()
                    .filter(each -> each.key().equals(instance.key()))
                    .findFirst()
                    .orElseThrow()
                    .healthy();
        }

        void sendTo(Node other) {
            stream.forEach(Runnable::run);
            stream.clear();
        }

        @Override
        public void checked(ServiceKey service, InstanceKey instance, boolean healthy) {
            recorded.add(instance.ip() + ' ' + healthy);
            Node other = this == a ? b : a;
            stream.add(() -> other.naming.health().setHealthy(service, instance, healthy, UnhealthyCause.CHECK));
        }

        @Override
        public void unchecked(ServiceKey service, InstanceKey instance) {
            recorded.add(instance.ip() + " unchecked");
        }

        @Override
        public void published(String publisherId, ServiceKey service) {}

        @Override
        public void withdrawn(String publisherId, ServiceKey service) {}

        @Override
        public void moved(String publisherId, ServiceKey service, String to) {}

        @Override
        public void forgotten(ServiceKey service, InstanceKey instance) {}

        @Override
        public long deregisteredAt(ServiceKey service, InstanceKey instance) {
            return 0;
        }
    }

    private void oneOfEach() {
        a.share.add(ONE.key().ip());
        b.share.add(TWO.key().ip());
        for (Node node : List.of(a, b)) {
            node.register(ONE);
            node.register(TWO);
        }
    }

    @Test
    void checksItsShareAlone() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);

        assertThat(a.checks.takeProbed()).containsExactly("10.0.0.1:80");
        assertThat(b.checks.takeProbed()).containsExactly("10.0.0.2:80");
        assertThat(a.recorded).containsExactly("10.0.0.1 true");
        assertThat(b.recorded).containsExactly("10.0.0.2 true");
    }

    @Test
    void otherNodeShowsResult() throws Exception {
        oneOfEach();
        a.checks.down();
        timer.pass(FIRST_CHECK);
        a.sendTo(b);

        assertThat(b.shows(ONE)).isFalse();
        assertThat(b.shows(TWO)).isTrue();
    }

    @Test
    void takesOverWithMirroredHealthAndChecksWithinSeconds() throws Exception {
        oneOfEach();
        a.checks.down();
        timer.pass(FIRST_CHECK);
        a.sendTo(b);
        b.checks.takeProbed();
        b.checks.down();

        b.shares("10.0.0.1", "10.0.0.2");
        assertThat(b.shows(ONE)).isFalse();
        timer.pass(FIRST_CHECK);
        assertThat(b.checks.takeProbed()).contains("10.0.0.1:80");
        assertThat(b.recorded).contains("10.0.0.1 false");

        b.checks.pass();
        timer.pass(Duration.ofMinutes(5));
        assertThat(b.shows(ONE)).isTrue();
        assertThat(b.recorded).endsWith("10.0.0.1 true");
    }

    @Test
    void nodeThatLosesItsShareStopsCheckingAndReportsIt() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);
        a.checks.takeProbed();

        a.shares();
        timer.pass(Duration.ofMinutes(1));

        assertThat(a.checks.takeProbed()).isEmpty();
        assertThat(a.recorded).containsExactly("10.0.0.1 true", "10.0.0.1 unchecked");
        assertThat(a.health.lastCheck(SERVICE, ONE.key())).isNull();
    }

    @Test
    void instanceThatIsRemovedIsNotCheckedAfterChangeOfShare() throws Exception {
        oneOfEach();
        a.stored
                .deregister(Caller.SERVER, SERVICE, ONE.key())
                .toCompletableFuture()
                .join();

        a.shares("10.0.0.1", "10.0.0.2");
        timer.pass(FIRST_CHECK);

        assertThat(a.checks.takeProbed()).containsExactly("10.0.0.2:80");
    }

    @Test
    void laterResultOfFormerNodeIsCorrectedByPresentOne() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);
        a.sendTo(b);
        a.shares();
        b.shares("10.0.0.1", "10.0.0.2");
        timer.pass(FIRST_CHECK);
        b.sendTo(a);

        // The last result of the former node arrives after the present one has begun.
        b.naming.health().setHealthy(SERVICE, ONE.key(), false, UnhealthyCause.CHECK);
        timer.pass(Duration.ofMinutes(5));

        assertThat(b.recorded).endsWith("10.0.0.1 false", "10.0.0.1 true");
        assertThat(b.shows(ONE)).isTrue();
    }

    @Test
    void healthSetByOperatorOnOtherNodeIsRecordedAtOnceAndCheckedAgain() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);

        a.health.set(SERVICE, ONE.key(), false);
        assertThat(a.recorded).containsExactly("10.0.0.1 true", "10.0.0.1 false");
        b.health.set(SERVICE, ONE.key(), false);
        assertThat(b.shows(ONE)).isTrue();

        timer.pass(Duration.ofMinutes(5));
        assertThat(a.shows(ONE)).isTrue();
        assertThat(a.recorded).endsWith("10.0.0.1 true");
    }

    @Test
    void healthOfEphemeralInstanceSetByOperatorOnOtherNodeIsShown() {
        Instance ephemeral = Instance.of("10.0.0.3", 80);
        a.naming.leases().register(SERVICE, ephemeral);

        a.health.set(SERVICE, ephemeral.key(), false);
        assertThat(a.shows(ephemeral)).isFalse();
        assertThat(a.recorded).isEmpty();
        b.health.set(SERVICE, ephemeral.key(), false);
        assertThat(b.naming.reads().find(SERVICE)).isNull();
    }

    @Test
    void nodeThatDoesNotCheckShowsHealthSetByOperatorOnlyFromTheOneThatDoes() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);
        a.sendTo(b);

        b.stored
                .setHealthy(Caller.SERVER, SERVICE, ONE.key(), false)
                .toCompletableFuture()
                .join();
        assertThat(b.shows(ONE)).isTrue();
        a.health.set(SERVICE, ONE.key(), false);
        a.sendTo(b);
        assertThat(b.shows(ONE)).isFalse();
    }

    @Test
    void registrationOfInstanceThatIsCheckedElsewhereKeepsItsHealth() throws Exception {
        oneOfEach();
        a.checks.down();
        timer.pass(FIRST_CHECK);
        a.sendTo(b);

        b.register(ONE.withWeight(5));
        assertThat(b.shows(ONE)).isFalse();
    }

    @Test
    void healthOfInstanceWithoutChecksIsTheStoredOne() throws Exception {
        oneOfEach();
        timer.pass(FIRST_CHECK);
        ClusterSettings none = new ClusterSettings("{\"type\":\"NONE\"}", 80, true, Map.of());
        for (Node node : List.of(a, b)) {
            node.stored
                    .updateService(Caller.SERVER, SERVICE, before -> before.withCluster("DEFAULT", none))
                    .toCompletableFuture()
                    .join();
        }
        timer.pass(Duration.ofMinutes(1));
        assertThat(a.recorded).containsExactly("10.0.0.1 true", "10.0.0.1 unchecked");

        a.health.set(SERVICE, ONE.key(), false);
        assertThat(a.shows(ONE)).isTrue();
        b.register(ONE.withHealthy(false));
        assertThat(b.shows(ONE)).isFalse();

        b.naming.mirrored().check(SERVICE, ONE.key(), false);
        b.register(ONE.withHealthy(true));
        assertThat(b.shows(ONE))
                .as("the result of a former check does not count")
                .isTrue();
    }
}
