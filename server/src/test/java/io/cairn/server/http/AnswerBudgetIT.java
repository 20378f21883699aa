package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.http.RawHttp.Answer;
import io.cairn.server.support.CairnExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limit of large responses that wait to be read. */
class AnswerBudgetIT {

    private static final int LARGE = 9_000_000;
    private static final String CONFIGS = "/nacos/v1/cs/configs";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary().with("cairn.limits.unread-answers", "20MB");

    private static void publish(String dataId) {
        assertThat(cairn.post("/v1/cs/configs", Map.of("dataId", dataId, "group", "G", "content", "x".repeat(LARGE)))
                        .body())
                .isEqualTo("true");
    }

    private static String content(String dataId) {
        return CONFIGS + "?dataId=" + dataId + "&group=G";
    }

    private static RawHttp unread(String dataId) {
        RawHttp http = RawHttp.slow(cairn.server()).request("GET", content(dataId));
        // The answer has begun.
        assertThat(http.read(8)).isEqualTo("HTTP/1.1");
        return http;
    }

    private static void isRefused(int status, String text) {
        assertThat(status).isEqualTo(503);
        assertThat(text.strip())
                .doesNotContain("\n")
                .containsPattern("Limit unread-answer-bytes: 2[67]\\d{6} \\(expected: at most 20971520, "
                        + "cairn.limits.unread-answers\\): too many large answers wait to be read");
    }

    @Test
    void refusesOneMoreLargeResponseUntilOthersAreReadOrAborted() {
        for (String dataId : new String[] {"a", "b", "c"}) {
            publish(dataId);
        }
        try (RawHttp first = unread("a");
                RawHttp second = unread("b");
                RawHttp other = RawHttp.connect(cairn.server());
                RawHttp2 http2 = RawHttp2.connect(cairn.server())) {
            other.request("GET", content("c"));
            Answer refused = other.answer();
            isRefused(refused.status(), refused.text());
            RawHttp2.Answer refused2 = http2.get(content("c")).answer();
            isRefused(refused2.status(), refused2.text());
            assertThat(cairn.get("/v3/admin/core/limits").body())
                    .containsPattern("\"name\":\"unread-answer-bytes\",\"setting\":\"cairn.limits.unread-answers\","
                            + "\"used\":1[78]\\d{6},\"max\":20971520,\"exceeded\":2");
            // Not refused: small responses, and contents that are in memory already, which all readers share.
            assertThat(cairn.get("/v1/console/health/liveness").body()).isEqualTo("OK");
            assertThat(http2.get(content("a")).answer().text()).hasSize(LARGE);
            other.request("GET", content("b"));
            assertThat(other.answer().text()).hasSize(LARGE);

            // One reader aborts, and the other one reads its response.
            first.abort();
            await().untilAsserted(() -> {
                other.request("GET", content("c"));
                assertThat(other.answer().text()).hasSize(LARGE);
            });
            second.read(LARGE);
            assertThat(http2.get(content("c")).answer().text()).hasSize(LARGE);
        }
        await().until(() -> cairn.get("/v3/admin/core/limits")
                .body()
                .contains("\"setting\":\"cairn.limits.unread-answers\",\"used\":0"));
    }
}
