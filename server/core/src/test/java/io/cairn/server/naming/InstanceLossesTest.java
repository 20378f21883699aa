package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
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
    private final NamingService naming = new NamingService(
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
                naming.registerOverHttp(service(i % 39), Instance.of("10.0.1." + i % 250, 1000 + i));
            }
            pass(Duration.ofSeconds(30));
            assertThat(naming.instanceCount()).isZero();
            pass(Duration.ofMillis(InstanceLosses.GATHER_MILLIS));

            List<String> lines = log.warningsOf(InstanceLosses.class);
            assertThat(lines).hasSize(10);
            assertThat(lines.get(0))
                    .matches("Service DEFAULT_GROUP@@service-\\d+ of namespace public lost 8 instances: heartbeats"
                            + " missing \\(10\\.0\\.1\\.\\d+:\\d+ and others\\)");
            assertThat(naming.losses().count(LossCause.EXPIRED)).isEqualTo(300);
            assertThat(naming.losses().of(service(0))).hasSize(1);
            assertThat(naming.losses().of(service(0)).get(0).count()).isEqualTo(8);

            pass(Duration.ofMillis(InstanceLosses.LOG_PERIOD_MILLIS));
            assertThat(log.warningsOf(InstanceLosses.class))
                    .hasSize(11)
                    .last()
                    .asString()
                    .matches(
                            "In the last minute 29 other services lost \\d+ instances more \\(heartbeats missing: \\d+\\)");

            naming.registerOverHttp(SERVICE, ONE);
            pass(Duration.ofSeconds(40));
            assertThat(log.warningsOf(InstanceLosses.class)).as("a new minute").hasSize(12);
        }
    }

    @Test
    void distinguishesClosedConnectionsFromDeregistrations() throws Exception {
        Publisher connection = naming.connection("c", new Publisher.Client("10.0.0.1", 0, "", ""));
        Publisher other = naming.connection("d", new Publisher.Client("10.0.0.2", 0, "", ""));
        naming.register(connection, SERVICE, List.of(ONE, TWO));
        naming.register(other, SERVICE, List.of(Instance.of("10.0.0.9", 80)));

        naming.deregister(other, SERVICE);
        pass(Duration.ofSeconds(2));
        InstanceLosses.Loss first = naming.losses().of(SERVICE).get(0);
        assertThat(first.cause()).isEqualTo(LossCause.DEREGISTERED);
        assertThat(first.example()).isEqualTo("10.0.0.9:80");
        naming.connectionClosed("c");
        InstanceLosses.Loss second = loss(LossCause.CONNECTION_CLOSED, 2, "10.0.0.1:80");
        pass(Duration.ofSeconds(2));

        assertThat(naming.losses().of(SERVICE)).containsExactly(second, first);
        assertThat(naming.losses().count(LossCause.EXPIRED)).isZero();
        assertThat(naming.losses().count(LossCause.CONNECTION_CLOSED)).isEqualTo(2);
        assertThat(naming.losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
    }

    @Test
    void shorterListOfABatchIsADeregistration() throws Exception {
        Publisher connection = naming.connection("c", new Publisher.Client("10.0.0.1", 0, "", ""));
        naming.register(connection, SERVICE, List.of(ONE, TWO));

        naming.register(connection, SERVICE, List.of(ONE));

        assertThat(naming.losses().count(LossCause.DEREGISTERED)).isEqualTo(1);
    }

    @Test
    void operatorIsNamedForEphemeralAndPersistentInstances() throws Exception {
        Instance persistent =
                new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);
        ServiceKey other = service(1);
        naming.registerOverHttp(SERVICE, ONE);
        assertThat(stored.register(Caller.SERVER, other, persistent)).isCompleted();

        naming.deregisterOverHttp(SERVICE, ONE.key(), LossCause.REMOVED);
        assertThat(stored.deregister(Caller.SERVER, other, persistent.key(), LossCause.REMOVED))
                .isCompleted();

        assertThat(naming.losses().count(LossCause.REMOVED)).isEqualTo(2);
        pass(Duration.ofSeconds(2));
        assertThat(naming.losses().of(SERVICE).get(0).cause()).isEqualTo(LossCause.REMOVED);
        assertThat(naming.losses().of(other).get(0).cause()).isEqualTo(LossCause.REMOVED);
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
        naming.startRecoveryWindow();
        assertThat(naming.notBack().instances()).isZero();
        naming.beat(SERVICE, back.key(), null);

        pass(Duration.ofSeconds(31));

        assertThat(naming.losses().count(LossCause.NOT_BACK)).isEqualTo(3);
        assertThat(naming.losses().count(LossCause.EXPIRED))
                .as("one that was back and fell silent")
                .isEqualTo(1);
        assertThat(naming.notBack()).isEqualTo(new InstanceLosses.Extent(3, 1));

        naming.register(naming.connection("c", new Publisher.Client("10.0.0.1", 0, "", "")), SERVICE, List.of(ONE));
        naming.registerOverHttp(SERVICE, beating);
        assertThat(naming.notBack()).isEqualTo(new InstanceLosses.Extent(1, 1));
    }

    @Test
    void serverThatStopsLosesNothing() throws Exception {
        naming.register(naming.connection("c", new Publisher.Client("", 0, "", "")), SERVICE, List.of(ONE));
        naming.registerOverHttp(SERVICE, TWO);
        naming.freeze();

        naming.connectionClosed("c");
        pass(Duration.ofHours(1));

        for (LossCause cause : LossCause.values()) {
            assertThat(naming.losses().count(cause)).isZero();
        }
    }

    @Test
    void silentInstanceIsCountedWhenItBecomesUnhealthy() throws Exception {
        naming.registerOverHttp(SERVICE, ONE);
        pass(Duration.ofSeconds(15));
        assertThat(naming.unhealthyCount(UnhealthyCause.HEARTBEAT)).isEqualTo(1);
        assertThat(naming.unhealthyCount(UnhealthyCause.CHECK)).isZero();
    }
}
