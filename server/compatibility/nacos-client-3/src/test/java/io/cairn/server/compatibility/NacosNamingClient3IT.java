package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.naming.NamingService;
import com.alibaba.nacos.api.naming.listener.AbstractFuzzyWatchEventWatcher;
import com.alibaba.nacos.api.naming.listener.FuzzyWatchChangeEvent;
import com.alibaba.nacos.api.naming.pojo.Instance;
import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 3: as generation 2, and it watches for services by pattern. */
@Execution(ExecutionMode.CONCURRENT)
class NacosNamingClient3IT {
    /** A client whose connection ends while it takes the answer to a watch marks the watch as known to the server until then. */
    static final Duration REPEATS_WATCHES_AFTER = Duration.ofMinutes(3);

    @Nested
    class Registration extends RegistrationScenarios {}

    @Nested
    class Subscription extends SubscriptionScenarios {}

    @Nested
    class Batch extends BatchScenarios {}

    @Nested
    class LargeService extends LargeServiceScenarios {
        LargeService() {
            super(2_000, 3);
        }
    }

    @Nested
    class Persistent extends PersistentScenarios {}

    @Nested
    @StoredInPostgreSql
    class PersistentInPostgreSql extends PersistentScenarios {}

    @Nested
    class Liveness extends LivenessScenarios {}

    @Nested
    class Labels extends LabelScenarios {}

    @Nested
    @Tag("full")
    class Restart extends NamingRestartScenarios {}

    @Nested
    class FuzzyWatch extends NamingScenarios {
        @Test
        void notifiesAWatcherOfMatchesAdditionsAndRemovals() throws Exception {
            String group = newName("group");
            String prefix = newName("orders");
            NamingService provider = clients().open();
            Instance old = newInstance();
            Instance young = newInstance();
            provider.registerInstance(prefix + "-old", group, old);
            provider.registerInstance("other", group, newInstance());
            NamingService consumer = clients().open();
            var watcher = new RecordingWatcher();

            assertThat(consumer.fuzzyWatchWithServiceKeys(prefix + "*", group, watcher)
                            .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                            .getData())
                    .containsExactly("public@@" + group + "@@" + prefix + "-old");
            awaitTold(watcher, "ADD_SERVICE " + prefix + "-old");

            provider.registerInstance(prefix + "-new", group, copy(young));
            provider.registerInstance("another", group, newInstance());
            awaitTold(watcher, "ADD_SERVICE " + prefix + "-old", "ADD_SERVICE " + prefix + "-new");
            NamingService second = clients().open();
            second.registerInstance(prefix + "-new", group, newInstance()); // changes instances, not services
            second.deregisterInstance(prefix + "-old", group, copy(old));
            provider.deregisterInstance(prefix + "-old", group, copy(old));
            awaitTold(
                    watcher,
                    "ADD_SERVICE " + prefix + "-old",
                    "ADD_SERVICE " + prefix + "-new",
                    "DELETE_SERVICE " + prefix + "-old");
            provider.registerInstance(prefix + "-old", group, copy(old));
            awaitTold(
                    watcher,
                    "ADD_SERVICE " + prefix + "-old",
                    "ADD_SERVICE " + prefix + "-new",
                    "DELETE_SERVICE " + prefix + "-old",
                    "ADD_SERVICE " + prefix + "-old");
        }

        @Test
        void patternsMatchBeginsEndsAndMiddlesOfNamesAndGroups() throws Exception {
            String mark = newName("x");
            String group = "shop-" + mark;
            clients().open().registerInstance("orders-" + mark + "-api", group, newInstance());
            clients().open("dev-7f3a").registerInstance("elsewhere-" + mark + "-api", group, newInstance());
            NamingService consumer = clients().open();

            for (List<String> pattern : List.of(
                    List.of("orders-" + mark + "*", group),
                    List.of("*" + mark + "-api", group),
                    List.of("*" + mark + "*", group),
                    List.of("orders-" + mark + "-api", "*" + mark),
                    List.of("*", group),
                    List.of("*" + mark + "*", "shop-" + mark + "*"))) {
                assertThat(consumer.fuzzyWatchWithServiceKeys(pattern.get(0), pattern.get(1), new RecordingWatcher())
                                .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                                .getData())
                        .as("pattern %s", pattern)
                        .containsExactly("public@@" + group + "@@orders-" + mark + "-api");
            }
        }

        @Test
        void notifiesOtherWatchersButNoCancelledOne() throws Exception {
            String group = newName("group");
            NamingService provider = clients().open();
            NamingService consumer = clients().open();
            var leaving = new RecordingWatcher();
            var control = new RecordingWatcher();
            consumer.fuzzyWatch("*", group, leaving);
            clients().open().fuzzyWatch("*", group, control);
            provider.registerInstance("first", group, newInstance());
            awaitTold(leaving, "ADD_SERVICE first");
            awaitTold(control, "ADD_SERVICE first");

            consumer.cancelFuzzyWatch("*", group, leaving);
            provider.registerInstance("second", group, newInstance());
            awaitTold(control, "ADD_SERVICE first", "ADD_SERVICE second");
            provider.registerInstance("third", group, newInstance());
            awaitTold(control, "ADD_SERVICE first", "ADD_SERVICE second", "ADD_SERVICE third");

            assertThat(leaving.told()).containsExactly("ADD_SERVICE first");
        }

        @Test
        void notifiesOfTheRemovedServiceOfAClosedClient() throws Exception {
            String group = newName("group");
            var watcher = new RecordingWatcher();
            clients().open().fuzzyWatch("*", group, watcher);
            NamingService provider = clients().open();
            provider.registerInstance("passing", group, newInstance());
            awaitTold(watcher, "ADD_SERVICE passing");

            provider.shutDown();

            awaitTold(watcher, "ADD_SERVICE passing", "DELETE_SERVICE passing");
        }

        @Test
        @Tag("full")
        void watchContinuesAfterARestart() throws Exception {
            try (CairnProcess own = startOwnServer()) {
                useServer(own);
                String group = newName("group");
                var watcher = new RecordingWatcher();
                clients().open().fuzzyWatch("*", group, watcher);
                clients().open().registerInstance("lasting", group, newInstance());
                awaitTold(watcher, "ADD_SERVICE lasting");

                own.stop();
                own.restart();
                clients().open().registerInstance("late", group, newInstance());

                patiently(PATIENCE.plus(REPEATS_WATCHES_AFTER)).untilAsserted(() -> assertThat(watcher.told())
                        .containsExactly("ADD_SERVICE lasting", "ADD_SERVICE late"));
            }
        }

        private static void awaitTold(RecordingWatcher watcher, String... expected) {
            patiently().untilAsserted(() -> assertThat(watcher.told()).containsExactly(expected));
        }
    }

    /**
     * Keeps what it was told and did not know, as {@code type service}. The client may tell the same event twice: it marks
     * an event as told after its watcher has returned, and what compares the marks meanwhile tells it again. Thread-safe.
     */
    private static final class RecordingWatcher extends AbstractFuzzyWatchEventWatcher {
        private final List<String> told = new ArrayList<>();
        private final Map<String, String> newest = new HashMap<>();

        @Override
        public synchronized void onEvent(FuzzyWatchChangeEvent event) {
            if (!event.getChangeType().equals(newest.put(event.getServiceName(), event.getChangeType()))) {
                told.add(event.getChangeType() + " " + event.getServiceName());
            }
        }

        synchronized List<String> told() {
            return new ArrayList<>(told);
        }
    }
}
