package io.cairn.server.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.InstanceKey;
import io.cairn.api.naming.ServiceKey;
import io.cairn.server.auth.Caller;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.ServiceSettings;
import io.cairn.server.naming.label.AddressLabels;
import io.cairn.server.naming.label.LabelSelector;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.stored.StoredNaming;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.naming.view.ServiceView;
import io.cairn.server.push.Push;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.cairn.server.testing.HandDrivenLoop;
import io.cairn.server.testing.SettableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ServicePusherTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "orders");
    private static final Instance A = Instance.of("10.0.0.1", 80);
    private static final Instance B = Instance.of("10.0.0.2", 80);
    private static final Instance EAST =
            new Instance(new InstanceKey("10.0.0.3", 80, "east"), 1, true, true, true, Map.of(), null);

    private final HandDrivenLoop loop = new HandDrivenLoop();
    private final SettableClock clock = new SettableClock();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
            new Switches(),
            loop,
            clock);
    private final StoredNaming stored =
            new StoredNaming(naming, new ForgetfulStore(), new StoredNaming.PersistentInstances() {});
    private final Publisher publisher = naming.registry().connection("publisher", new Publisher.Client("", 0, "", ""));
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final ServicePusher pusher = TestPusher.of(naming, subscriptions, loop, "10.0.0.9");

    @BeforeEach
    void start() {
        naming.registry().follow(pusher);
        pusher.start();
    }

    @AfterEach
    void stop() {
        pusher.close();
    }

    @Test
    void subscriberIsNotifiedOfEveryChangeAndNothingElse() {
        TestSubscriber subscriber = new TestSubscriber("");
        publish(A);
        publish(A);
        publish(A, EAST);
        naming.recovery().connectionClosed("publisher", false);

        assertThat(subscriber.lists()).containsExactly(List.of(A), List.of(A, EAST), List.of());
    }

    @Test
    void subscriberOfAClusterGetsOnlyItsChanges() {
        TestSubscriber east = new TestSubscriber("east");
        TestSubscriber both = new TestSubscriber("east,DEFAULT");
        publish(A);
        publish(A, EAST);
        publish(B, EAST);

        assertThat(east.lists().get(east.lists().size() - 1)).containsExactly(EAST);
        assertThat(east.lists()).hasSizeLessThanOrEqualTo(2);
        assertThat(both.lists()).containsExactly(List.of(A), List.of(A, EAST), List.of(B, EAST));
    }

    @Test
    void everySubscriberIsPushedInstancesWithItsLabels() {
        create(selecting("site"));
        naming.registry().relabel(AddressLabels.read("""
                {"10.0.0.1": {"site": "north"}, "10.0.0.2": {"site": "south"}, "10.9.0.0/24": {"site": "north"},
                 "10.9.1.0/24": {"site": "south"}}
                """));
        TestSubscriber north = new TestSubscriber("", "10.9.0.1");
        TestSubscriber alsoNorth = new TestSubscriber("", "10.9.0.2");
        TestSubscriber south = new TestSubscriber("", "10.9.1.1");
        TestSubscriber unlabelled = new TestSubscriber("", "10.9.2.1");

        publish(A, B);

        assertThat(north.lists()).containsExactly(List.of(A));
        assertThat(south.lists()).containsExactly(List.of(B));
        assertThat(unlabelled.lists()).containsExactly(List.of(A, B));
        assertThat(alsoNorth.heard.get(0)).as("encoded once for all who see it").isSameAs(north.heard.get(0));
        assertThat(north.heard.get(0).requestId())
                .isNotEqualTo(south.heard.get(0).requestId());
        publish(A, B);
        assertThat(north.heard).as("nothing has changed").hasSize(1);
    }

    @Test
    void otherLabelsAndAnotherSelectorArePushed() {
        create(selecting("site"));
        publish(A, B);
        TestSubscriber subscriber = new TestSubscriber("", "10.9.0.1");
        assertThat(subscriber.last.hosts()).containsExactly(A, B);

        naming.registry().relabel(AddressLabels.read("{\"10.0.0.1\":{\"site\":\"x\"},\"10.9.0.1\":{\"site\":\"x\"}}"));
        naming.registry()
                .relabel(AddressLabels.read(
                        "{\"10.0.0.2\":{\"site\":\"x\",\"rack\":\"r\"},\"10.9.0.1\":{\"site\":\"x\",\"rack\":\"q\"}}"));
        set(selecting("rack"));
        set(selecting("site"));
        naming.registry().relabel(AddressLabels.NONE);

        assertThat(subscriber.lists())
                .containsExactly(List.of(A), List.of(B), List.of(A, B), List.of(B), List.of(A, B));
        List<Long> times = subscriber.heard.stream()
                .map(push -> ((ServicePush) push).view().snapshot().refMillis())
                .toList();
        assertThat(times).as("clients drop what is not later").isSorted().doesNotHaveDuplicates();
        set(ServiceSettings.ofKind(true));
        naming.registry().relabel(AddressLabels.read("{\"10.9.0.9\":{\"site\":\"x\"}}"));
        assertThat(subscriber.heard)
                .as("without a selector, labels do not matter")
                .hasSize(5);
    }

    @Test
    void changesHiddenByProtectionArePushedToSubscribersWithLabels() {
        create(selecting("site", 0.5));
        naming.registry().relabel(AddressLabels.read("""
                {"10.0.0.0/30": {"site": "north"}, "10.0.0.4/30": {"site": "south"}, "10.9.0.1": {"site": "north"}}
                """));
        Instance c = Instance.of("10.0.0.3", 80);
        Instance d = Instance.of("10.0.0.4", 80).withHealthy(false);
        Instance e = Instance.of("10.0.0.5", 80).withHealthy(false);
        Instance f = Instance.of("10.0.0.6", 80).withHealthy(false);
        TestSubscriber north = new TestSubscriber("", "10.9.0.1");
        publish(A, B, c, d, e, f);
        assertThat(naming.reads().view(SERVICE, "", false).isProtected()).isTrue();
        assertThat(north.last.hosts()).containsExactly(A, B, c);

        publish(A, B.withHealthy(false), c, d, e, f);

        assertThat(naming.reads().view(SERVICE, "", false).isProtected()).isTrue();
        assertThat(north.last.hosts()).containsExactly(A, B.withHealthy(false), c);
    }

    @Test
    void changedThresholdIsPushedToAffectedSubscribers() {
        create(selecting("site", 0));
        naming.registry().relabel(AddressLabels.read("""
                {"10.0.0.0/30": {"site": "north"}, "10.9.0.1": {"site": "north"}}
                """));
        TestSubscriber north = new TestSubscriber("", "10.9.0.1");
        publish(A, B.withHealthy(false), Instance.of("10.0.0.4", 80), Instance.of("10.0.0.5", 80));
        assertThat(north.last.hosts()).containsExactly(A, B.withHealthy(false));

        set(selecting("site", 0.5));

        assertThat(naming.reads().view(SERVICE, "", false).isProtected()).isFalse();
        assertThat(north.last.hosts()).containsExactly(A, B);
        assertThat(north.last.isProtected()).isTrue();
    }

    private void create(ServiceSettings settings) {
        assertThat(stored.createService(Caller.SERVER, SERVICE, settings)).isCompleted();
    }

    private void set(ServiceSettings settings) {
        assertThat(stored.updateService(Caller.SERVER, SERVICE, before -> settings))
                .isCompleted();
    }

    private static ServiceSettings selecting(String label) {
        return selecting(label, 0);
    }

    private static ServiceSettings selecting(String label, double threshold) {
        return new ServiceSettings(
                true,
                threshold,
                Map.of(),
                LabelSelector.of("CONSUMER.label." + label + "=PROVIDER.label." + label),
                Map.of());
    }

    @Test
    void aSelectionIsForgottenWithItsLastSubscriber() {
        TestSubscriber one = new TestSubscriber("east");
        TestSubscriber two = new TestSubscriber("east");
        TestSubscriber three = new TestSubscriber("east,west");
        assertThat(selections()).containsExactlyInAnyOrder("", "east", "east,west");

        subscriptions.unwatch(one.watched, one);
        assertThat(selections()).containsExactlyInAnyOrder("", "east", "east,west");
        two.closed = true;
        two.watched.closed();
        subscriptions.unwatch(three.watched, three);

        assertThat(selections()).containsExactly("");
        assertThat(subscriptions.services()).isEmpty();
        assertThat(subscriptions.pairs()).isZero();
    }

    @Test
    void subscriberAnsweredWithAnUnpushedStateGetsTheRevertingPush() {
        // So many subscribers that the service pauses after its first change.
        List<TestSubscriber> many = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            many.add(new TestSubscriber(""));
        }
        publish(A);
        await().until(() -> many.stream().allMatch(subscriber -> subscriber.shows(A)));
        publish(A, B);
        TestSubscriber late = new TestSubscriber("");
        assertThat(late.last.hosts()).containsExactly(A, B);
        publish(A);

        await().until(() -> late.shows(A));
        await().until(() -> many.stream().allMatch(subscriber -> subscriber.shows(A)));
    }

    @Test
    void anAnswerThatMayHaveBeenOvertakenByAPushIsFollowedByTheNewest() throws Exception {
        publish(A);
        TestSubscriber subscriber = new TestSubscriber("");
        publish(B);
        assertThat(subscriber.lists()).containsExactly(List.of(B));

        loop.pass(Duration.ofMillis(500));

        assertThat(subscriber.lists()).containsExactly(List.of(B), List.of(B));
        assertThat(loop.waits()).isEmpty();
    }

    @Test
    void listIsPushedAgainToRemainingSubscribers() throws Exception {
        publish(A);
        TestSubscriber subscriber = new TestSubscriber("");
        TestSubscriber closed = new TestSubscriber("");
        closed.closed = true;

        loop.pass(Duration.ofMillis(499));
        assertThat(subscriber.lists()).isEmpty();
        loop.pass(Duration.ofMillis(1));
        assertThat(subscriber.lists()).containsExactly(List.of(A));
        assertThat(closed.lists()).isEmpty();
        loop.pass(Duration.ofHours(1));

        publish(B);
        assertThat(subscriber.lists()).containsExactly(List.of(A), List.of(B));
    }

    @Test
    void answerWithTheSameListAndALaterTimeIsNotComparedAgain() {
        TestSubscriber subscriber = new TestSubscriber("");
        publish(A);
        ServiceView pushed = subscriber.last;
        clock.advance(Duration.ofHours(1));
        ServiceView later = naming.reads().listed(SERVICE).view("", false, 10_000);
        assertThat(later).isNotSameAs(pushed);

        pusher.answered(subscriber.watched, subscriber, later);

        assertThat(subscriber.watched.lastShown()).isSameAs(later);
        publish(A);
        assertThat(subscriber.lists()).as("nothing has changed").containsExactly(List.of(A));
        publish(A, B);
        assertThat(subscriber.lists()).containsExactly(List.of(A), List.of(A, B));
    }

    @Test
    void aPushCarriesTheWholeList() {
        TestSubscriber subscriber = new TestSubscriber("east");
        publish(A, EAST);

        Push push = subscriber.heard.get(0);
        JsonNode body = JsonMapper.builder().build().readTree(push.payload(0).bodyText());

        assertThat(push.payload(0).type()).isEqualTo("NotifySubscriberRequest");
        assertThat(push.replyType()).isEqualTo("NotifySubscriberResponse");
        assertThat(body.path("requestId").asString()).isEqualTo(push.requestId());
        assertThat(body.path("module").asString()).isEqualTo("naming");
        JsonNode info = body.path("serviceInfo");
        assertThat(info.path("name").asString()).isEqualTo("orders");
        assertThat(info.path("groupName").asString()).isEqualTo("DEFAULT_GROUP");
        assertThat(info.path("clusters").asString()).isEqualTo("east");
        assertThat(info.path("hosts")).hasSize(1);
        assertThat(info.path("lastRefTime").asLong())
                .isEqualTo(naming.reads().snapshot(SERVICE).refMillis());
        assertThat(push.payload(0)).isSameAs(push.payload(0));
    }

    private void publish(Instance... instances) {
        naming.registrations().register(publisher, SERVICE, List.of(instances));
    }

    private List<String> selections() {
        List<String> all = new ArrayList<>();
        subscriptions.forEachSelection(SERVICE, selection -> all.add(selection.clusters()));
        return all;
    }

    private final class TestSubscriber implements Watcher {

        private final List<Push> heard = new CopyOnWriteArrayList<>();
        private final WatchedKey<Selection> watched;
        private volatile ServiceView last;
        private final String address;
        private volatile boolean closed;

        TestSubscriber(String clusters) {
            this(clusters, "");
        }

        TestSubscriber(String clusters, String address) {
            this.address = address;
            watched = subscriptions.watch(new Selection(SERVICE, clusters), this);
            last = naming.reads().view(SERVICE, clusters, false);
            pusher.subscribed(watched, this, () -> !closed, last);
        }

        List<List<Instance>> lists() {
            return heard.stream()
                    .map(push -> List.copyOf(((ServicePush) push).view().hosts()))
                    .toList();
        }

        boolean shows(Instance... instances) {
            return last.hosts().equals(List.of(instances));
        }

        @Override
        public boolean isClosed() {
            return closed;
        }

        @Override
        public String address() {
            return address;
        }

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public void changed(WatchedKey<?> changed, Push push) {
            heard.add(push);
            last = ((ServicePush) push).view();
        }
    }
}
