package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigQueryResult;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractFuzzyWatchEventWatcher;
import com.alibaba.nacos.api.config.listener.ConfigFuzzyWatchChangeEvent;
import com.alibaba.nacos.api.exception.NacosException;
import io.cairn.server.process.CairnProcess;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 3: gRPC. It says {@code public} when it means the default namespace, and hands out digest and type. */
@Execution(ExecutionMode.CONCURRENT)
class NacosClient3IT {
    @Nested
    class Reading extends ReadingScenarios {
        @Test
        void readReturnsDigestAndType() throws Exception {
            String dataId = newDataId();
            ConfigService client = clients().open();
            client.publishConfig(dataId, GROUP, "名称: 值", "yaml");

            ConfigQueryResult read = client.getConfigWithResult(dataId, GROUP, READ_TIMEOUT_MS);

            assertThat(read.getContent()).isEqualTo("名称: 值");
            assertThat(read.getMd5()).isEqualTo(md5("名称: 值"));
            assertThat(read.getConfigType()).isEqualTo("yaml");
        }

        @Test
        void readOfAnAbsentConfigReturnsNothing() throws Exception {
            ConfigQueryResult read = clients().open().getConfigWithResult(newDataId(), GROUP, READ_TIMEOUT_MS);

            assertThat(read.getContent()).isNull();
            assertThat(read.getMd5()).isNull();
        }

        @Test
        void blankNamespaceIsTheDefaultOneToo() throws Exception {
            String dataId = newDataId();
            ConfigService blank = clients().open("");
            ConfigService named = clients().open("public");

            blank.publishConfig(dataId, GROUP, "one namespace");

            assertThat(named.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("one namespace");
            assertThat(http().get(dataId, GROUP, "").body()).isEqualTo("one namespace");
        }
    }

    @Nested
    class Cas extends CasScenarios {
        @Test
        void digestOfAReadServesTheNextCas() throws Exception {
            String dataId = newDataId();
            ConfigService client = clients().open();
            client.publishConfig(dataId, GROUP, "first");

            String digest =
                    client.getConfigWithResult(dataId, GROUP, READ_TIMEOUT_MS).getMd5();

            assertThat(client.publishConfigCas(dataId, GROUP, "second", digest)).isTrue();
            assertThat(client.publishConfigCas(dataId, GROUP, "third", digest)).isFalse();
            assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("second");
        }
    }

    @Nested
    @StoredInPostgreSql
    class ReadingFromPostgreSql extends ReadingScenarios {}

    @Nested
    @StoredInPostgreSql
    class CasInPostgreSql extends CasScenarios {}

    @Nested
    class Listening extends ListeningScenarios {}

    @Nested
    class LabelReleases extends LabelReleaseScenarios {}

    @Nested
    class HeldContents extends HeldContentScenarios {}

    @Nested
    @Tag("full")
    class Restart extends RestartScenarios {}

    @Nested
    @Tag("full")
    class LostListens extends LostListensScenarios {}

    /** The client hands out what came at the latest every 5 s; with two processors it needs a third worker to watch. */
    @Nested
    class FuzzyWatch extends ConfigScenarios {
        @Test
        void notifiesAWatcherOfMatchesAdditionsAndRemovals() throws Exception {
            String prefix = newDataId() + "-";
            ConfigService publisher = clients().open();
            publisher.publishConfig(prefix + "old", GROUP, "a: 1");
            publisher.publishConfig("other-" + prefix, GROUP, "a: 1");
            ConfigService reader = clients().open(Map.of(PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "8"));
            var watcher = new RecordingWatcher();

            assertThat(reader.fuzzyWatchWithGroupKeys(prefix + "*", GROUP, watcher)
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .containsExactly(prefix + "old+" + GROUP + "+public");
            publisher.publishConfig(prefix + "new", GROUP, "b: 1");
            awaitTold(watcher, "ADD_CONFIG " + prefix + "old", "ADD_CONFIG " + prefix + "new");
            publisher.publishConfig(prefix + "new", GROUP, "b: 2"); // changes a content, not what matches
            publisher.removeConfig(prefix + "old", GROUP);
            awaitTold(
                    watcher,
                    "ADD_CONFIG " + prefix + "old",
                    "ADD_CONFIG " + prefix + "new",
                    "DELETE_CONFIG " + prefix + "old");

            reader.cancelFuzzyWatch(prefix + "*", GROUP, watcher);
        }

        @Test
        void patternsMatchBeginsEndsAndMiddlesOfNamesAndGroups() throws Exception {
            String mark = newDataId();
            String group = "shop-" + mark;
            String dataId = "orders-" + mark + "-api";
            clients().open().publishConfig(dataId, group, "a: 1");
            clients().open("dev-7f3a").publishConfig("elsewhere-" + mark + "-api", group, "a: 1");
            ConfigService reader = open();

            for (List<String> pattern : List.of(
                    List.of("orders-" + mark + "*", group),
                    List.of("*" + mark + "-api", group),
                    List.of("*" + mark + "*", group),
                    List.of(dataId, "*" + mark),
                    List.of(dataId, group),
                    List.of("*", group),
                    List.of("*" + mark + "*", "*"))) {
                assertThat(watched(reader, pattern.get(0), pattern.get(1), new RecordingWatcher()))
                        .as("pattern %s", pattern)
                        .containsExactly(dataId + "+" + group + "+public");
            }
        }

        @Test
        void notifiesEachWatcherOfAPatternUntilItIsCancelled() throws Exception {
            String group = "g-" + newDataId();
            ConfigService publisher = clients().open();
            publisher.publishConfig("first", group, "a: 1");
            ConfigService reader = open();
            var staying = new RecordingWatcher();
            var leaving = new RecordingWatcher();
            assertThat(watched(reader, "*", group, staying)).hasSize(1);
            assertThat(watched(reader, "*", group, leaving)).hasSize(1);
            awaitTold(staying, "ADD_CONFIG first");
            awaitTold(leaving, "ADD_CONFIG first");

            reader.cancelFuzzyWatch("*", group, leaving);
            publisher.publishConfig("second", group, "a: 1");
            awaitTold(staying, "ADD_CONFIG first", "ADD_CONFIG second");
            publisher.removeConfig("first", group);
            awaitTold(staying, "ADD_CONFIG first", "ADD_CONFIG second", "DELETE_CONFIG first");

            assertThat(leaving.told).containsExactly("ADD_CONFIG first");
        }

        @Test
        void notifiesOfAConfigurationThatIsPublishedAgain() throws Exception {
            String group = "g-" + newDataId();
            ConfigService publisher = clients().open();
            var watcher = new RecordingWatcher();
            assertThat(watched(open(), "*", group, watcher)).isEmpty();

            publisher.publishConfig("passing", group, "a: 1");
            awaitTold(watcher, "ADD_CONFIG passing");
            publisher.removeConfig("passing", group);
            awaitTold(watcher, "ADD_CONFIG passing", "DELETE_CONFIG passing");
            publisher.publishConfig("passing", group, "a: 1");
            awaitTold(watcher, "ADD_CONFIG passing", "DELETE_CONFIG passing", "ADD_CONFIG passing");
        }

        @Test
        void aWatchSeesTheNamespaceOfItsClientAlone() throws Exception {
            String namespace = "dev-" + newDataId();
            String group = "g-" + newDataId();
            clients().open().publishConfig("outside", group, "a: 1");
            ConfigService publisher = clients().open(namespace);
            publisher.publishConfig("inside", group, "a: 1");
            var watcher = new RecordingWatcher();
            ConfigService reader = clients()
                    .open(Map.of(
                            PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "8", PropertyKeyConst.NAMESPACE, namespace));

            assertThat(watched(reader, "*", group, watcher)).containsExactly("inside+" + group + "+" + namespace);
            awaitTold(watcher, "ADD_CONFIG inside");
            clients().open().publishConfig("outside-too", group, "a: 1");
            publisher.publishConfig("inside-too", group, "a: 1");
            awaitTold(watcher, "ADD_CONFIG inside", "ADD_CONFIG inside-too");
        }

        @Test
        @Tag("full")
        void watchContinuesAfterARestart() throws Exception {
            try (CairnProcess own = CairnProcess.builder().start()) {
                useServer(own);
                String group = "g-" + newDataId();
                var watcher = new RecordingWatcher();
                clients().open().publishConfig("lasting", group, "a: 1");
                assertThat(watched(open(), "*", group, watcher)).hasSize(1);
                awaitTold(watcher, "ADD_CONFIG lasting");

                own.stop();
                own.restart();
                clients().open().publishConfig("late", group, "a: 1");

                Awaitility.await()
                        .atMost(PATIENCE.plus(NacosNamingClient3IT.REPEATS_WATCHES_AFTER))
                        .untilAsserted(() ->
                                assertThat(watcher.told).containsExactly("ADD_CONFIG lasting", "ADD_CONFIG late"));
            }
        }

        private ConfigService open() throws NacosException {
            return clients().open(Map.of(PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "8"));
        }

        private static Set<String> watched(
                ConfigService reader, String dataIds, String groups, RecordingWatcher watcher) throws Exception {
            return reader.fuzzyWatchWithGroupKeys(dataIds, groups, watcher).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        private static void awaitTold(RecordingWatcher watcher, String... events) {
            Awaitility.await().untilAsserted(() -> assertThat(watcher.told).containsExactly(events));
        }

        /**
         * Notes what it is told and did not know, in order. The client may tell the same event twice: it marks an event
         * as told after its watcher has returned, and what compares the marks meanwhile tells it again.
         */
        private static final class RecordingWatcher extends AbstractFuzzyWatchEventWatcher {

            private final List<String> told = new CopyOnWriteArrayList<>();
            private final Map<String, String> newest = new ConcurrentHashMap<>();

            @Override
            public void onEvent(ConfigFuzzyWatchChangeEvent event) {
                if (!event.getChangedType().equals(newest.put(event.getDataId(), event.getChangedType()))) {
                    told.add(event.getChangedType() + " " + event.getDataId());
                }
            }
        }
    }

    @Nested
    class Login extends LoginScenarios {}
}
