package io.cairn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.client.balance.Balancers;
import io.cairn.client.naming.DrainResult;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceChange;
import io.cairn.client.naming.ServiceSelector;
import io.cairn.client.naming.ServiceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Services through the client, against a server. */
class ServicesIT {

    @RegisterExtension
    static final TestedServer SERVER = new TestedServer();

    private static CairnClient provider;
    private static CairnClient consumer;

    @BeforeAll
    static void connect() {
        provider = SERVER.newClient();
        consumer = SERVER.newClient();
    }

    @AfterAll
    static void disconnect() {
        provider.close();
        consumer.close();
    }

    private static ServiceKey service(String name) {
        return consumer.naming().service(SERVER.unique(name));
    }

    private static List<Integer> ports(List<Instance> instances) {
        return instances.stream()
                .map(instance -> instance.key().port())
                .sorted()
                .toList();
    }

    @Test
    void findsARegisteredInstanceUntilItsHandleIsClosed() {
        ServiceKey service = service("found");
        assertThat(consumer.naming().instances(service)).isEmpty();

        try (Registration registration =
                provider.naming().register(service, Instance.of("10.0.0.1", 80).withMetadata(Map.of("zone", "a")))) {
            SERVER.shows(() -> assertThat(consumer.naming().healthy(service)).hasSize(1));
            List<Instance> found = consumer.naming().healthy(service);
            assertThat(found.get(0).metadata()).containsEntry("zone", "a");
            assertThat(registration.service()).isEqualTo(service);
            assertThat(consumer.naming()
                            .services(ServiceKey.DEFAULT_GROUP, 1, 100)
                            .names())
                    .contains(SERVER.unique("found"));
        }
        SERVER.shows(() -> assertThat(consumer.naming().instances(service)).isEmpty());
    }

    @Test
    void notifiesASubscriberOfAddedModifiedAndRemovedInstances() {
        ServiceKey service = service("deltas");
        List<ServiceChange> told = new CopyOnWriteArrayList<>();
        try (ServiceWatch watch = consumer.naming().subscribe(service, told::add)) {
            await().until(() -> told.size() == 1);
            assertThat(told.get(0).isEmpty()).isTrue();

            Registration first = provider.naming().register(service, Instance.of("10.0.0.1", 1));
            await().until(() -> told.size() == 2);
            assertThat(ports(told.get(1).added())).containsExactly(1);

            // The same connection's second instance joins the first instead of replacing it.
            Registration more = provider.naming()
                    .registerAll(service, List.of(Instance.of("10.0.0.1", 2), Instance.of("10.0.0.1", 3)));
            await().until(() -> ports(instances(watch)), List.of(1, 2, 3)::equals);
            await().until(() -> count(told, ServiceChange::added) == 3);

            first.reweigh(5);
            await().until(() -> told.stream()
                    .flatMap(change -> change.modified().stream())
                    .anyMatch(instance -> instance.weight() == 5));

            more.close();
            await().until(() -> ports(instances(watch)), List.of(1)::equals);
            first.close();
            await().until(() -> instances(watch).isEmpty());

            await().until(() -> count(told, ServiceChange::removed) == 3);
            assertThat(count(told, ServiceChange::added)).isEqualTo(3);
        }
        assertThat(consumer.naming().subscribed()).isZero();
    }

    private static int count(List<ServiceChange> told, Function<ServiceChange, List<Instance>> kind) {
        return told.stream().mapToInt(change -> kind.apply(change).size()).sum();
    }

    private static List<Instance> instances(ServiceWatch watch) {
        return watch.current().orElseThrow().instances();
    }

    @Test
    void drainedInstanceIsNotChosenAndIsRegisteredUntilItIsClosed() {
        ServiceKey service = service("drained");
        Registration staying = provider.naming().register(service, Instance.of("10.0.0.1", 1));
        try (CairnClient leaving = SERVER.newClient();
                ServiceSelector selector = consumer.naming().select(service, Balancers.weighted());
                ServiceWatch watch = consumer.naming().subscribe(service, change -> {})) {
            Registration going = leaving.naming().register(service, Instance.of("10.0.0.1", 2));
            await().until(() -> ports(instances(watch)), List.of(1, 2)::equals);

            DrainResult result = going.drain();

            if (result.byServer()) {
                assertThat(result.acknowledged()).as(result.toString()).isTrue();
                assertThat(ports(instances(watch))).containsExactly(1);
            } else {
                await().until(() -> instances(watch).stream()
                        .anyMatch(instance -> instance.key().port() == 2 && instance.weight() == 0));
            }
            try (ServiceSelector.Choice choice = selector.choose().orElseThrow()) {
                assertThat(choice.instance().key().port()).isEqualTo(1);
            }

            going.close();
            Registration again = leaving.naming().register(service, Instance.of("10.0.0.1", 2));
            // The server notes the end of the drain a moment after the deregistration.
            await().until(() -> ports(instances(watch)), List.of(1, 2)::equals);
            again.close();
        }
        staying.close();
    }

    @Test
    void lastInstancesOfARegistrationAreDrainedAndClosed() {
        ServiceKey service = service("last");
        try (CairnClient leaving = SERVER.newClient();
                ServiceWatch watch = consumer.naming().subscribe(service, change -> {})) {
            Registration going = leaving.naming()
                    .registerAll(service, List.of(Instance.of("10.0.0.1", 1), Instance.of("10.0.0.1", 2)));
            await().until(() -> ports(instances(watch)), List.of(1, 2)::equals);

            DrainResult result = going.drainAndClose(Duration.ofSeconds(10), Duration.ZERO);

            assertThat(result.acknowledged()).as(result.toString()).isEqualTo(result.byServer());
            await().until(() -> instances(watch).isEmpty());
            assertThatThrownBy(() -> going.drain()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anInstanceOfAClosedClientIsGone() {
        ServiceKey service = service("closed");
        try (ServiceWatch watch = consumer.naming().subscribe(service, change -> {})) {
            CairnClient short1 = SERVER.newClient();
            short1.naming().register(service, Instance.of("10.0.0.9", 9));
            await().until(() -> watch.current()
                    .map(view -> view.instances().size())
                    .orElse(0)
                    .equals(1));
            short1.close();
            await().until(() -> instances(watch).isEmpty());
        }
    }

    @Test
    void aPersistentInstanceOutlivesItsClient() {
        ServiceKey service = service("persistent");
        Instance instance = Instance.of("10.0.0.7", 7);
        try (CairnClient brief = SERVER.newClient()) {
            try {
                brief.naming().registerPersistent(service, instance);
            } catch (CairnException e) {
                // Nacos 2.2 does not know the request.
                assumeThat(SERVER.isOwn() || !e.text().contains("302")).isTrue();
                throw e;
            }
        }
        SERVER.shows(
                () -> assertThat(ports(consumer.naming().instances(service))).containsExactly(7));
        consumer.naming().deregisterPersistent(service, instance);
        SERVER.shows(() -> assertThat(consumer.naming().instances(service)).isEmpty());
    }

    @Test
    void aRefusedRegistrationHasTheReasonAndIsNotRetried() {
        ServiceKey service = service("refused");
        Instance bad = Instance.of("10.0.0.1", 80)
                .withMetadata(Map.of(Instance.BEAT_INTERVAL, "5000", Instance.BEAT_TIMEOUT, "1000"));
        assertThatThrownBy(() -> provider.naming().register(service, bad))
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("refused by the server");
        assertThat(consumer.naming().instances(service)).isEmpty();
        assertThatThrownBy(() -> provider.naming()
                        .instances(new ServiceKey(Namespace.ofNullable("other"), ServiceKey.DEFAULT_GROUP, "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("client's namespace");
    }
}
