package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.registry.InstanceHealth;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Since when and why an instance is unhealthy. */
class InstanceHealthTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance ONE = Instance.of("10.0.0.1", 80);
    private static final Instance PERSISTENT =
            new Instance(new InstanceKey("10.0.0.3", 80, "DEFAULT"), 1, true, true, false, Map.of(), null);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            clock,
            loop::nanoTime);
    private InstanceHealth.LastCheck lastCheck;
    private final StoredNaming stored =
            new StoredNaming(naming, new MapStore(), new StoredNaming.PersistentInstances() {
                @Override
                public InstanceHealth.LastCheck lastCheck(ServiceKey service, InstanceKey instance) {
                    return instance.equals(PERSISTENT.key()) ? lastCheck : null;
                }
            });

    private void pass(Duration time) throws Exception {
        clock.advance(time);
        loop.pass(time);
    }

    private InstanceHealth health(Instance instance) {
        return stored.health(naming.reads().snapshot(SERVICE)).apply(instance.key());
    }

    @Test
    void silentInstanceNamesItsLastBeatAndTheTimeOfTheChange() throws Exception {
        naming.leases().register(SERVICE, ONE);
        long registered = clock.millis();
        assertThat(health(ONE)).isEqualTo(new InstanceHealth(registered, registered, null, null));
        pass(Duration.ofSeconds(5));
        naming.leases().beat(SERVICE, ONE.key(), null);
        long beat = clock.millis();

        pass(Duration.ofSeconds(15));
        long change = clock.millis();
        pass(Duration.ofSeconds(5));

        assertThat(health(ONE)).isEqualTo(new InstanceHealth(change, beat, null, "heartbeats missing"));
        naming.leases().beat(SERVICE, ONE.key(), null);
        long again = clock.millis();
        assertThat(health(ONE)).isEqualTo(new InstanceHealth(again, again, null, null));
    }

    @Test
    void failedCheckIsTheReasonWithItsText() {
        assertThat(stored.register(Caller.SERVER, SERVICE, PERSISTENT)).isCompleted();
        long registered = clock.millis();
        lastCheck = new InstanceHealth.LastCheck(registered, true, "TCP 10.0.0.3:80: connected");
        assertThat(health(PERSISTENT)).isEqualTo(new InstanceHealth(registered, 0, lastCheck, null));

        clock.advance(Duration.ofSeconds(7));
        lastCheck = new InstanceHealth.LastCheck(clock.millis(), false, "TCP 10.0.0.3:80: connection refused");
        naming.health().setHealthy(SERVICE, PERSISTENT.key(), false, UnhealthyCause.CHECK);

        assertThat(health(PERSISTENT))
                .isEqualTo(new InstanceHealth(clock.millis(), 0, lastCheck, "TCP 10.0.0.3:80: connection refused"));
        assertThat(naming.health().unhealthyCount(UnhealthyCause.CHECK)).isEqualTo(1);
    }

    @Test
    void operatorIsNamedAndTheReasonStaysThroughARegistrationWithOtherMetadata() {
        Publisher connection = naming.registry().connection("c", new Publisher.Client("10.0.0.1", 0, "", ""));
        naming.registrations().register(connection, SERVICE, List.of(ONE));
        clock.advance(Duration.ofSeconds(3));
        naming.health().setHealthy(SERVICE, ONE.key(), false);
        long since = clock.millis();
        assertThat(health(ONE)).isEqualTo(new InstanceHealth(since, 0, null, "set by an operator"));
        assertThat(naming.health().unhealthyCount(UnhealthyCause.OPERATOR)).isEqualTo(1);

        clock.advance(Duration.ofSeconds(3));
        naming.registrations()
                .register(connection, SERVICE, List.of(ONE.withHealthy(false).withMetadata(Map.of("version", "2"))));
        assertThat(health(ONE).sinceMillis()).isEqualTo(since);
        assertThat(health(ONE).reason()).isEqualTo("set by an operator");

        naming.registrations().register(connection, SERVICE, List.of(ONE));
        assertThat(health(ONE)).isEqualTo(new InstanceHealth(clock.millis(), 0, null, null));
    }

    @Test
    void operatorIsNamedForAPersistentInstanceToo() {
        assertThat(stored.register(Caller.SERVER, SERVICE, PERSISTENT)).isCompleted();
        clock.advance(Duration.ofSeconds(3));
        assertThat(stored.setHealthy(Caller.SERVER, SERVICE, PERSISTENT.key(), false))
                .isCompleted();

        assertThat(health(PERSISTENT)).isEqualTo(new InstanceHealth(clock.millis(), 0, null, "set by an operator"));
        assertThat(naming.health().unhealthyCount(UnhealthyCause.OPERATOR)).isEqualTo(1);

        assertThat(stored.setHealthy(Caller.SERVER, SERVICE, PERSISTENT.key(), true))
                .isCompleted();
        assertThat(health(PERSISTENT)).isEqualTo(new InstanceHealth(clock.millis(), 0, null, null));
    }

    @Test
    void reportsThatTheClientRegisteredTheInstanceAsUnhealthy() {
        naming.leases().register(SERVICE, ONE.withHealthy(false));

        assertThat(health(ONE).reason()).isEqualTo("set by its client or an operator");
    }
}
