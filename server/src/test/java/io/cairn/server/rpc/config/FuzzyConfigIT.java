package io.cairn.server.rpc.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.Gauge;
import io.cairn.server.support.WireClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Watches of configurations by pattern, as far as the recorded flows do not cover them. */
class FuzzyConfigIT {

    private static final String GROUP = "DEFAULT_GROUP";
    private static final String PATTERN = "public>>DEFAULT_GROUP>>fz-*";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("nacos.config.push.batchSize", "10")
            .with("nacos.config.fuzzy.watch.max.pattern.count", "2")
            .with("nacos.config.fuzzy.watch.max.pattern.match.config.count", "30");

    private final Gauge watches = new Gauge(cairn, "cairn.config.fuzzy.watches");
    private WireClient client;

    @BeforeEach
    void connect() {
        client = cairn.newClient();
    }

    @AfterEach
    void disconnect() {
        for (int i = 1; i <= 40; i++) {
            client.remove("fz-" + i);
        }
        client.awaitAnnouncements();
        client.close();
        watches.awaitValue(0);
    }

    private void publish(int from, int to) {
        try (WireClient publisher = cairn.newClient()) {
            for (int i = from; i <= to; i++) {
                publisher.publish("fz-" + i, "x: 1");
            }
            publisher.awaitAnnouncements();
        }
    }

    private JsonNode watch(String pattern, String type, boolean initializing, String received) {
        return client.request(
                "ConfigFuzzyWatchRequest",
                "{\"groupKeyPattern\":\"" + pattern + "\",\"receivedGroupKeys\":[" + received + "],\"watchType\":\""
                        + type + "\",\"initializing\":" + initializing + "}");
    }

    private JsonNode next() {
        return WireClient.tree(client.nextPush());
    }

    @Test
    void sendsMatchesInBatchesAndTheirEnd() {
        publish(1, 25);
        assertThat(watch(PATTERN, "WATCH", true, "").path("success").asBoolean())
                .isTrue();

        int[] sizes = {10, 10, 5};
        for (int batch = 1; batch <= 3; batch++) {
            JsonNode push = next();
            assertThat(push.path("contexts").size()).isEqualTo(sizes[batch - 1]);
            assertThat(push.path("currentBatch").asInt()).isEqualTo(batch);
            assertThat(push.path("totalBatch").asInt()).isEqualTo(3);
        }
        assertThat(next().path("syncType").asString()).isEqualTo("FINISH_FUZZY_WATCH_INIT_NOTIFY");
    }

    @Test
    void sendsTheDifferencesAfterAReconnect() {
        publish(1, 2);
        watch(PATTERN, "WATCH", false, "\"fz-1+" + GROUP + "+public\",\"fz-9+" + GROUP + "+public\"");

        JsonNode push = next();
        assertThat(push.path("syncType").asString()).isEqualTo("FUZZY_WATCH_DIFF_SYNC_NOTIFY");
        assertThat(push.path("contexts").valueStream().map(Object::toString))
                .containsExactlyInAnyOrder(
                        "{\"groupKey\":\"fz-9+" + GROUP + "+public\",\"changedType\":\"DELETE_CONFIG\"}",
                        "{\"groupKey\":\"fz-2+" + GROUP + "+public\",\"changedType\":\"ADD_CONFIG\"}");
    }

    @Test
    void usesTheDefaultNamespaceWhenNoneIsGiven() {
        watch(">>DEFAULT_GROUP>>fz-*", "WATCH", false, "");
        publish(1, 1);

        assertThat(next().path("groupKey").asString()).isEqualTo("fz-1+" + GROUP + "+public");
    }

    @Test
    void sendsMatchesOverTheLimitOnceOthersAreRemoved() {
        publish(1, 31);
        JsonNode limited = watch(PATTERN, "WATCH", true, "");
        assertThat(limited.path("resultCode").asInt()).isEqualTo(500);
        assertThat(limited.path("errorCode").asInt()).isEqualTo(50311);
        assertThat(limited.path("message").asString()).isEqualTo("fuzzy watch pattern matched count over limit");
        String told = "";
        for (JsonNode push = next(); push.has("contexts"); push = next()) {
            told += push.path("contexts");
        }
        int gone = told.contains("\"fz-1+") ? 1 : 2;

        client.remove("fz-" + gone);

        assertThat(next().path("changeType").asString()).isEqualTo("DELETE_CONFIG");
        JsonNode moved = next();
        assertThat(moved.path("changeType").asString()).isEqualTo("CONFIG_CHANGED");
        assertThat(told).doesNotContain('"' + moved.path("groupKey").asString() + '"');
    }

    @Test
    void refusesPatternsOverTheLimit() {
        watch("public>>a>>*", "WATCH", false, "");
        watch("public>>b>>*", "WATCH", false, "");

        JsonNode refused = watch(PATTERN, "WATCH", false, "");
        assertThat(refused.path("resultCode").asInt()).isEqualTo(500);
        assertThat(refused.path("errorCode").asInt()).isEqualTo(50310);
        assertThat(refused.path("message").asString()).isEqualTo("fuzzy watch pattern over limit");

        watch("public>>a>>*", "CANCEL_WATCH", false, "");
        assertThat(watch(PATTERN, "WATCH", false, "").path("success").asBoolean())
                .isTrue();
    }

    @Test
    void refusesAnInvalidPattern() {
        JsonNode refused = watch("fz-*", "WATCH", true, "");

        assertThat(refused.path("errorCode").asInt()).isEqualTo(400);
        assertThat(refused.path("message").asString())
                .isEqualTo("groupKeyPattern: 'fz-*' (expected: <namespace>>><group pattern>>><name pattern>)");
    }

    @Test
    void aGrayReleaseWithoutConfigurationIsNoMatch() {
        watch(PATTERN, "WATCH", false, "");
        client.request(
                "ConfigPublishRequest",
                "{\"dataId\":\"fz-1\",\"group\":\"" + GROUP
                        + "\",\"content\":\"x\",\"additionMap\":{\"tag\":\"blue\"}}");
        publish(2, 2);

        assertThat(next().path("groupKey").asString()).isEqualTo("fz-2+" + GROUP + "+public");
        client.request("ConfigRemoveRequest", "{\"dataId\":\"fz-1\",\"group\":\"" + GROUP + "\",\"tag\":\"blue\"}");
    }
}
