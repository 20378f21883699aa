package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import io.cairn.server.process.CairnProcess;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients survive a restart of their server without action of the application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Execution(ExecutionMode.SAME_THREAD) // each test ends the server of all
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

    /** Whether the client's status soon shows an absent server. */
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
    void listenersGetMissedChangesAfterARestart(Ending ending) throws Exception {
        String dataId = newDataId();
        var listener = new RecordingListener();
        ConfigService reader = clients().open();
        reader.addListener(dataId, GROUP, listener);
        ConfigService writer = clients().open();
        assertThat(writer.publishConfig(dataId, GROUP, "before")).isTrue();
        awaitNow(listener, "before");
        assertThat(reader.getServerStatus()).isEqualTo("UP");

        Map<String, String> kept = numbered("kept", newDataIds(30));
        publish(writer, kept);

        ending.end(server()); // right after the last acknowledgement
        if (noticesThatTheServerIsDown()) {
            patiently().untilAsserted(() -> assertThat(reader.getServerStatus()).isEqualTo("DOWN"));
        }
        server().restart();
        // At once: the listening client, which pauses between attempts, finds it after its return.
        assertThat(http().publish(dataId, GROUP, "missed").statusCode()).isEqualTo(200);

        ConfigService newcomer = clients().open();
        for (var config : kept.entrySet()) {
            assertThat(newcomer.getConfig(config.getKey(), GROUP, READ_TIMEOUT_MS))
                    .isEqualTo(config.getValue());
        }
        awaitNow(listener, "missed");
        patiently().untilAsserted(() -> assertThat(reader.getServerStatus()).isEqualTo("UP"));
        patiently().ignoreExceptions().untilAsserted(() -> assertThat(writer.publishConfig(dataId, GROUP, "after"))
                .isTrue());
        awaitNow(listener, "after");
        assertThat(newcomer.removeConfig(dataId, GROUP)).isTrue();
        awaitNow(listener, null);
        assertThat(listener.contents()).containsExactly("before", "missed", "after", null);
    }

    @Test
    void twoHundredListensAreRestoredAfterAKill() throws Exception {
        List<String> dataIds = newDataIds(200);
        ConfigService reader = clients().open();
        ConfigService writer = clients().open();
        var listeners = new LinkedHashMap<String, RecordingListener>();
        for (String dataId : dataIds) {
            var listener = new RecordingListener();
            reader.addListener(dataId, GROUP, listener);
            listeners.put(dataId, listener);
        }
        Map<String, String> before = numbered("before", dataIds);
        publish(writer, before);
        awaitNow(listeners, before);

        server().kill();
        server().restart();
        Map<String, String> after = numbered("after", dataIds);
        publish(clients().open(), after);

        awaitNow(listeners, after);
    }
}
