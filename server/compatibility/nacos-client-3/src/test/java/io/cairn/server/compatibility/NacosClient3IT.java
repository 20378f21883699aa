package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigQueryResult;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.config.listener.AbstractFuzzyWatchEventWatcher;
import com.alibaba.nacos.api.config.listener.ConfigFuzzyWatchChangeEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Generation 3: gRPC. It says {@code public} when it means the default namespace, and hands out digest and type. */
class NacosClient3IT {
    @Nested
    class Reading extends ReadingScenarios {
        @Test
        void readTellsDigestAndType() throws Exception {
            String dataId = newDataId();
            ConfigService client = clients().open();
            client.publishConfig(dataId, GROUP, "名称: 值", "yaml");

            ConfigQueryResult read = client.getConfigWithResult(dataId, GROUP, READ_TIMEOUT_MS);

            assertThat(read.getContent()).isEqualTo("名称: 值");
            assertThat(read.getMd5()).isEqualTo(md5("名称: 值"));
            assertThat(read.getConfigType()).isEqualTo("yaml");
        }

        @Test
        void readOfAnAbsentConfigTellsNothing() throws Exception {
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
    class Listening extends ListeningScenarios {}

    @Nested
    class Restart extends RestartScenarios {}

    /** The client hands out what came at the latest every 5 s; with two processors it needs a third worker to watch. */
    @Nested
    class FuzzyWatch extends ConfigScenarios {
        @Test
        void watcherIsToldWhatIsThereWhatComesAndWhatGoes() throws Exception {
            String prefix = newDataId() + "-";
            ConfigService publisher = clients().open();
            publisher.publishConfig(prefix + "old", GROUP, "a: 1");
            publisher.publishConfig("other-" + prefix, GROUP, "a: 1");
            ConfigService reader = clients().open(Map.of(PropertyKeyConst.CLIENT_WORKER_THREAD_COUNT, "8"));
            List<String> told = Collections.synchronizedList(new ArrayList<>());
            var watcher = new AbstractFuzzyWatchEventWatcher() {
                @Override
                public void onEvent(ConfigFuzzyWatchChangeEvent event) {
                    told.add(event.getChangedType() + " " + event.getDataId().substring(prefix.length()));
                }
            };

            assertThat(reader.fuzzyWatchWithGroupKeys(prefix + "*", GROUP, watcher)
                            .get(30, TimeUnit.SECONDS))
                    .containsExactly(prefix + "old+" + GROUP + "+public");
            publisher.publishConfig(prefix + "new", GROUP, "b: 1");
            patiently().untilAsserted(() -> assertThat(told).containsExactly("ADD_CONFIG old", "ADD_CONFIG new"));
            publisher.publishConfig(prefix + "new", GROUP, "b: 2"); // changes a content, not what matches
            publisher.removeConfig(prefix + "old", GROUP);
            patiently().untilAsserted(() -> assertThat(told)
                    .containsExactly("ADD_CONFIG old", "ADD_CONFIG new", "DELETE_CONFIG old"));

            reader.cancelFuzzyWatch(prefix + "*", GROUP, watcher);
        }
    }

    @Nested
    class Login extends LoginScenarios {}
}
