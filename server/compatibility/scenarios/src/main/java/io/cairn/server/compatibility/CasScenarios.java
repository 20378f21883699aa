package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;

/** Compare-and-set, and other additions of gRPC clients. */
public abstract class CasScenarios extends ConfigScenarios {
    /** Without an answer, a client repeats its request, which is refused if the first was applied. */
    private static final Duration CLIENT_REPEATS_AFTER = Duration.ofSeconds(3);

    @Test
    void casWithTheStoredDigestReplacesTheContent() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        client.publishConfig(dataId, GROUP, "第一");

        assertThat(client.publishConfigCas(dataId, GROUP, "second", md5("第一"))).isTrue();

        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("second");
    }

    @Test
    void refusesCasWithAStaleDigestAndNotifiesNoListener() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        var listener = new RecordingListener();
        clients().open().addListener(dataId, GROUP, listener);
        client.publishConfig(dataId, GROUP, "first");
        client.publishConfig(dataId, GROUP, "second");
        awaitNow(listener, "second");

        assertThat(client.publishConfigCas(dataId, GROUP, "third", md5("first")))
                .isFalse();

        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("second");
        client.publishConfig(dataId, GROUP, "fourth");
        awaitNow(listener, "fourth");
        assertThat(listener.contents()).doesNotContain("third");
    }

    @Test
    void casOnAnAbsentConfigInsertsIt() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();

        assertThat(client.publishConfigCas(dataId, GROUP, "first", md5("anything")))
                .isTrue();

        assertThat(client.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("first");
    }

    @Test
    void casStoresTheType() throws Exception {
        String dataId = newDataId();
        ConfigService client = clients().open();
        client.publishConfig(dataId, GROUP, "a: 1", "text");

        assertThat(client.publishConfigCas(dataId, GROUP, "a: 2", md5("a: 1"), "yaml"))
                .isTrue();

        assertThat(http().get(dataId, GROUP).headers().firstValue("Config-Type"))
                .hasValue("yaml");
    }

    @Test
    void oneOfTwoRacingClientsWinsEachRound() throws Exception {
        String dataId = newDataId();
        List<ConfigService> racers = clients().open(2);
        String current = "start";
        assertThat(racers.get(0).publishConfig(dataId, GROUP, current)).isTrue();
        assertThat(racers.get(1).getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo(current);

        for (int round = 0; round < 30; round++) {
            String digest = md5(current);
            var start = new CyclicBarrier(racers.size());
            var proposals = new ArrayList<String>();
            var publishes = new ArrayList<Callable<Boolean>>();
            for (ConfigService racer : racers) {
                String proposal = "round " + round + " of racer " + proposals.size();
                proposals.add(proposal);
                publishes.add(() -> {
                    start.await();
                    return racer.publishConfigCas(dataId, GROUP, proposal, digest);
                });
            }

            long begun = System.nanoTime();
            List<Boolean> won = inParallel(racers.size(), publishes);
            boolean mayHaveRepeated = System.nanoTime() - begun > CLIENT_REPEATS_AFTER.toNanos();

            current = http().get(dataId, GROUP).body();
            assertThat(proposals).as("round %d", round).contains(current);
            if (!mayHaveRepeated || won.contains(true)) {
                assertThat(won).as("round %d", round).containsExactlyInAnyOrder(true, false);
                assertThat(current).isEqualTo(proposals.get(won.indexOf(true)));
            }
            for (ConfigService racer : racers) {
                assertThat(racer.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo(current);
            }
        }
    }

    @Test
    void doesNotNotifyAClientAfterItsShutdown() throws Exception {
        String dataId = newDataId();
        var left = new RecordingListener();
        var control = new RecordingListener();
        clients().open().addListener(dataId, GROUP, control);
        ConfigService leaving = clients().open();
        ConfigService writer = clients().open();
        leaving.addListener(dataId, GROUP, left);
        writer.publishConfig(dataId, GROUP, "first");
        awaitNow(left, "first");

        leaving.shutDown();
        for (String content : List.of("second", "third")) {
            writer.publishConfig(dataId, GROUP, content);
            awaitNow(control, content);
        }

        assertThat(left.contents()).containsExactly("first");
    }
}
