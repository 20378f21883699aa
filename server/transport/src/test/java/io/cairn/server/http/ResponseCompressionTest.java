package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.compress.SharedCompression;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ResponseCompressionTest {

    private static final String LARGE = "{\"name\":\"value\"}".repeat(1_000);

    private final AtomicInteger compressions = new AtomicInteger();
    private final ResponseCompression compression = new ResponseCompression(new SharedCompression(task -> {
        compressions.incrementAndGet();
        task.run();
    }));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "gzip | curl/8 | true",
                "deflate, GZIP;q=0.5 | none | true",
                "gzip;q=0 | none | false",
                "gzip; q=0.000 | none | false",
                "br, deflate | none | false",
                "gzipped | none | false",
                "none | none | false",
                "gzip,deflate,sdch | Nacos-Java-Client:v1.4.8 | true",
                "gzip,deflate,sdch | nacos-go-sdk:v0.1 | false",
                "gzip,deflate,sdch | none | false"
            })
    void readsTheAcceptedEncodings(String accepted, String userAgent, boolean takes) {
        assertThat(ResponseCompression.takesGzip(accepted, userAgent)).isEqualTo(takes);
    }

    @Test
    void aLargeResponseIsCompressedOnceForAll() throws IOException {
        HttpResponse response = HttpResponse.ok(HttpResponse.JSON, LARGE).with("X-Other", "kept");

        HttpResponse first = compression.choose(request("gzip"), response).join();
        HttpResponse second = compression.choose(request("gzip"), response).join();

        assertThat(first).isSameAs(second);
        assertThat(compressions).hasValue(1);
        assertThat(head(first))
                .contains("HTTP/1.1 200 OK\r\n", "Content-Type: application/json\r\n", "X-Other: kept\r\n")
                .contains("Content-Encoding: gzip\r\n", "Vary: Accept-Encoding\r\n")
                .containsOnlyOnce("Content-Length: " + first.body().length + "\r\n");
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(first.body()))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(LARGE);
        }
        assertThat(ResponseCompression.hasForms(first)).isFalse();
    }

    @Test
    void theOthersGetItPlainWithANoteForCaches() {
        HttpResponse response = HttpResponse.ok(HttpResponse.JSON, LARGE);

        HttpResponse plain = compression.choose(request(null), response).join();

        assertThat(plain.bodyText()).isEqualTo(LARGE);
        assertThat(head(plain)).contains("Vary: Accept-Encoding\r\n").doesNotContain("Content-Encoding");
        assertThat(ResponseCompression.hasForms(plain)).isFalse();
        assertThat(compressions).hasValue(0);
    }

    @Test
    void smallFailedBinaryAndEncodedResponsesHaveOneForm() {
        byte[] bytes = LARGE.getBytes(StandardCharsets.UTF_8);

        assertThat(ResponseCompression.hasForms(HttpResponse.ok(HttpResponse.JSON, LARGE)))
                .isTrue();
        assertThat(ResponseCompression.hasForms(HttpResponse.ok(HttpResponse.TEXT, "x".repeat(8_191))))
                .isFalse();
        assertThat(ResponseCompression.hasForms(HttpResponse.of(500, HttpResponse.JSON, LARGE)))
                .isFalse();
        assertThat(ResponseCompression.hasForms(
                        HttpResponse.status(200).contentType("application/zip").body(bytes)))
                .isFalse();
        assertThat(ResponseCompression.hasForms(HttpResponse.status(200)
                        .contentType("text/css")
                        .header("Content-Encoding", "br")
                        .body(bytes)))
                .isFalse();
    }

    private static String head(HttpResponse response) {
        return new String(response.head(), StandardCharsets.ISO_8859_1);
    }

    private static HttpRequest request(String accepted) {
        Map<String, String> headers = accepted == null ? Map.of() : Map.of("Accept-Encoding", accepted);
        return HttpRequest.to("GET", "/list", headers::get, new byte[0], "127.0.0.1", Runnable::run);
    }
}
