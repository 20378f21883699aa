package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import io.cairn.server.process.CairnProcess;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The base of all config scenarios: a server, its clients, and time-outs. They mostly wait, so they run in parallel with names of
 * their own.
 */
@ExtendWith(SharedServer.class)
@Execution(ExecutionMode.CONCURRENT)
abstract class ConfigScenarios {
    static final String GROUP = "DEFAULT_GROUP";
    static final long READ_TIMEOUT_MS = PATIENCE.toMillis();

    /**
     * For a busy machine, and far shorter than a client's own comparison after 3 min. Generation 1, whose poll ends after 29.5 s,
     * has its own scenario.
     */
    private static final String RUN = Long.toString(System.currentTimeMillis(), 36);

    private static final AtomicInteger DATA_IDS = new AtomicInteger();

    private CairnProcess server;
    private NacosClients clients;
    private HttpConfigs http;

    @BeforeEach
    void openClients(CairnProcess shared) {
        useServer(shared);
    }

    final void useServer(CairnProcess used) {
        server = used;
        clients = new NacosClients(used.serverAddress());
        http = new HttpConfigs(used.serverAddress());
    }

    @AfterEach
    void closeClients() {
        clients.close();
    }

    CairnProcess server() {
        return server;
    }

    NacosClients clients() {
        return clients;
    }

    HttpConfigs http() {
        return http;
    }

    /** Unknown to the server, and without a snapshot of any run. */
    static String newDataId() {
        return "compat-" + RUN + "-" + DATA_IDS.incrementAndGet();
    }

    static List<String> newDataIds(int count) {
        var dataIds = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            dataIds.add(newDataId());
        }
        return dataIds;
    }

    static Map<String, String> numbered(String what, List<String> dataIds) {
        var contents = new LinkedHashMap<String, String>();
        dataIds.forEach(dataId -> contents.put(dataId, what + " in " + dataId));
        return contents;
    }

    /** Eight at a time; returns when all are acknowledged. */
    static void publish(ConfigService writer, Map<String, String> contents) throws Exception {
        var publishes = new ArrayList<Callable<Void>>();
        // A client gives up after 3 s.
        contents.forEach((dataId, content) -> publishes.add(() -> {
            patiently().until(() -> writer.publishConfig(dataId, GROUP, content));
            return null;
        }));
        inParallel(8, publishes);
    }

    static String md5(String content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static ConditionFactory patiently() {
        return await().pollInterval(Duration.ofMillis(25));
    }

    /** Waits until this is the listener's newest content; null for a removed config. */
    static void awaitNow(RecordingListener listener, @Nullable String content) {
        patiently().untilAsserted(() -> assertThat(listener.contents()).last().isEqualTo(content));
    }

    /** Waits until every listener has its content as the newest. */
    static void awaitNow(Map<String, RecordingListener> listeners, Map<String, String> contents) {
        await().atMost(PATIENCE.multipliedBy(2))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> {
                    var behind = new ArrayList<String>();
                    listeners.forEach((dataId, listener) -> {
                        if (!listener.hasNow(contents.get(dataId))) {
                            behind.add(dataId);
                        }
                    });
                    assertThat(behind)
                            .as("configs whose listener has not heard the newest")
                            .isEmpty();
                });
    }

    static <T> List<T> inParallel(int threads, List<Callable<T>> calls) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            var results = new ArrayList<T>();
            for (Future<T> call : pool.invokeAll(calls, PATIENCE.multipliedBy(2).toSeconds(), TimeUnit.SECONDS)) {
                results.add(call.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }
}
