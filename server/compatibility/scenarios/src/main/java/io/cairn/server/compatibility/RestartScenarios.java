package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import io.cairn.server.process.CairnProcess;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients outlive their server: all comes back without the application doing anything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class RestartScenarios extends ConfigScenarios {
    private CairnProcess own;

    @BeforeAll
    void startServer() {
        own = CairnProcess.builder().start();
    }

    @AfterAll
    void endServer() {
        own.close();
    }

    @BeforeEach
    @Override
    void openClients(CairnProcess shared) {
        if (!own.process().isAlive()) {
            own.restart(); // a test before this one failed half-way
        }
        useServer(own);
    }

    /** Whether the client's status says so soon after its server went away. */
    boolean noticesThatTheServerIsDown() {
        return true;
    }

    enum Ending {
        GRACEFUL {
            @Override
            void end(CairnProcess server) {
                server.stop();
            }
        },
        KILL {
            @Override
            void end(CairnProcess server) {
                server.kill();
            }
        };

        abstract void end(CairnProcess server);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void listenersComeBackAndHearWhatTheyMissed(Ending ending) throws Exception {
        String dataId = newDataId();
        var listener = new RecordingListener();
        ConfigService reader = clients().open();
        reader.addListener(dataId, GROUP, listener);
        ConfigService writer = clients().open();
        assertThat(writer.publishConfig(dataId, GROUP, "before")).isTrue();
        awaitNow(listener, "before");
        assertThat(reader.getServerStatus()).isEqualTo("UP");

        ending.end(server());
        if (noticesThatTheServerIsDown()) {
            patiently().untilAsserted(() -> assertThat(reader.getServerStatus()).isEqualTo("DOWN"));
        }
        server().restart();
        // At once: the listening client, which pauses between two attempts, finds it when it is back.
        assertThat(http().publish(dataId, GROUP, "missed").statusCode()).isEqualTo(200);

        awaitNow(listener, "missed");
        patiently().untilAsserted(() -> assertThat(reader.getServerStatus()).isEqualTo("UP"));
        patiently().ignoreExceptions().untilAsserted(() -> assertThat(writer.publishConfig(dataId, GROUP, "after"))
                .isTrue());
        awaitNow(listener, "after");
        assertThat(clients().open().removeConfig(dataId, GROUP)).isTrue();
        awaitNow(listener, null);
        assertThat(listener.contents()).containsExactly("before", "missed", "after", null);
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void acknowledgedPublishesSurvive(Ending ending) throws Exception {
        List<String> dataIds = newDataIds(50);
        ConfigService writer = clients().open();
        for (String dataId : dataIds) {
            assertThat(writer.publishConfig(dataId, GROUP, "kept in " + dataId)).isTrue();
        }

        ending.end(server()); // right after the last acknowledgement
        server().restart();

        ConfigService reader = clients().open();
        for (String dataId : dataIds) {
            assertThat(reader.getConfig(dataId, GROUP, READ_TIMEOUT_MS)).isEqualTo("kept in " + dataId);
        }
    }

    @Test
    void twoHundredListensComeBackAfterAKill() throws Exception {
        List<String> dataIds = newDataIds(200);
        ConfigService reader = clients().open();
        ConfigService writer = clients().open();
        var listeners = new LinkedHashMap<String, RecordingListener>();
        for (String dataId : dataIds) {
            var listener = new RecordingListener();
            reader.addListener(dataId, GROUP, listener);
            listeners.put(dataId, listener);
        }
        Map<String, String> contents = new HashMap<>();
        for (String dataId : dataIds) {
            contents.put(dataId, "before in " + dataId);
            assertThat(writer.publishConfig(dataId, GROUP, contents.get(dataId)))
                    .isTrue();
        }
        awaitNow(Duration.ofSeconds(40), listeners, contents);

        server().kill();
        server().restart();
        for (String dataId : dataIds) {
            contents.put(dataId, "after in " + dataId);
            assertThat(http().publish(dataId, GROUP, contents.get(dataId)).statusCode())
                    .isEqualTo(200);
        }

        awaitNow(Duration.ofSeconds(40), listeners, contents);
    }
}
