package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lists that are longer than a body in memory may be. */
class LongListIT {

    private static final int CONFIGS = 64;
    private static final int CONTENT_BYTES = 100_000;
    private static final int LARGE_BYTES = 9_000_000;
    private static final String SEARCH = "/nacos/v1/cs/configs?search=accurate&dataId=&group=G&pageNo=1&pageSize=";
    private static final String ALL = SEARCH + 5000;

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.limits.unread-answers", "30MB");

    @BeforeAll
    static void publish() {
        for (int i = 0; i < CONFIGS; i++) {
            publish("c-" + i, "G", i + ":" + "ä\"".repeat(CONTENT_BYTES / 3));
        }
    }

    private static void publish(String dataId, String group, String content) {
        assertThat(cairn.post("/v1/cs/configs", Map.of("dataId", dataId, "group", group, "content", content))
                        .body())
                .isEqualTo("true");
    }

    private static void isWhole(Answer answer) {
        assertThat(answer.status()).isEqualTo(200);
        isWhole(answer.text());
    }

    private static void isWhole(String text) {
        JsonNode page = JsonMapper.shared().readTree(text);
        assertThat(page.path("totalCount").asInt()).isEqualTo(CONFIGS);
        JsonNode items = page.path("pageItems");
        assertThat(items.size()).isEqualTo(CONFIGS);
        items.forEach(item -> assertThat(item.path("content").asString())
                .isEqualTo(item.path("dataId").asString().substring(2) + ":" + "ä\"".repeat(CONTENT_BYTES / 3)));
    }

    private static long used() {
        String limits = cairn.get("/v3/admin/core/limits").body();
        return Long.parseLong(limits.replaceAll(".*\"unread-answer-bytes\"[^}]*\"used\":([0-9]+),.*", "$1"));
    }

    private static void awaitNothingTaken() {
        await().until(() -> used() == 0);
    }

    @Test
    void comesInChunksAndTheConnectionGoesOn() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            Answer answer = http.request("GET", ALL).request("GET", SEARCH + 1).answer();
            isWhole(answer);
            assertThat(answer.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(answer.header("Content-Length")).isNull();
            Answer one = http.answer();
            assertThat(one.header("Content-Length")).isNotNull();
            assertThat(one.text()).contains("\"totalCount\":" + CONFIGS, "\"dataId\":\"c-0\"");
            isWhole(http.request("GET", ALL, "Connection: close").answer());
            assertThat(http.isClosedByServer()).isTrue();
        }
    }

    @Test
    void endsWithTheConnectionOfAClientOfHttp10() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            Answer answer = http.send("GET " + ALL + " HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                    .answer();
            assertThat(answer.header("Transfer-Encoding")).isNull();
            assertThat(answer.header("Connection")).isEqualTo("close");
            isWhole(answer);
        }
    }

    @Test
    void comesOverHttp2() {
        try (RawHttp2 http = RawHttp2.connect(cairn.server())) {
            isWhole(http.get(ALL).answer().text());
            assertThat(http.get("/nacos/v1/console/health/liveness").answer().text())
                    .isEqualTo("OK");
        }
    }

    @Test
    void hasNoBodyForARequestWithHead() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            assertThat(http.request("HEAD", ALL).answerWithoutBody().status()).isEqualTo(200);
            isWhole(http.request("GET", ALL).answer());
        }
        awaitNothingTaken();
    }

    @Test
    void clientsThatDoNotReadTakeAFewRowsEachAndGiveThemBack() {
        List<RawHttp> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                RawHttp http = RawHttp.slow(cairn.server()).request("GET", ALL);
                clients.add(http);
                assertThat(http.read(12)).isEqualTo("HTTP/1.1 200");
            }
            assertThat(used()).isBetween(1L, 20L * 1_500_000);
            try (RawHttp http = RawHttp.connect(cairn.server())) {
                isWhole(http.request("GET", ALL).answer());
            }
        } finally {
            clients.forEach(RawHttp::abort);
        }
        awaitNothingTaken();
    }

    @Test
    void aSlowReaderGetsAllOfIt() {
        try (RawHttp http = RawHttp.slow(cairn.server());
                RawHttp other = RawHttp.connect(cairn.server())) {
            http.request("GET", ALL);
            assertThat(http.read(8)).isEqualTo("HTTP/1.1");
            isWhole(other.request("GET", ALL).answer());
            // The first 8 characters are read.
            assertThat(http.answer().text()).endsWith("}]}");
        }
    }

    @Test
    void theDetailOfALargeContentIsRefusedWhileThereIsNoRoom() {
        publish("large", "L", "1" + "x".repeat(LARGE_BYTES));
        publish("large", "L", "2" + "x".repeat(LARGE_BYTES));
        String row = JsonMapper.shared()
                .readTree(cairn.get("/v1/cs/configs?show=all&dataId=large&group=L")
                        .body())
                .path("id")
                .asString();
        String changes =
                cairn.get("/v3/admin/cs/history/list?dataId=large&groupName=L").body();
        String change =
                JsonMapper.shared().readTree(changes).at("/data/pageItems/0/id").asString();
        List<String> details = List.of(
                "/v1/cs/configs?show=all&dataId=large&group=L",
                "/v3/admin/cs/config?dataId=large&groupName=L",
                "/v3/admin/cs/history?dataId=large&groupName=L&nid=" + change,
                "/v1/cs/history?dataId=large&group=L&nid=" + change,
                "/v2/cs/history/previous?dataId=large&group=L&id=" + row,
                "/v3/admin/cs/config/compare?dataId=large&groupName=L&from=" + change);
        try (RawHttp unread =
                RawHttp.slow(cairn.server()).request("GET", "/nacos/v1/cs/configs?dataId=large&group=L")) {
            assertThat(unread.read(8)).isEqualTo("HTTP/1.1");
            for (String detail : details) {
                assertThat(cairn.get(detail).statusCode()).as(detail).isEqualTo(503);
                assertThat(cairn.get(detail).body()).as(detail).contains("Limit unread-answer-bytes: ");
            }
            assertThat(cairn.get("/v1/cs/configs/catalog?dataId=large&group=L").body())
                    .contains("\"type\":\"text\"");
        }
        awaitNothingTaken();
        for (String detail : details) {
            assertThat(cairn.get(detail).statusCode()).as(detail).isEqualTo(200);
        }
        awaitNothingTaken();
    }
}
