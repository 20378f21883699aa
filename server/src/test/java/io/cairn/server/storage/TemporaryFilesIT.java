package io.cairn.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ChildServer;
import io.cairn.testing.HangLimit;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * SQLite is told a folder for temporary files that is not below the data folder, and never creates a file there. It removes
 * the name of such a file right after it has created it, but the time of the folder stays changed.
 */
@Tag("full")
class TemporaryFilesIT {

    /** SQLite keeps a journal of a statement in memory up to 64 KiB. */
    private static final String LARGE = "line = value\n".repeat(40_000);

    @TempDir
    Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @HangLimit
    void publishImportBackupAndRestoreCreateNoFileInTheTemporaryFolder() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        FileTime untouched = FileTime.from(Instant.parse("2020-01-01T00:00:00Z"));
        Files.setLastModifiedTime(temporary, untouched);
        Map<String, String> environment = Map.of("SQLITE_TMPDIR", temporary.toString(), "TMPDIR", temporary.toString());

        try (ChildServer server = ChildServer.start(folder.resolve("home"), environment)) {
            for (int i = 0; i < 300; i++) {
                publish(server, "a-" + i % 10, "round = " + i + "\n" + "x".repeat(5_000));
            }
            publish(server, "large", LARGE);
            publish(server, "large", LARGE + "more");
            assertThat(importOf(server, "imported", LARGE)).contains("\"succCount\":1");
            HttpResponse<byte[]> archive = http.send(
                    HttpRequest.newBuilder(uri(server, "/v3/admin/core/backup?history=true"))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(archive.statusCode()).isEqualTo(200);
            HttpResponse<String> restored = http.send(
                    HttpRequest.newBuilder(uri(server, "/v3/admin/core/restore?overwrite=true"))
                            .POST(BodyPublishers.ofByteArray(archive.body()))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(restored.statusCode()).as(restored.body()).isEqualTo(200);
            publish(server, "large", "small");
        }

        assertThat(Files.getLastModifiedTime(temporary))
                .as("last change of the folder for temporary files")
                .isEqualTo(untouched);
    }

    private void publish(ChildServer server, String dataId, String content) throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(uri(server, "/v1/cs/configs"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(CairnExtension.encode(
                                Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content))))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.body()).isEqualTo("true");
    }

    private String importOf(ChildServer server, String dataId, String content) throws Exception {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(zipped)) {
            zip.putNextEntry(new ZipEntry("DEFAULT_GROUP/" + dataId));
            zip.write(content.getBytes(UTF_8));
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.writeBytes(("--BB\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.zip\"\r\n"
                        + "Content-Type: application/zip\r\n\r\n")
                .getBytes(UTF_8));
        body.writeBytes(zipped.toByteArray());
        body.writeBytes("\r\n--BB--\r\n".getBytes(UTF_8));
        return http.send(
                        HttpRequest.newBuilder(uri(server, "/v1/cs/configs?import=true&namespace="))
                                .header("Content-Type", "multipart/form-data; boundary=BB")
                                .POST(BodyPublishers.ofByteArray(body.toByteArray()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static URI uri(ChildServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos" + path);
    }
}
