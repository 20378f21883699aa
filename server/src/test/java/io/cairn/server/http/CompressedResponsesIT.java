package io.cairn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.testing.TestAuthority;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large responses to clients that take them compressed, and to those that do not. */
class CompressedResponsesIT {

    private static final String CONFIGS = "/nacos/v1/cs/configs?group=G&dataId=";

    private static final TestAuthority AUTHORITY = new TestAuthority("ours");
    private static final Path FILES = files();

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.tls.certificate", FILES.resolve("server.pem").toString())
            .with("cairn.tls.private-key", FILES.resolve("server.key").toString());

    private static Path files() {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-compressed-" + ProcessHandle.current().pid() + '-');
            AUTHORITY.server().write(folder.resolve("server.pem"), folder.resolve("server.key"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void contentIsTheSameInBothForms(HttpClient.Version version) throws Exception {
        String large = "key: value ä\n".repeat(20_000);
        String dataId = "large-" + version;
        cairn.post("/v1/cs/configs", Map.of("dataId", dataId, "group", "G", "content", large));
        HttpClient client = client(version);

        HttpResponse<byte[]> compressed = send(client, "GET", dataId, "gzip, deflate");
        HttpResponse<byte[]> head = send(client, "HEAD", dataId, "gzip, deflate");
        HttpResponse<byte[]> plain = send(client, "GET", dataId, "identity");

        assertThat(compressed.version()).isEqualTo(version);
        assertThat(compressed.headers().firstValue("content-encoding")).hasValue("gzip");
        assertThat(compressed.headers().firstValueAsLong("content-length")).hasValue(compressed.body().length);
        assertThat(compressed.body()).hasSizeLessThan(large.length() / 10);
        assertThat(decompressed(compressed.body())).isEqualTo(large);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().map())
                .containsEntry("content-length", compressed.headers().allValues("content-length"))
                .containsEntry("content-encoding", compressed.headers().allValues("content-encoding"));
        assertThat(plain.headers().firstValue("content-encoding")).isEmpty();
        assertThat(new String(plain.body(), StandardCharsets.UTF_8)).isEqualTo(large);
        assertThat(plain.headers().firstValue("content-md5"))
                .isEqualTo(compressed.headers().firstValue("content-md5"));
        assertThat(compressed.headers().allValues("vary")).contains("Accept-Encoding");
        assertThat(plain.headers().allValues("vary")).contains("Accept-Encoding");
    }

    @ParameterizedTest
    @EnumSource
    void smallContentHasOneForm(HttpClient.Version version) throws Exception {
        cairn.post("/v1/cs/configs", Map.of("dataId", "small", "group", "G", "content", "a: 1"));
        HttpClient client = client(version);

        HttpResponse<byte[]> response = send(client, "GET", "small", "gzip");

        assertThat(response.body()).asString(StandardCharsets.UTF_8).isEqualTo("a: 1");
        assertThat(response.headers().map()).doesNotContainKeys("content-encoding", "vary");
    }

    /** Java's own client speaks HTTP/2 over TLS only. */
    private static HttpClient client(HttpClient.Version version) {
        return HttpClient.newBuilder()
                .version(version)
                .sslContext(AUTHORITY.context(null))
                .build();
    }

    private static HttpResponse<byte[]> send(HttpClient client, String method, String dataId, String accepted)
            throws IOException, InterruptedException {
        String scheme = client.version() == HttpClient.Version.HTTP_2 ? "https" : "http";
        return client.send(
                HttpRequest.newBuilder(URI.create(
                                scheme + "://127.0.0.1:" + cairn.server().httpPort() + CONFIGS + dataId))
                        .header("Accept-Encoding", accepted)
                        .method(method, BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofByteArray());
    }

    private static String decompressed(byte[] bytes) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
