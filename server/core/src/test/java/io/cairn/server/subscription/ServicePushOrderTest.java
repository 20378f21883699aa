package io.cairn.server.subscription;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.api.naming.ServiceKey;
import io.cairn.api.wire.JsonInput;
import io.cairn.api.wire.naming.FollowedList;
import io.cairn.api.wire.naming.ServiceAnswer;
import io.cairn.api.wire.naming.ServiceDelta;
import io.cairn.server.naming.NamingSettings;
import io.cairn.server.naming.registry.Publisher;
import io.cairn.server.naming.stored.RegistryParts;
import io.cairn.server.naming.switches.Switches;
import io.cairn.server.push.Push;
import io.cairn.server.push.WatchedKey;
import io.cairn.server.push.Watcher;
import io.netty.util.HashedWheelTimer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Publishers and subscribers on threads of their own: lists and deltas reach every subscriber in the order of the changes. */
class ServicePushOrderTest {

    private static final ServiceKey SERVICE = new ServiceKey(Namespace.DEFAULT, "DEFAULT_GROUP", "large");
    private static final int CHANGES = 300;

    private final HashedWheelTimer timer = new HashedWheelTimer();
    private final RegistryParts naming = RegistryParts.of(
            new NamingSettings(Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofSeconds(15), true),
            new Switches(),
            timer,
            Clock.systemUTC());
    private final ServiceSubscriptions subscriptions = new ServiceSubscriptions(new AtomicLong());
    private final ServicePusher pusher = TestPusher.of(naming, subscriptions, timer, "10.0.0.9");
    private final List<ExecutorService> threads = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int i = 0; i < 4; i++) {
            threads.add(Executors.newSingleThreadExecutor());
        }
        naming.registry().follow(pusher);
        pusher.start();
    }

    @AfterEach
    void stop() {
        threads.forEach(ExecutorService::shutdownNow);
        pusher.close();
        timer.stop();
    }

    private void publish(int publisher, int size) {
        List<Instance> all = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            all.add(Instance.of("10." + publisher + ".0." + i, 8080));
        }
        naming.registrations()
                .register(
                        naming.registry().connection("publisher-" + publisher, new Publisher.Client("", 0, "", "")),
                        SERVICE,
                        all);
    }

    /** To few subscribers the publishing threads dispatch; to more than 16, the thread of the dispatcher. */
    private void changeWith(int wholeLists, int deltas) throws Exception {
        publish(0, 200);
        List<Subscriber> all = new ArrayList<>();
        for (int i = 0; i < wholeLists + deltas; i++) {
            all.add(new Subscriber(i < wholeLists ? ServicePush.WHOLE_LISTS : ServicePush.DELTAS, threads.get(i % 2)));
        }
        List<Future<?>> publishing = new ArrayList<>();
        for (int publisher = 1; publisher <= 2; publisher++) {
            int own = publisher;
            publishing.add(threads.get(1 + publisher).submit(() -> {
                for (int i = 1; i <= CHANGES; i++) {
                    publish(own, 1 + i % 20);
                }
            }));
        }
        for (Future<?> each : publishing) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        Set<Instance> last =
                new HashSet<>(naming.reads().view(SERVICE, "", false).hosts());
        for (Subscriber subscriber : all) {
            await().until(() -> subscriber.shown.equals(last));
            assertThat(subscriber.wentBack)
                    .as("lists that were made before the one before them")
                    .isZero();
            assertThat(subscriber.gaps).isZero();
        }
    }

    @Test
    void fewSubscribersOfBothForms() throws Exception {
        changeWith(4, 8);
    }

    @Test
    void manySubscribersOfBothForms() throws Exception {
        changeWith(12, 12);
    }

    @Test
    void subscribersThatTakeDeltasOnly() throws Exception {
        changeWith(0, 24);
    }

    /** Reads each message on its own thread, as a connection does. */
    private final class Subscriber implements Watcher {

        private final int form;
        private final ExecutorService loop;
        private final FollowedList list = new FollowedList();
        private long latest;
        private volatile int wentBack;
        private volatile int gaps;
        private volatile Set<Instance> shown = Set.of();

        Subscriber(int form, ExecutorService loop) {
            this.form = form;
            this.loop = loop;
            WatchedKey<Selection> watched = subscriptions.watch(new Selection(SERVICE, ""), this);
            if (form == ServicePush.WHOLE_LISTS) {
                watched.addInFirstVariant(1);
            }
            list.take(
                    List.copyOf(naming.reads().view(SERVICE, "", false).hosts()),
                    naming.reads().snapshot(SERVICE).version());
        }

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public ExecutorService loop() {
            return loop;
        }

        @Override
        @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by the loop alone
        public void changed(WatchedKey<?> watched, Push push) {
            ServiceAnswer message = JsonInput.read(push.payload(form), ServiceAnswer::read);
            ServiceDelta delta = message.delta();
            long made = delta == null ? message.service().generatedAt() : delta.generatedAt();
            wentBack += made < latest ? 1 : 0;
            latest = made;
            if (delta == null) {
                list.take(message.service().hosts(), message.revision());
            } else if (list.take(delta).isEmpty()) {
                gaps++;
            }
            Set<Instance> now = new HashSet<>();
            list.instances().forEach(instance -> now.add(instance.withId(null)));
            shown = now;
        }
    }
}
