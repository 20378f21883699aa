package io.cairn.console.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How the server hands out the console's files. Needs no browser. */
class ConsoleFilesIT {

    private static final Pattern NONCE = Pattern.compile("'nonce-([A-Za-z0-9+/=]+)'");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @Test
    void everyViewIsAnsweredByThePageWithAFreshNonce() {
        HttpResponse<String> first = cairn.get("/");
        HttpResponse<String> deep = cairn.get("/ui/configs/one?ns=public&group=G&dataId=a%2Fb.yaml");
        assertThat(first.statusCode()).isEqualTo(200);
        assertThat(deep.statusCode()).isEqualTo(200);
        assertThat(nonce(first)).isNotEqualTo(nonce(deep));
        assertThat(first.body()).contains(nonce(first)).contains("<base href=\"./\">");
        assertThat(first.body()).contains("<meta name=\"cairn-sign-in\" content=\"none\">");
        assertThat(deep.body()).contains("<base href=\"../../\">");
        assertThat(policy(first))
                .contains("script-src 'self';", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(first.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(first.headers().firstValue("Cache-Control")).hasValue("no-cache");
    }

    @Test
    void theAddressOfTheServerLeadsToTheConsole() {
        HttpResponse<String> response =
                cairn.send(HttpRequest.newBuilder(cairn.uri("/").resolve("/")).GET());
        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(response.headers().firstValue("Location")).hasValue("./nacos/");
    }

    @Test
    void theContextPathLeadsToTheConsoleWhereAProxyServesIt() {
        assertThat(locationOfContextPath(null)).isEqualTo("/nacos/");
        assertThat(locationOfContextPath("/registry")).isEqualTo("/registry/");
        assertThat(locationOfContextPath("/a/b-c")).isEqualTo("/a/b-c/");
        for (String elsewhere :
                new String[] {"//evil.example", "/..", "/a/../b", "https://evil.example", "/a\\b", "x", "/"}) {
            assertThat(locationOfContextPath(elsewhere)).as(elsewhere).isEqualTo("/nacos/");
        }
    }

    private static String locationOfContextPath(String prefix) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(cairn.uri("/").resolve("/nacos")).GET();
        if (prefix != null) {
            request.header("X-Forwarded-Prefix", prefix);
        }
        HttpResponse<String> response = cairn.send(request);
        assertThat(response.statusCode()).isEqualTo(302);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private static String policy(HttpResponse<String> response) {
        return response.headers().firstValue("Content-Security-Policy").orElseThrow();
    }

    private static String nonce(HttpResponse<String> response) {
        Matcher nonce = NONCE.matcher(policy(response));
        assertThat(nonce.find()).isTrue();
        return nonce.group(1);
    }

    @Test
    void filesAreCompressedAndCachedForever() throws Exception {
        Matcher script = Pattern.compile("src=\"\\./(assets/[^\"]+\\.js)\"")
                .matcher(cairn.get("/").body());
        assertThat(script.find()).isTrue();
        String path = "/" + script.group(1);
        HttpResponse<String> plain = cairn.get(path);
        HttpResponse<byte[]> packed = cairn.http()
                .send(
                        HttpRequest.newBuilder(cairn.uri(path))
                                .header("Accept-Encoding", "gzip, br")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
        assertThat(packed.headers().firstValue("Cache-Control")).hasValue("public, max-age=31536000, immutable");
        assertThat(unpack(packed.body())).isEqualTo(plain.body());
    }

    private static String unpack(byte[] packed) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new java.io.ByteArrayInputStream(packed))) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }
    }

    @Test
    void servesOnlyFilesOfTheConsole() {
        for (String path : List.of(
                "/assets/none.js",
                "/assets/..%2findex.html",
                "/assets/../../../application.properties",
                "/assets/",
                "/assets/.hidden.js",
                "/assets/index.html")) {
            assertThat(cairn.get(path).statusCode()).as(path).isEqualTo(404);
        }
    }
}
