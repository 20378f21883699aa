package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Generation 1: HTTP with long polling. It has no compare-and-set. */
@Execution(ExecutionMode.CONCURRENT)
class NacosClient1IT {
    @Nested
    class Reading extends ReadingScenarios {
        /** As a form it grows, and a form may have 2 MiB. */
        @Override
        int largeContentChars() {
            return 500_000;
        }
    }

    @Nested
    @StoredInPostgreSql
    class ReadingFromPostgreSql extends Reading {}

    @Nested
    class Listening extends ListeningScenarios {
        /** A busy machine may take its time, so one round of some that is quicker than a poll can be is the proof. */
        @Test
        void changeEndsAParkedPoll() throws Exception {
            String dataId = newDataId();
            var listener = new RecordingListener();
            clients().open().addListener(dataId, GROUP, listener);
            ConfigService writer = clients().open();

            var rounds = new AtomicInteger();
            await("two changes within the 29.5 s of a poll that nothing ends")
                    .atMost(PATIENCE.multipliedBy(3))
                    .until(() -> {
                        long began = System.nanoTime();
                        for (String change : List.of("a", "b")) {
                            String content = change + rounds.incrementAndGet();
                            writer.publishConfig(dataId, GROUP, content);
                            awaitNow(listener, content);
                        }
                        return System.nanoTime() - began
                                < Duration.ofSeconds(25).toNanos();
                    });
        }
    }

    @Nested
    class Histories extends ConfigScenarios {
        @Test
        void theHistoryHasWhatAPollingClientSaw() throws Exception {
            String dataId = newDataId();
            var listener = new RecordingListener();
            ConfigService client = clients().open();
            client.publishConfig(dataId, GROUP, "before");
            client.addListener(dataId, GROUP, listener);
            awaitNow(listener, "before");
            client.publishConfig(dataId, GROUP, "after");
            awaitNow(listener, "after");

            patiently().untilAsserted(() -> {
                String events = http().admin("client/history", Map.of("dataId", dataId, "groupName", GROUP))
                        .body();
                assertThat(events)
                        .containsSubsequence(
                                "\"event\":\"FOLLOWED\"",
                                md5("after"),
                                "\"event\":\"NOTIFIED\"",
                                "\"event\":\"LISTENED\"")
                        .contains("(client 1.");
            });
        }
    }

    @Nested
    class Restart extends RestartScenarios {
        /** It retries a refused poll without a pause until the time of that poll is over, and is UP until then. */
        @Override
        boolean noticesThatTheServerIsDown() {
            return false;
        }
    }

    @Nested
    class Login extends LoginScenarios {}
}
