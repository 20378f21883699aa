package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.config.ConfigService;
import io.cairn.server.nodes.ClusterOfProcesses;
import io.cairn.testing.HangLimit;
import io.cairn.testing.Patience;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Twenty clients on three nodes get the release of the previewed share, and keep it while a node dies, nodes restart, clients are spread
 * anew, and a client restarts.
 */
@Tag("endurance")
public abstract class ReleaseClusterScenarios {
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String DATA_ID = "released.yaml";
    private static final String NAME = "canary";
    private static final int CLIENTS = 20;
    private static final Pattern SELECTED = Pattern.compile("\"identity\":\"([^\"]+)\",\"identityBy\":\"INSTANCE\"");
    private static final Pattern WATCHER =
            Pattern.compile("\"connectionId\":\"([^\"]+)\"[^}]*?\"instance\":\"([^\"]+)\"");
    private static final Pattern HELD = Pattern.compile(
            "\"connectionId\":\"([^\"]+)\",\"node\":\"[^\"]+\",\"state\":\"ANSWERED\",\"md5\":\"([^\"]+)\"");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path folder;

    private final Map<String, RecordingListener> listeners = new TreeMap<>();
    private final Map<String, NacosClients> clients = new TreeMap<>();

    @Test
    @HangLimit
    void clientsGetWhatThePreviewSaysThroughFaultsOfNodes() throws Exception {
        try (PackedCluster cluster = PackedCluster.start(folder)) {
            ClusterOfProcesses nodes = cluster.nodes();
            HttpConfigs first = new HttpConfigs(nodes.address(0));
            assertThat(first.publish(DATA_ID, GROUP, "for all").statusCode()).isEqualTo(200);
            for (int i = 0; i < CLIENTS; i++) {
                connect("orders-" + i, nodes);
            }
            awaitContents(Map.of(), "for all");

            assertThat(previewed(nodes, 0, "25")).isEqualTo(computed(25));
            assertThat(first.publishRelease(DATA_ID, GROUP, NAME, "percentage", "25", "for some")
                            .statusCode())
                    .isEqualTo(200);
            awaitContents(contents(computed(25)), "for all");
            awaitHeld(nodes, contents(computed(25)), "for all");

            assertThat(computed(50))
                    .containsAll(computed(25))
                    .hasSizeGreaterThan(computed(25).size());
            assertThat(previewed(nodes, 2, "50")).isEqualTo(computed(50));
            assertThat(first.publishRelease(DATA_ID, GROUP, NAME, "percentage", "50", "for some")
                            .statusCode())
                    .isEqualTo(200);
            awaitContents(contents(computed(50)), "for all");

            nodes.kill(1);
            awaitSame(nodes, 0);
            nodes.restart(1);
            awaitSame(nodes, 1);
            assertThat(new HttpConfigs(nodes.address(1)).spreadClients().statusCode())
                    .isEqualTo(200);
            awaitSame(nodes, 2);
            for (int node = 0; node < nodes.size(); node++) {
                nodes.stop(node);
                nodes.restart(node);
            }
            awaitSame(nodes, 0);
            String restarted = computed(50).iterator().next();
            Objects.requireNonNull(clients.remove(restarted)).close();
            connect(restarted, nodes);
            awaitSame(nodes, 1);

            listeners.forEach((instance, listener) -> assertThat(listener.contents())
                    .as(instance)
                    .isEqualTo(
                            instance.equals(restarted)
                                    ? List.of("for some")
                                    : computed(50).contains(instance)
                                            ? List.of("for all", "for some")
                                            : List.of("for all")));
        } finally {
            clients.values().forEach(NacosClients::close);
        }
    }

    private void connect(String instance, ClusterOfProcesses nodes) throws Exception {
        var opened = new NacosClients(nodes.addresses());
        clients.put(instance, opened);
        ConfigService client = opened.open(Map.of("nacos.app.conn.labels", "instance=" + instance));
        var listener = new RecordingListener();
        // The clients of this JVM share their snapshots, so a client's first content is read, not listened to.
        listener.receiveConfigInfo(
                client.getConfigAndSignListener(DATA_ID, GROUP, ConfigScenarios.READ_TIMEOUT_MS, listener));
        listeners.put(instance, listener);
    }

    /** The instances in a share, by the documented formula. */
    private Set<String> computed(int percent) {
        Set<String> in = new TreeSet<>();
        for (int i = 0; i < CLIENTS; i++) {
            String text = String.join("\u0002", "public", GROUP, DATA_ID, NAME, "orders-" + i);
            if (Long.parseLong(ConfigScenarios.md5(text).substring(0, 8), 16) % 10_000 < percent * 100L) {
                in.add("orders-" + i);
            }
        }
        return in;
    }

    private static Map<String, String> contents(Set<String> instances) {
        return instances.stream().collect(Collectors.toMap(instance -> instance, instance -> "for some"));
    }

    private static Map<String, String> key() {
        return new LinkedHashMap<>(Map.of("dataId", DATA_ID, "groupName", GROUP));
    }

    private static Set<String> previewed(ClusterOfProcesses nodes, int node, String percent) throws Exception {
        Map<String, String> asked = key();
        asked.putAll(Map.of("grayName", NAME, "grayType", "percentage", "grayRuleExp", percent));
        var answer = new HttpConfigs(nodes.address(node)).admin("config/gray/preview", asked);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Cairn-Silent-Nodes")).isEmpty();
        assertThat(answer.body()).contains("\"listeners\":" + CLIENTS);
        return SELECTED.matcher(answer.body())
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** After a fault: each client is back, in the preview as before, and holds the content as before. */
    private void awaitSame(ClusterOfProcesses nodes, int node) {
        await().atMost(Patience.PATIENCE.multipliedBy(2))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(previewed(nodes, node, "50")).isEqualTo(computed(50)));
        awaitContents(contents(computed(50)), "for all");
        awaitHeld(nodes, contents(computed(50)), "for all");
    }

    private void awaitContents(Map<String, String> some, String others) {
        ConfigScenarios.awaitNow(
                listeners,
                listeners.keySet().stream()
                        .collect(Collectors.toMap(
                                instance -> instance, instance -> some.getOrDefault(instance, others))));
    }

    /** The digest that each client reports of itself. */
    private void awaitHeld(ClusterOfProcesses nodes, Map<String, String> some, String others) {
        await().atMost(Patience.PATIENCE.multipliedBy(2)).ignoreExceptions().untilAsserted(() -> {
            HttpConfigs server = new HttpConfigs(nodes.address(2));
            Map<String, String> instances =
                    pairs(WATCHER, server.admin("config/watchers", key()).body());
            Map<String, String> asked = key();
            asked.put("connectionIds", String.join(",", instances.keySet()));
            Map<String, String> held =
                    pairs(HELD, server.admin("config/watchers/held", asked).body());
            List<String> wrong = new ArrayList<>();
            instances.forEach((connection, instance) -> {
                if (!ConfigScenarios.md5(some.getOrDefault(instance, others)).equals(held.get(connection))) {
                    wrong.add(instance);
                }
            });
            assertThat(wrong).as("clients that hold another content").isEmpty();
            assertThat(Set.copyOf(instances.values())).hasSize(CLIENTS);
        });
    }

    private static Map<String, String> pairs(Pattern pattern, String json) {
        Map<String, String> all = new LinkedHashMap<>();
        pattern.matcher(json).results().forEach(found -> all.put(found.group(1), found.group(2)));
        return Collections.unmodifiableMap(all);
    }
}
