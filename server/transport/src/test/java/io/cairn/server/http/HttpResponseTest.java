package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The heads of answers. */
class HttpResponseTest {

    @Test
    void lineBreakInHeaderStartsNoOtherHeader() {
        HttpResponse response = HttpResponse.status(200)
                .header("Encrypted-Data-Key", "a\r\nSet-Cookie: b")
                .header("Absent", null)
                .withoutBody();

        assertThat(new String(response.head(), StandardCharsets.ISO_8859_1))
                .contains("Encrypted-Data-Key: a  Set-Cookie: b\r\n")
                .doesNotContain("Absent");
    }

    @Test
    void headerIsAddedToAResponseThatOthersShare() {
        HttpResponse shared = HttpResponse.of(200, HttpResponse.JSON, "true");
        String before = new String(shared.head(), StandardCharsets.ISO_8859_1);

        HttpResponse longer = shared.with("Cairn-Revision", "7");

        assertThat(new String(longer.head(), StandardCharsets.ISO_8859_1)).isEqualTo(before + "Cairn-Revision: 7\r\n");
        assertThat(longer.status()).isEqualTo(200);
        assertThat(longer.bodyText()).isEqualTo("true");
        assertThat(new String(shared.head(), StandardCharsets.ISO_8859_1)).isEqualTo(before);
    }

    @Test
    void datesHaveTheFormOfHttp() {
        assertThat(HttpDate.of(0)).isEqualTo("Thu, 01 Jan 1970 00:00:00 GMT");
        assertThat(HttpDate.of(1_767_323_045_678L)).isEqualTo("Fri, 02 Jan 2026 03:04:05 GMT");
        assertThat(new String(HttpDate.headerLine(), StandardCharsets.US_ASCII))
                .matches("Date: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT\r\n");
    }
}
