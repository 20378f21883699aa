package io.cairn.server.rpc.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.Payload;
import io.cairn.server.auth.Denial;
import io.cairn.server.connection.ClientConnection;
import io.cairn.server.connection.ClientIdentity;
import io.cairn.server.connection.ConnectionRegistry;
import io.cairn.server.connection.ConnectionSettings;
import io.cairn.server.connection.FakeTransport;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.lease.RefusedBeats;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.push.PushBudget;
import io.cairn.server.rpc.MessageHandler;
import io.cairn.server.rpc.MessageRouter;
import io.cairn.server.rpc.RpcAuthorizer;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RegistrationRefusalsTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final String REGISTRATION = "{\"serviceName\":\"orders\",\"groupName\":\"DEFAULT_GROUP\","
            + "\"type\":\"registerInstance\",\"instance\":{\"ip\":\"10.0.0.1\",\"port\":80}}";

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            clock);
    private final RefusedBeats beats = new RefusedBeats(naming.reads(), clock);
    private final RegistrationRefusals refusals = new RegistrationRefusals(beats, naming.reads());
    private final InstanceHandler handler =
            new InstanceHandler(new Publishers(naming.registry(), naming.registrations(), naming.recovery()));
    private final ClientConnection connection = new ClientConnection(
            "1_127.0.0.1_5",
            new ClientIdentity("127.0.0.1", "", "", Map.of()),
            FakeTransport.unused(Runnable::run),
            new ConnectionRegistry(
                    new ConnectionSettings(Duration.ofHours(1), Duration.ofHours(1), 10),
                    10,
                    new PushBudget(1_000_000),
                    new RequestIds(),
                    loop,
                    "127.0.0.1"));

    private static Payload message(String body) {
        return Payload.of("InstanceRequest", body.getBytes(StandardCharsets.UTF_8));
    }

    private <T> void refuse(MessageHandler<T> by, Payload message, @Nullable T request, @Nullable String user) {
        refusals.refused(new RpcAuthorizer.Refusal<>(by, message, request, connection, user, Denial.EXPIRED));
    }

    @Test
    void notesTheRequestThatWasReadAndReadsTheMessageNotAgain() {
        Payload unreadable = message("{");

        refuse(handler, unreadable, handler.read(message(REGISTRATION)), "app");

        assertThat(beats.now())
                .singleElement()
                .extracting(RefusedBeats.Refused::user, RefusedBeats.Refused::instances)
                .containsExactly("app", 1);
    }

    @Test
    void readsTheMessageOfACallerWhoseTokenHasEnded() {
        refuse(handler, message(REGISTRATION + " ".repeat(MessageRouter.LARGE_BODY_BYTES)), null, "app");

        assertThat(beats.instances()).isEqualTo(1);
    }

    @Test
    void readsNoLargeMessageOfACallerThatNothingProves() {
        naming.leases().register(SERVICE, Instance.of("10.0.0.1", 80));
        clock.advance(Duration.ofSeconds(5));
        String filler = " ".repeat(MessageRouter.LARGE_BODY_BYTES - REGISTRATION.length());

        refuse(handler, message(REGISTRATION + filler + ' '), null, null);
        assertThat(beats.instances()).isZero();

        refuse(handler, message(REGISTRATION + filler), null, null);
        assertThat(beats.instances()).isEqualTo(1);
    }

    @Test
    void readsLargeMessageOfAConnectionThatHasRegisteredInstances() {
        naming.registrations()
                .register(
                        naming.registry().connection(connection.id(), new Publisher.Client("", 0, "", "")),
                        SERVICE,
                        List.of(Instance.of("10.0.0.9", 80)));

        refuse(handler, message(REGISTRATION + " ".repeat(MessageRouter.LARGE_BODY_BYTES)), null, null);

        assertThat(beats.instances()).isEqualTo(1);
    }

    @Test
    void notesEachInstanceOfABatch() {
        BatchInstanceHandler batch =
                new BatchInstanceHandler(new Publishers(naming.registry(), naming.registrations(), naming.recovery()));
        Payload message = message("{\"serviceName\":\"orders\",\"type\":\"batchRegisterInstance\",\"instances\":["
                + "{\"ip\":\"10.0.0.1\",\"port\":80},{\"ip\":\"10.0.0.2\",\"port\":80}]}");

        refuse(batch, message, batch.read(message), "app");

        assertThat(beats.instances()).isEqualTo(2);
    }

    @Test
    void notesNeitherDeregistrationsNorOtherMessagesNorMalformedOnes() {
        refuse(handler, message(REGISTRATION.replace("registerInstance", "deregisterInstance")), null, "app");
        refuse(new PersistentInstanceHandler(naming.reads(), null), message(REGISTRATION), null, "app");
        refuse(handler, message("{"), null, "app");
        refuse(handler, message(REGISTRATION.replace("orders", "")), null, "app");

        assertThat(beats.instances()).isZero();
    }
}
