package io.cairn.server.compatibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.nacos.api.config.ConfigService;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server knows which content each official client has, by its reports and by a question to the client itself. */
@Tag("full")
public abstract class HeldContentScenarios extends ConfigScenarios {

    private static final Pattern CONNECTION = Pattern.compile("\"connectionId\":\"([^\"]+)\"");
    private static final Pattern EVENT = Pattern.compile("\"event\":\"([A-Z]+)\"");

    private static List<String> all(Pattern pattern, String json) {
        return pattern.matcher(json)
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private Map<String, String> of(String dataId) {
        return new LinkedHashMap<>(Map.of("dataId", dataId, "groupName", GROUP));
    }

    private String admin(String path, Map<String, String> parameters) throws Exception {
        var answer = http().admin(path, parameters);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private void awaitHeld(String dataId, int clients, String content) {
        patiently().untilAsserted(() -> {
            List<String> connections = all(CONNECTION, admin("config/watchers", of(dataId)));
            assertThat(connections).hasSize(clients);
            var asked = of(dataId);
            asked.put("connectionIds", String.join(",", connections));
            assertThat(all(
                            Pattern.compile("\"state\":\"([A-Z_]+)\",\"md5\":\"(?=" + md5(content) + ")"),
                            admin("config/watchers/held", asked)))
                    .hasSize(connections.size())
                    .containsOnly("ANSWERED");
        });
    }

    @Test
    void eachClientReportsTheContentThatItHolds() throws Exception {
        String dataId = newDataId();
        String before = "名称: \"值\"\nurl: http://a:80/\\x\n";
        clients().open().publishConfig(dataId, GROUP, before);
        var listeners = new ArrayList<RecordingListener>();
        for (String instance : List.of("orders-1", "orders-2", "orders-3")) {
            var listener = new RecordingListener();
            ConfigService client = clients().open(Map.of("nacos.app.conn.labels", "zone=a,instance=" + instance));
            client.addListener(dataId, GROUP, listener);
            listeners.add(listener);
        }
        for (var listener : listeners) {
            awaitNow(listener, before);
        }
        patiently().untilAsserted(() -> assertThat(all(
                        Pattern.compile("\"md5\":\"" + md5(before) + "\",\"current\":(true)"),
                        admin("config/watchers", of(dataId))))
                .hasSize(3));
        String watchers = admin("config/watchers", of(dataId));
        assertThat(watchers).contains("\"instance\":\"orders-2\"", "\"app_zone\":\"a\"", "\"asks\":true");
        awaitHeld(dataId, listeners.size(), before);

        clients().open().publishConfig(dataId, GROUP, "after");

        for (var listener : listeners) {
            awaitNow(listener, "after");
        }
        awaitHeld(dataId, listeners.size(), "after");
        patiently().untilAsserted(() -> {
            var asked = of(dataId);
            asked.put("instance", "orders-1");
            assertThat(all(EVENT, admin("client/history", asked)))
                    .containsSubsequence("FOLLOWED", "NOTIFIED", "LISTENED");
        });
    }

    @Test
    void aLargeContentIsNotAskedFor() throws Exception {
        String dataId = newDataId();
        String large = "x".repeat((1 << 20) + 1);
        var listener = new RecordingListener();
        clients().open().publishConfig(dataId, GROUP, large);
        clients().open().addListener(dataId, GROUP, listener);
        awaitNow(listener, large);
        List<String> connections = all(CONNECTION, admin("config/watchers", of(dataId)));
        var asked = of(dataId);
        asked.put("connectionIds", connections.get(0));

        assertThat(admin("config/watchers/held", asked)).contains("\"state\":\"TOO_LARGE\"");
    }
}
