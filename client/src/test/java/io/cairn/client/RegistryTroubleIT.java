package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonOutput;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.Payload;
import io.cairn.api.wire.WireResponse;
import io.cairn.client.config.PatternListener;
import io.cairn.client.config.PatternWatch;
import io.cairn.client.naming.Registration;
import io.cairn.client.naming.ServiceWatch;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Registrations, subscriptions and patterns when a server refuses, is slow, or gets a second request at once. */
class RegistryTroubleIT {

    private final FakeServer server = new FakeServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private CairnClient client() {
        return builder().build();
    }

    private ClientBuilder builder() {
        return CairnClient.builder()
                .servers(server.address())
                .grpcPortOffset(0)
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    private List<String> sent(String type) {
        return server.received(type).stream().map(Payload::bodyText).toList();
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Payload refused(int code) {
        return WireResponse.failed(MessageCatalog.INSTANCE_RESPONSE, code, "not now", null);
    }

    private static Payload accepted() {
        return WireResponse.ok(MessageCatalog.INSTANCE_RESPONSE);
    }

    private static Payload list(String hosts, long made) {
        return Payload.of(
                MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE,
                WireResponse.start(256)
                        .json(
                                "serviceInfo",
                                "{\"name\":\"s\",\"groupName\":\"DEFAULT_GROUP\",\"lastRefTime\":" + made
                                        + ",\"hosts\":[" + hosts + "]}")
                        .flag("success", true)
                        .toBytes());
    }

    @Test
    void repeatsAFailedRegistrationWhileConnected() {
        AtomicInteger asked = new AtomicInteger();
        server.answer(
                MessageCatalog.INSTANCE_REQUEST, request -> asked.incrementAndGet() < 3 ? refused(500) : accepted());
        try (CairnClient client = client()) {
            client.naming().registerWhenConnected(client.naming().service("s"), List.of(Instance.of("10.0.0.1", 1)));
            await().untilAtomic(asked, org.hamcrest.Matchers.equalTo(3));
            assertThat(server.setups()).hasSize(1);
        }
    }

    @Test
    void repeatsAFailedDeregistration() {
        AtomicInteger asked = new AtomicInteger();
        server.answer(MessageCatalog.INSTANCE_REQUEST, request -> {
            boolean out = request.bodyText().contains("deregisterInstance");
            return out && asked.incrementAndGet() < 3 ? refused(503) : accepted();
        });
        try (CairnClient client = client()) {
            client.naming()
                    .register(client.naming().service("s"), Instance.of("10.0.0.1", 1))
                    .close();
            assertThat(asked).hasValue(3);
            assertThat(server.setups()).hasSize(1);
        }
    }

    @Test
    void undoesARegistrationThatTimedOut() {
        CountDownLatch late = new CountDownLatch(1);
        server.answer(MessageCatalog.INSTANCE_REQUEST, request -> {
            if (!request.bodyText().contains("deregisterInstance")) {
                pass(late);
            }
            return accepted();
        });
        try (CairnClient client =
                builder().requestTimeout(Duration.ofMillis(300)).build()) {
            assertThatThrownBy(() -> client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1)))
                    .isInstanceOf(CairnException.class);
            late.countDown();
            await().until(() -> sent(MessageCatalog.INSTANCE_REQUEST).stream()
                    .anyMatch(request -> request.contains("deregisterInstance")));
        } finally {
            late.countDown();
        }
    }

    @Test
    void reportsAFinalRefusalAtOnceAndDoesNotRetry() {
        server.answer(MessageCatalog.INSTANCE_REQUEST, request -> refused(400));
        try (CairnClient client = client()) {
            assertThatThrownBy(() -> client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1)))
                    .hasMessageContaining("400 not now");
            server.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
            client.naming().register(client.naming().service("t"), Instance.of("10.0.0.1", 2));
            assertThat(sent(MessageCatalog.INSTANCE_REQUEST)).hasSize(2);
        }
    }

    @Test
    void aClosedRegistrationCannotBeChanged() {
        server.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        try (CairnClient client = client()) {
            Registration registration =
                    client.naming().register(client.naming().service("s"), Instance.of("10.0.0.1", 1));
            registration.close();
            assertThatThrownBy(() -> registration.reweigh(2)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> registration.reweigh(Double.NaN)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> client.naming()
                            .register(
                                    registration.service(),
                                    registration.instances().get(0).withWeight(Double.POSITIVE_INFINITY)))
                    .hasMessage("weight: Infinity (expected: 0-10000)");
            server.answer(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request -> list("", 1));
            assertThatThrownBy(() -> registration.drain(Duration.ZERO)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> registration.drain(Duration.ofSeconds(61)))
                    .hasMessage("wait: PT1M1S (expected: 0 s to 60 s)");
            assertThat(sent(MessageCatalog.INSTANCE_REQUEST)).hasSize(2);
        }
    }

    @Test
    void anInstanceWithTwoRegistrationsStaysUntilBothAreClosed() {
        server.answer(MessageCatalog.INSTANCE_REQUEST, request -> accepted());
        try (CairnClient client = client()) {
            ServiceKey service = client.naming().service("s");
            Registration first = client.naming().register(service, Instance.of("10.0.0.1", 1));
            Registration second =
                    client.naming().register(service, Instance.of("10.0.0.1", 1).withWeight(7));
            second.close();
            assertThat(sent(MessageCatalog.INSTANCE_REQUEST)).hasSize(3).noneMatch(sent -> sent.contains("deregister"));
            first.close();
            assertThat(sent(MessageCatalog.INSTANCE_REQUEST))
                    .hasSize(4)
                    .last(org.assertj.core.api.InstanceOfAssertFactories.STRING)
                    .contains("deregisterInstance");
        }
    }

    @Test
    void keepsTheOrderOfUnsubscribeAndSubscribe() throws Exception {
        CountDownLatch left = new CountDownLatch(1);
        server.answer(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request -> {
            if (request.bodyText().contains("\"subscribe\":false")) {
                pass(left);
            }
            return list("", 1);
        });
        server.answer(MessageCatalog.CONFIG_REMOVE_REQUEST, request -> WireResponse.ok("ConfigRemoveResponse"));
        try (CairnClient client = client()) {
            ServiceKey service = client.naming().service("s");
            ServiceWatch watch = client.naming().subscribe(service, change -> {});
            watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            watch.close();
            await().until(() -> sent(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST).size() == 2);
            assertThat(sent(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST).get(1)).contains("\"subscribe\":false");
            try (ServiceWatch again = client.naming().subscribe(service, change -> {})) {
                // Requests arrive in order, so all former ones have arrived once this one has.
                client.configs().delete(client.configs().key("a"));
                assertThat(sent(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST)).hasSize(2);
                left.countDown();
                assertThat(again.known()
                                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .instances())
                        .isEmpty();
            }
            await().until(() -> sent(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST).size() >= 3);
            assertThat(sent(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST).get(2)).contains("\"subscribe\":true");
        } finally {
            left.countDown();
        }
    }

    @Test
    void aTemporaryFailureLeavesTheFirstStateOpen() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        server.answer(
                MessageCatalog.SUBSCRIBE_SERVICE_REQUEST,
                request -> asked.incrementAndGet() == 1
                        ? WireResponse.failed(MessageCatalog.SUBSCRIBE_SERVICE_RESPONSE, 503, "busy", null)
                        : list("", 1));
        try (CairnClient client = client();
                ServiceWatch watch = client.naming().subscribe(client.naming().service("s"), change -> {})) {
            assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS).instances())
                    .isEmpty();
            assertThat(asked).hasValue(2);
        }
    }

    @Test
    void acceptsOlderTimestampsOfAServerWhoseClockWasSetBack() throws Exception {
        server.answer(MessageCatalog.SUBSCRIBE_SERVICE_REQUEST, request -> list("", 3_600_000));
        try (CairnClient client = client();
                ServiceWatch watch = client.naming().subscribe(client.naming().service("s"), change -> {})) {
            watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            server.push(
                    MessageCatalog.NOTIFY_SUBSCRIBER_REQUEST,
                    new JsonOutput(256)
                            .text("requestId", "1")
                            .json(
                                    "serviceInfo",
                                    "{\"name\":\"s\",\"groupName\":\"DEFAULT_GROUP\",\"lastRefTime\":1000,"
                                            + "\"hosts\":[{\"ip\":\"10.0.0.1\",\"port\":80}]}"));
            await().until(() -> watch.current().orElseThrow().instances().size() == 1);
        }
    }

    @Test
    void watchesARefusedPatternLater() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        server.answer(
                MessageCatalog.CONFIG_FUZZY_WATCH_REQUEST,
                request -> asked.incrementAndGet() == 1
                        ? WireResponse.failed(MessageCatalog.CONFIG_FUZZY_WATCH_RESPONSE, 503, "busy", null)
                        : WireResponse.ok(MessageCatalog.CONFIG_FUZZY_WATCH_RESPONSE));
        try (CairnClient client = client();
                PatternWatch watch = client.configs().watchPattern("*", "app-*", deaf())) {
            await().untilAtomic(asked, org.hamcrest.Matchers.equalTo(2));
            server.push(
                    MessageCatalog.CONFIG_FUZZY_WATCH_SYNC_REQUEST,
                    new JsonOutput(256)
                            .text("requestId", "1")
                            .text("groupKeyPattern", "public>>*>>app-*")
                            .json(
                                    "contexts",
                                    "[{\"groupKey\":\"odd\",\"changedType\":\"ADD_CONFIG\"},"
                                            + "{\"groupKey\":\"app-1+G+public\",\"changedType\":\"ADD_CONFIG\"}]")
                            .text("syncType", "FINISH_FUZZY_WATCH_INIT_NOTIFY"));
            // The invalid name does not prevent the report of the other one.
            assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(Set.of(client.configs().key("G", "app-1")));
        }
    }

    @Test
    void everyWatchFailsWhenTheServerSupportsNoPatterns() {
        server.abilities("{}");
        try (CairnClient client = client();
                PatternWatch first = client.configs().watchPattern("*", "*", deaf())) {
            assertThatThrownBy(() -> first.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasMessageContaining("does not offer");
            try (PatternWatch second = client.configs().watchPattern("*", "*", deaf())) {
                assertThatThrownBy(() -> second.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasMessageContaining("does not offer");
            }
        }
    }

    private static PatternListener deaf() {
        return new PatternListener() {
            @Override
            public void onAdded(ConfigKey key) {}

            @Override
            public void onRemoved(ConfigKey key) {}
        };
    }
}
