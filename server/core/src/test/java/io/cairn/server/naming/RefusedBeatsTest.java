package io.cairn.server.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.LogWatch;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedBeatsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final String WHY = "token invalid!";

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            clock,
            loop::nanoTime);
    private final RefusedBeats refused = new RefusedBeats(naming.reads(), clock);

    private void pass(Duration time) throws Exception {
        clock.advance(time);
        loop.pass(time);
    }

    private static ServiceKey service(int number) {
        return new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "service-" + number);
    }

    @Test
    void refusedBeatsOfOneUserAreOneEntryAlsoWhenTheirInstancesAreGone() throws Exception {
        for (int i = 0; i < 300; i++) {
            naming.leases().register(service(i % 39), Instance.of("10.0.0.1", 1000 + i));
        }
        pass(Duration.ofSeconds(5));
        long since = clock.millis();
        try (LogWatch log = new LogWatch()) {
            for (int round = 0; round < 8; round++) {
                for (int i = 0; i < 300; i++) {
                    refused.refused("app", true, WHY, service(i % 39), new InstanceKey("10.0.0.1", 1000 + i, "c"));
                }
                pass(Duration.ofSeconds(5));
            }
            assertThat(log.warningsOf(RefusedBeats.class))
                    .singleElement()
                    .asString()
                    .contains("of user app are refused (token invalid!), first for 10.0.0.1:1000");
        }
        assertThat(naming.reads().instanceCount()).isZero();

        assertThat(refused.now()).containsExactly(new RefusedBeats.Refused("app", WHY, since, 300, 39, false));
        assertThat(refused.instances()).isEqualTo(300);
    }

    @Test
    void acceptedBeatEndsTheRefusalOfItsInstance() throws Exception {
        naming.leases().register(SERVICE, Instance.of("10.0.0.1", 80));
        naming.leases().register(SERVICE, Instance.of("10.0.0.2", 80));
        pass(Duration.ofSeconds(5));
        refused.refused("app", true, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        refused.refused("app", true, WHY, SERVICE, new InstanceKey("10.0.0.2", 80, ""));
        pass(Duration.ofSeconds(5));

        naming.leases().beat(SERVICE, new InstanceKey("10.0.0.1", 80, ""), null);
        assertThat(refused.instances()).isEqualTo(1);
        naming.leases().beat(SERVICE, new InstanceKey("10.0.0.2", 80, ""), null);
        assertThat(refused.now()).isEmpty();
    }

    @Test
    void connectionThatRegistersAgainEndsTheRefusal() throws Exception {
        refused.refused("app", true, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        assertThat(refused.instances()).isEqualTo(1);
        pass(Duration.ofSeconds(5));

        naming.registrations()
                .register(
                        naming.registry().connection("c", new Publisher.Client("", 0, "", "")),
                        SERVICE,
                        List.of(Instance.of("10.0.0.1", 80)));

        assertThat(refused.now()).isEmpty();
    }

    @Test
    void nameThatNothingProvesCountsForRegisteredInstancesOnly() throws Exception {
        refused.refused("invented", false, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        refused.refused(null, false, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        assertThat(refused.now()).isEmpty();

        naming.leases().register(SERVICE, Instance.of("10.0.0.1", 80));
        pass(Duration.ofSeconds(5));
        refused.refused(null, false, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        assertThat(refused.now()).extracting(RefusedBeats.Refused::user).containsExactly("");
    }

    @Test
    void dropsRefusalsAfterAnHourAndLimitsItsMemory() throws Exception {
        for (int i = 0; i < RefusedBeats.MAX_INSTANCES + 5; i++) {
            refused.refused(
                    "app", true, WHY, service(i / 60_000), new InstanceKey("10.0." + i / 60_000, i % 60_000, ""));
        }
        assertThat(refused.now()).singleElement().satisfies(all -> {
            assertThat(all.instances()).isEqualTo(RefusedBeats.MAX_INSTANCES);
            assertThat(all.isLowerBound()).isTrue();
        });
        for (int i = 0; i < RefusedBeats.MAX_USERS + 5; i++) {
            refused.refused("user-" + i, true, WHY, SERVICE, new InstanceKey("10.0.0.1", 80, ""));
        }
        assertThat(refused.now()).hasSizeLessThanOrEqualTo(RefusedBeats.MAX_USERS);

        pass(RefusedBeats.KEPT.plusSeconds(1));
        assertThat(refused.now()).isEmpty();
        assertThat(refused.instances()).isZero();
    }
}
