package io.cairn.server.subscription;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.Payload;
import io.cairn.server.connection.RequestIds;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.naming.view.ViewDelta;
import io.cairn.server.push.PushKind;
import io.cairn.server.push.PushMeters;
import io.cairn.server.push.PushSettings;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When the list is encoded, and how often; how large a push is to all its receivers. */
class ServicePushTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "large");

    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
            new Switches(),
            new HandDrivenLoop(),
            new SettableClock());
    private final ServiceMessages messages = new ServiceMessages(new RequestIds(), "10.0.0.9");
    private final PushKind kind = new PushKind(
            new PushSettings(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMinutes(1), 50),
            new PushMeters(new SimpleMeterRegistry(), "service"));

    private ServiceView view(int size) {
        List<Instance> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            all.add(Instance.of("10.0." + i / 250 + "." + i % 250, 8080));
        }
        naming.registrations()
                .register(naming.registry().connection("publisher", new Publisher.Client("", 0, "", "")), SERVICE, all);
        return naming.reads().view(SERVICE, "", false);
    }

    private ServicePush push(ServiceView view, @Nullable ViewDelta delta, int wholeLists) {
        return ServicePush.of(kind, view, delta, messages, wholeLists, 0).encoded();
    }

    @Test
    void listIsNotEncodedForSubscribersThatTakeDeltas() {
        long before = view(1_000).snapshot().version();
        ServiceView view = view(1_001);
        ServicePush push = push(view, view.since(before), 0);

        assertThat(push.payload(ServicePush.DELTAS).bodyText()).contains("\"serviceDelta\":");

        assertThat(push.hasEncodedList()).isFalse();
        assertThat(push.payload(ServicePush.WHOLE_LISTS).bodyText())
                .as("a subscriber that the count does not know")
                .contains("\"serviceInfo\":", "\"requestId\":\"" + push.requestId() + '"')
                .doesNotContain("\"revision\":");
        assertThat(push.hasEncodedList()).isTrue();
    }

    @Test
    void listIsEncodedBeforeItIsHandedToSubscribersOfWholeLists() {
        long before = view(100).snapshot().version();
        ServiceView view = view(101);

        ServicePush push = push(view, view.since(before), 1);

        assertThat(push.hasEncodedList()).isTrue();
        assertThat(push(view, null, 1).payload(ServicePush.WHOLE_LISTS))
                .as("another push of the same view")
                .isSameAs(push.payload(ServicePush.WHOLE_LISTS));
    }

    @Test
    void listWithItsRevisionIsSharedByAllPushesOfTheView() {
        ServiceView view = view(100);
        ServicePush push = push(view, null, 0);

        assertThat(push.payload(ServicePush.DELTAS).bodyText())
                .contains("\"serviceInfo\":", "\"revision\":" + view.snapshot().version());
        assertThat(push(view, null, 0).payload(ServicePush.DELTAS)).isSameAs(push.payload(ServicePush.DELTAS));
        assertThat(push.hasEncodedList()).isFalse();
    }

    @Test
    void threadsThatNeedTheListAtTheSameTimeGetOneEncoding() throws Exception {
        ExecutorService loops = Executors.newFixedThreadPool(4);
        try {
            for (int round = 1; round <= 20; round++) {
                ServiceView view = view(500 + round);
                CountDownLatch begin = new CountDownLatch(1);
                List<CompletableFuture<Payload>> encoded = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    encoded.add(CompletableFuture.supplyAsync(
                            () -> {
                                pass(begin);
                                return push(view, null, 0).payload(ServicePush.WHOLE_LISTS);
                            },
                            loops));
                }
                begin.countDown();
                Payload first = encoded.get(0).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                for (CompletableFuture<Payload> each : encoded) {
                    assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isSameAs(first);
                }
            }
        } finally {
            loops.shutdownNow();
        }
    }

    private static void pass(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The last view that subscribers were sent is kept; its message is needed until all have acknowledged it. */
    @Test
    void largeMessageIsHeldByItsPushAndNotByTheView() {
        ServiceView view = view(1_000);
        ServicePush underWay = push(view, null, 1);
        assertThat(push(view, null, 1).payload(ServicePush.DELTAS)).isNotNull();

        await().until(() -> {
            System.gc();
            return !messages.whole(view).isEncoded(true);
        });

        assertThat(messages.whole(view).isEncoded(false)).isTrue();
        ServicePush again = push(view, null, 1);
        assertThat(again.payload(ServicePush.WHOLE_LISTS)).isSameAs(underWay.payload(ServicePush.WHOLE_LISTS));
        assertThat(again.requestId()).isEqualTo(underWay.requestId());
        assertThat(again.payload(ServicePush.DELTAS).bodyText()).contains("\"requestId\":\"" + again.requestId() + '"');
    }

    @Test
    void sizeIsThatOfTheMessagesThatAreSent() {
        long before = view(5_000).snapshot().version();
        ServiceView view = view(5_001);
        ViewDelta delta = view.since(before);
        int list = view.encodedBytes();

        assertThat(push(view, delta, 0).totalBytes(200)).isLessThan(200 * 2_000L);
        assertThat(push(view, delta, 200).totalBytes(200)).isEqualTo(200L * list);
        assertThat(push(view, delta, 1).totalBytes(200)).isBetween((long) list, list + 200 * 2_000L);
        assertThat(push(view, null, 0).totalBytes(200))
                .as("a list that is no delta")
                .isEqualTo(200L * list);
        assertThat(push(view, delta, 300).totalBytes(200))
                .as("some have closed meanwhile")
                .isEqualTo(200L * list);
    }
}
