package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts of requests as clients send them: percent-encoded or as raw bytes, in UTF-8 or a declared charset, or malformed. */
class RequestTextIT {

    private static final String V1 = "/nacos/v1/cs/configs";
    private static final String SERVICES = "/nacos/v1/ns/service";

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void readsRawBytesOfAQueryAsUtf8() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            assertThat(http.request("POST", V1 + "?dataId=raw&group=g&content=名=值", "Content-Length: 0")
                            .answer()
                            .text())
                    .isEqualTo("true");
        }
        assertThat(stored("raw")).isEqualTo("名=值");
    }

    @Test
    void readsRawBytesOfAQueryAsUtf8OverHttp2() {
        try (RawHttp2 http = RawHttp2.connect(cairn.server())) {
            String target = new String(
                    (V1 + "?dataId=raw2&group=g&content=名=值").getBytes(StandardCharsets.UTF_8),
                    StandardCharsets.ISO_8859_1);
            assertThat(http.open("POST", target, true).answer().text()).isEqualTo("true");
        }
        assertThat(stored("raw2")).isEqualTo("名=值");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                V1 + "?dataId=bad&group=g&content=%D6%D0",
                SERVICES + "?serviceName=bad&metadata=%D6%D0",
                "/nacos/v2/cs/config?dataId=bad&group=g&content=%D6%D0",
                "/nacos/v3/admin/cs/config?dataId=bad&groupName=g&content=%D6%D0"
            })
    void rejectsAQueryThatIsNotUtf8WithThePositionAndStoresNothing(String target) {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            RawHttp.Answer answer =
                    http.request("POST", target, "Content-Length: 0").answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains(": byte 0 of the value (0xD6) is not UTF-8");
        }
        assertThat(cairn.get("/v1/cs/configs?dataId=bad&group=g").statusCode()).isEqualTo(404);
        assertThat(cairn.get("/v1/ns/service?serviceName=bad").statusCode()).isNotEqualTo(200);
    }

    @Test
    void rejectsAFormThatIsNotUtf8() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            RawHttp.Answer answer =
                    http.form("POST", V1, "dataId=form&group=g&content=a%D6%D0").answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("content: byte 1 of the value (0xD6) is not UTF-8");
        }
        assertThat(cairn.get("/v1/cs/configs?dataId=form&group=g").statusCode()).isEqualTo(404);
    }

    @Test
    void readsAFormInTheCharsetThatItsContentTypeDeclares() {
        byte[] form = "dataId=gbk&group=g&content=%D6%D0%CE%C4".getBytes(StandardCharsets.US_ASCII);
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            http.send("POST " + V1 + " HTTP/1.1\r\nHost: cairn\r\n"
                            + "Content-Type: application/x-www-form-urlencoded; charset=GBK\r\nContent-Length: "
                            + form.length + "\r\n\r\n")
                    .send(form);
            assertThat(http.answer().text()).isEqualTo("true");
        }
        assertThat(stored("gbk")).isEqualTo("中文");
    }

    @Test
    void findsAConfigurationByRawBytesOfItsName() {
        try (RawHttp http = RawHttp.connect(cairn.server())) {
            http.form("POST", V1, "dataId=n&group=g&content=" + URLEncoder.encode("größe", StandardCharsets.UTF_8))
                    .answer();
            String found = http.request(
                            "GET", V1 + "?search=blur&dataId=&group=&pageNo=1&pageSize=9&config_detail=größe")
                    .answer()
                    .text();
            assertThat(found).contains("\"dataId\":\"n\"");
        }
    }

    private static String stored(String dataId) {
        return cairn.get("/v1/cs/configs?group=g&dataId=" + dataId).body();
    }
}
