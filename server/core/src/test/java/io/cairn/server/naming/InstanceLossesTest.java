package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.lease.KnownService;
import io.cairn.server.naming.registry.InstanceLosses;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.LogWatch;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Instances that are no longer registered leave a trace: a counter, a log line, and the reason at their service. */
class InstanceLossesTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance TWO = Instance.of("10.0.0.2", 80);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            clock,
            loop::nanoTime);
    private final StoredNaming stored =
            new StoredNaming(naming, new MapStore(), new StoredNaming.PersistentInstances() {});

    private static ServiceKey service(int number) {
        return new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "service-" + number);
    }

    private void pass(Duration time) throws Exception {
        clock.advance(time);
        loop.pass(time);
    }

    private InstanceLosses.Loss loss(LossCause cause, int count, String example) {
        return new InstanceLosses.Loss(cause, clock.millis(), count, example);
    }

    @Test
    void threeHundredSilentInstancesAreTenLinesAndASum() throws Exception {
        try (LogWatch log = new LogWatch()) {
            for (int i = 0; i < 300; i++) {
                naming.leases().register(service(i % 39), Instance.of("10.0.1." + i % 250, 1000 + i));
            }
            pass(Duration.ofSeconds(30));
            assertThat(naming.reads().instanceCount()).isZero();
            pass(Duration.ofMillis(InstanceLosses.GATHER_MILLIS));

            List<String> lines = log.warningsOf(InstanceLosses.class);
            assertThat(lines).hasSize(10);
            assertThat(lines.get(0))
                    .matches("Service DEFAULT_GROUP@@service-\\d+ of namespace public lost 8 instances: heartbeats"
                            + " missing \\(10\\.0\\.1\\.\\d+:\\d+ and others\\)");
            assertThat(naming.reads().losses().count(LossCause.EXPIRED)).isEqualTo(300);
            assertThat(naming.reads().losses().of(service(0))).hasSize(1);
            assertThat(naming.reads().losses().of(service(0)).get(0).count()).isEqualTo(8);

            pass(Duration.ofMillis(InstanceLosses.LOG_PERIOD_MILLIS));
            assertThat(log.warningsOf(InstanceLosses.class))
                    .hasSize(11)
                    .last()
                    .asString()
                    .matches(
                            "In the last minute 29 other services lost \\d+ instances more \\(heartbeats missing: \\d+\\)");

            naming.leases().register(SERVICE, ONE);
            pass(Duration.ofSeconds(40));
            assertThat(log.warningsOf(InstanceLosses.class)).as("a new minute").hasSize(12);
        }
    }

    @Test
    void distinguishesClosedConnectionsFromDeregistrations() throws Exception {
        Publisher connection = naming.registry().connection("c", new Publisher.Client("10.0.0.1", 0, "", ""));
        Publisher other = naming.registry().connection("d", new Publisher.Client("10.0.0.2", 0, "", ""));
        naming.registrations().register(connection, SERVICE, List.of(ONE, TWO));
        naming.registrations().register(other, SERVICE, List.of(Instance.of("10.0.0.9", 80)));

        naming.registrations().deregister(other, SERVICE);
        pass(Duration.ofSeconds(2));
        InstanceLosses.Loss first = naming.reads().losses().of(SERVICE).get(0);
        assertThat(first.cause()).isEqualTo(LossCause.DEREGISTERED);
        assertThat(first.example()).isEqualTo("10.0.0.9:80");
        naming.recovery().connectionClosed("c", false);
        InstanceLosses.Loss second = loss(LossCause.CONNECTION_CLOSED, 2, "10.0.0.1:80");
        pass(Duration.ofSeconds(2));

        assertThat(naming.reads().losses().of(SERVICE)).containsExactly(second, first);
        assertThat(naming.reads().losses().count(LossCause.EXPIRED)).isZero();
        assertThat(naming.reads().losses().count(LossCause.CONNECTION_CLOSED)).isEqualTo(2);
        assertThat(naming.reads().losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
    }

    @Test
    void shorterListOfABatchIsADeregistration() throws Exception {
        Publisher connection = naming.registry().connection("c", new Publisher.Client("10.0.0.1", 0, "", ""));
        naming.registrations().register(connection, SERVICE, List.of(ONE, TWO));

        naming.registrations().register(connection, SERVICE, List.of(ONE));

        assertThat(naming.reads().losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
    }

    @Test
    void operatorIsNamedForEphemeralAndPersistentInstances() throws Exception {
        Instance persistent =
                new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);
        ServiceKey other = service(1);
        naming.leases().register(SERVICE, ONE);
        assertThat(stored.register(Caller.SERVER, other, persistent)).isCompleted();

        naming.recovery().deregisterOverHttp(SERVICE, ONE.key(), LossCause.REMOVED);
        assertThat(stored.deregister(Caller.SERVER, other, persistent.key(), LossCause.REMOVED))
                .isCompleted();

        assertThat(naming.reads().losses().count(LossCause.REMOVED)).isEqualTo(2);
        pass(Duration.ofSeconds(2));
        assertThat(naming.reads().losses().of(SERVICE).get(0).cause()).isEqualTo(LossCause.REMOVED);
        assertThat(naming.reads().losses().of(other).get(0).cause()).isEqualTo(LossCause.REMOVED);
    }

    @Test
    void instancesThatDoNotComeBackAfterARestartAreCountedUntilTheyDo() throws Exception {
        Instance beating = Instance.of("10.0.0.7", 80);
        Instance back = Instance.of("10.0.0.8", 80);
        naming.recovery()
                .recover(new KnownService(
                        SERVICE,
                        List.of(new KnownService.Connected(ONE, ""), new KnownService.Connected(TWO, "")),
                        List.of(beating, back),
                        List.of()));
        naming.recovery().startRecoveryWindow();
        assertThat(naming.reads().notBack().instances()).isZero();
        naming.leases().beat(SERVICE, back.key(), null);

        pass(Duration.ofSeconds(31));

        assertThat(naming.reads().losses().count(LossCause.NOT_BACK)).isEqualTo(3);
        assertThat(naming.reads().losses().count(LossCause.EXPIRED))
                .as("one that was back and fell silent")
                .isEqualTo(1);
        assertThat(naming.reads().notBack()).isEqualTo(new InstanceLosses.Missing(3, Map.of(SERVICE, 3)));

        naming.registrations()
                .register(
                        naming.registry().connection("c", new Publisher.Client("10.0.0.1", 0, "", "")),
                        SERVICE,
                        List.of(ONE));
        naming.leases().register(SERVICE, beating);
        assertThat(naming.reads().notBack()).isEqualTo(new InstanceLosses.Missing(1, Map.of(SERVICE, 1)));
    }

    @Test
    void serverThatStopsLosesNothing() throws Exception {
        naming.registrations()
                .register(
                        naming.registry().connection("c", new Publisher.Client("", 0, "", "")), SERVICE, List.of(ONE));
        naming.leases().register(SERVICE, TWO);
        naming.registry().freeze();

        naming.recovery().connectionClosed("c", false);
        pass(Duration.ofHours(1));

        for (LossCause cause : LossCause.values()) {
            assertThat(naming.reads().losses().count(cause)).isZero();
        }
    }

    @Test
    void silentInstanceIsCountedWhenItBecomesUnhealthy() throws Exception {
        naming.leases().register(SERVICE, ONE);
        pass(Duration.ofSeconds(15));
        assertThat(naming.health().unhealthyCount(UnhealthyCause.HEARTBEAT)).isEqualTo(1);
        assertThat(naming.health().unhealthyCount(UnhealthyCause.CHECK)).isZero();
    }
}
