package io.cairn.server.http;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.CairnServer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An archive is taken from one running server and put into another. */
@Tag("full")
class BackupIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    Path folder;

    private static HttpResponse<Path> backup(CairnServer server, Path to) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(uri(server, "backup?history=true")).build(),
                HttpResponse.BodyHandlers.ofFile(to));
    }

    private static HttpResponse<String> restore(CairnServer server, byte[] archive, String query) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(uri(server, "restore" + query))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(archive))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static URI uri(CairnServer server, String path) {
        return URI.create("http://" + server.address() + "/nacos/v3/admin/core/" + path);
    }

    private static String manifest(Path archive) throws Exception {
        try (ZipFile zip = new ZipFile(archive.toFile());
                InputStream in = zip.getInputStream(zip.getEntry("manifest.json"))) {
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            // From the sections on, nothing tells when and where it was made.
            return json.substring(json.indexOf("sections"));
        }
    }

    @Test
    void restoresTheBackupOfAnotherServerAndNotifiesListeners() throws Exception {
        cairn.post("/v1/cs/configs", Map.of("dataId", "a", "group", "DEFAULT_GROUP", "content", "größe 🚀"));
        // More than the server takes of any other body.
        String large = "x".repeat(9_000_000);
        for (int i = 0; i < 5; i++) {
            String content = large + i + Long.toHexString(Double.doubleToLongBits(Math.sin(i)));
            assertThat(cairn.post("/v1/cs/configs", Map.of("dataId", "large" + i, "group", "g", "content", content))
                            .body())
                    .isEqualTo("true");
        }
        cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", "dev", "namespaceName", "Development"));
        cairn.post(
                "/v1/ns/instance",
                Map.of("serviceName", "stored", "ip", "10.0.0.1", "port", "80", "ephemeral", "false"));
        Path file = folder.resolve("first.zip");

        HttpResponse<Path> answer = backup(cairn.server(), file);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Disposition").orElse(""))
                .startsWith("attachment;filename=cairn-backup-");
        byte[] archive = Files.readAllBytes(file);
        try (CairnServer other = CairnServer.builder().temporary().start();
                WireClient watcher =
                        WireClient.connect("127.0.0.1", other.grpcPort()).setUp()) {
            watcher.acknowledge(push -> true);
            watcher.listen("a", "");

            assertThat(restore(other, archive, "?dryRun=true").body()).contains("\"restored\":false");
            assertThat(get(other, "/v1/cs/configs?group=DEFAULT_GROUP&dataId=a"))
                    .contains("not exist");
            HttpResponse<String> restored = restore(other, archive, "");

            assertThat(restored.statusCode()).as(restored.body()).isEqualTo(200);
            assertThat(restored.body())
                    .contains("\"restored\":true")
                    .contains("\"accounts\":false")
                    .contains("{\"name\":\"configs\",\"rows\":6}");
            assertThat(watcher.nextChange()).isEqualTo("a");
            assertThat(watcher.query("a").path("content").asString()).isEqualTo("größe 🚀");
            assertThat(get(other, "/v1/cs/configs?group=g&dataId=large3"))
                    .startsWith("xxx")
                    .hasSizeGreaterThan(9_000_000);
            assertThat(get(other, "/v1/ns/instance/list?serviceName=stored")).contains("10.0.0.1");
            assertThat(get(other, "/v3/admin/core/namespace/list")).contains("Development");
            Path second = folder.resolve("second.zip");
            backup(other, second);
            assertThat(manifest(second)).isEqualTo(manifest(file));

            HttpResponse<String> refused = restore(other, archive, "");
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(refused.body()).contains("overwrite=true").contains("configs");
            HttpResponse<String> cut = restore(other, Arrays.copyOf(archive, archive.length / 2), "?overwrite=true");
            assertThat(cut.statusCode()).isEqualTo(400);
            assertThat(cut.body()).contains("nothing was changed");
            assertThat(watcher.publish("a", "changed").path("resultCode").asInt())
                    .isEqualTo(200);
            assertThat(restore(other, archive, "?overwrite=true").statusCode()).isEqualTo(200);
            assertThat(watcher.query("a").path("content").asString()).isEqualTo("größe 🚀");
            backup(other, second);
            assertThat(manifest(second)).isEqualTo(manifest(file));
        }
    }

    private static String get(CairnServer server, String path) throws Exception {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create("http://" + server.address() + "/nacos" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void answersExpect100ContinueForAFile() throws Exception {
        String head = String.join(
                "\r\n",
                "POST /nacos/v3/admin/core/restore?QUERY HTTP/1.1",
                "Host: a",
                "Expect: 100-continue",
                "Content-Type: application/octet-stream",
                "");
        try (RawHttp client = RawHttp.connect(cairn.server())) {
            client.send(head.replace("QUERY", "overwrite=true") + "Content-Length: 5\r\n\r\n");
            assertThat(client.answer().status()).isEqualTo(100);
            RawHttp.Answer answer = client.send("abcde").answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("no zip file");
        }
        cairn.post("/v1/cs/configs", Map.of("dataId", "here", "group", "g", "content", "1"));
        try (RawHttp client = RawHttp.connect(cairn.server())) {
            RawHttp.Answer answer = client.send(head.replace("QUERY", "a=b") + "Transfer-Encoding: chunked\r\n\r\n")
                    .answer();
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.text()).contains("The server is not empty");
            // It is heard out, and then the connection ends.
            client.send("3\r\nabc\r\n0\r\n\r\n");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void anArchiveMayFollowOnTheConnectionOfADownloadWhoseEndTheServerHasNotSeen() throws Exception {
        byte[] noise = new byte[9_000_000];
        new Random(7).nextBytes(noise);
        String content = HexFormat.of().formatHex(noise, 0, noise.length / 2);
        byte[] body = "no archive".getBytes(StandardCharsets.UTF_8);
        try (CairnServer own = CairnServer.builder().temporary().start();
                Socket socket = new Socket()) {
            for (int i = 0; i < 3; i++) {
                HttpRequest publish = HttpRequest.newBuilder(URI.create(
                                "http://" + own.address() + "/nacos/v1/cs/configs?dataId=noise" + i + "&group=g"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString("content=" + content + i))
                        .build();
                assertThat(HTTP.send(publish, HttpResponse.BodyHandlers.ofString())
                                .body())
                        .isEqualTo("true");
            }
            socket.setReceiveBufferSize(64 * 1024);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.connect(new InetSocketAddress("127.0.0.1", own.httpPort()));
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            var out = socket.getOutputStream();
            out.write(head("GET /nacos/v3/admin/core/backup?history=true"));
            long length = lengthOfBody(in, "HTTP/1.1 200");

            // Most of it is still with the server, which goes on only when this is read.
            out.write(head("POST /nacos/v3/admin/core/restore?dryRun=true", "Content-Length: " + body.length));
            out.write(body);
            in.skipNBytes(length);

            byte[] answer = new byte[(int) lengthOfBody(in, "HTTP/1.1 400")];
            in.readFully(answer);
            assertThat(new String(answer, StandardCharsets.UTF_8)).contains("nothing was changed");
        }
    }

    private static byte[] head(String request, String... headers) {
        String lines = headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n";
        return (request + " HTTP/1.1\r\nHost: localhost\r\n" + lines + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    @SuppressWarnings("deprecation") // readLine: a head is ASCII
    private static long lengthOfBody(DataInputStream in, String status) throws Exception {
        assertThat(in.readLine()).startsWith(status);
        long length = -1;
        for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
            }
        }
        assertThat(length).isPositive();
        return length;
    }
}
