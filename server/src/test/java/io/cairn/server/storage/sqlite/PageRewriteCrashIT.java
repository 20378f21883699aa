package io.cairn.server.storage.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.storage.SampleCommands;
import io.cairn.server.support.ChildServer;
import io.cairn.testing.HangLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A server that is started on a database of an earlier release rewrites it, loses no row when killed, or says why not. */
@Tag("full")
class PageRewriteCrashIT {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int ROWS = 4_000;
    private static final int[] DELAYS_MILLIS = {0, 20, 60, 120, 250};

    @TempDir
    Path home;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @HangLimit
    void everyRowSurvivesCrashesDuringTheRewrite() throws Exception {
        Path file = oldDatabase();
        Path copy = file.resolveSibling("cairn.db.rewrite");
        Path saved = Files.copy(file, home.resolve("saved.db"));

        boolean wasKilledBefore = false;
        for (int delay : DELAYS_MILLIS) {
            if (!wasKilledBefore) {
                // On a busy machine the server before may have replaced the file before it was killed.
                restore(saved, file);
            }
            try (ChildServer server = ChildServer.launch(home, "--server.port=0")) {
                await().pollInterval(Duration.ofMillis(1))
                        .until(() -> Files.exists(copy) || !server.status().isEmpty() || !server.isAlive());
                TimeUnit.MILLISECONDS.sleep(delay);
                server.kill();
            }
            wasKilledBefore |= pageSize(file) == 16_384;
            assertIsWhole(file);
        }
        assertThat(wasKilledBefore)
                .as("a server was killed before it replaced the file")
                .isTrue();

        try (ChildServer server = ChildServer.start(home)) {
            for (int i : new int[] {0, ROWS / 2, ROWS - 1}) {
                HttpResponse<String> read = http.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort()
                                        + "/nacos/v1/cs/configs?group=g&dataId=d" + i))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(read.body()).isEqualTo(content(i));
            }
        }
        assertThat(pageSize(file)).isEqualTo(4_096);
        assertThat(copy).doesNotExist();
        assertIsWhole(file);
    }

    @Test
    @HangLimit
    void aFileThatIsNotRewrittenIsAFindingUntilItIs() throws Exception {
        Path file = oldDatabase();

        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM config_info")) {
            assertThat(row.getInt(1)).isEqualTo(ROWS);
            try (ChildServer server = ChildServer.start(home)) {
                List<JsonNode> findings = pageFindings(server);
                assertThat(findings).hasSize(1);
                assertThat(Path.of(findings.get(0).path("subject").asString()).toRealPath())
                        .isEqualTo(file.toRealPath());
                assertThat(findings.get(0).path("detail").asString()).isEqualTo("another program has it open");
                assertThat(server.stop()).isIn(0, 143);
            }
        }
        assertThat(pageSize(file)).isEqualTo(16_384);

        try (ChildServer server = ChildServer.start(home)) {
            assertThat(pageFindings(server)).isEmpty();
        }
        assertThat(pageSize(file)).isEqualTo(4_096);
        assertIsWhole(file);
    }

    private static void restore(Path saved, Path file) throws IOException {
        for (String part : List.of("-wal", "-shm")) {
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + part));
        }
        Files.copy(saved, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private List<JsonNode> pageFindings(ChildServer server) throws Exception {
        HttpResponse<String> response = http.send(
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v3/admin/core/attention"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        List<JsonNode> findings = new ArrayList<>();
        for (JsonNode finding : JSON.readTree(response.body()).path("data")) {
            if (finding.path("kind").asString().equals("DATABASE_PAGES_OLD")) {
                findings.add(finding);
            }
        }
        return findings;
    }

    private static String content(int i) {
        return "value = " + i + "\n" + "x".repeat(2_000);
    }

    /** Configurations as a server of this release stores them, in a file with the page size of an earlier one. */
    private Path oldDatabase() throws Exception {
        try (ChildServer server = ChildServer.start(home)) {
            assertThat(server.stop()).isIn(0, 143);
        }
        Path file = home.resolve("data/cairn.db");
        Path old = home.resolve("old.db");
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute("BEGIN");
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO config_info (data_id, group_id, content, md5, gmt_create, gmt_modified)"
                            + " VALUES (?, 'g', ?, ?, 0, 0)")) {
                for (int i = 0; i < ROWS; i++) {
                    insert.setString(1, "d" + i);
                    insert.setString(2, content(i));
                    insert.setString(3, SampleCommands.md5(content(i)));
                    insert.executeUpdate();
                }
            }
            statement.execute("COMMIT");
            statement.execute("PRAGMA page_size=16384");
            statement.execute("VACUUM INTO '" + old + "'");
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + old);
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA journal_mode=WAL");
        }
        Files.move(old, file, StandardCopyOption.REPLACE_EXISTING);
        assertThat(pageSize(file)).isEqualTo(16_384);
        return file;
    }

    private static int pageSize(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA page_size")) {
            return row.getInt(1);
        }
    }

    private static void assertIsWhole(Path file) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("PRAGMA integrity_check")) {
                assertThat(row.getString(1)).isEqualTo("ok");
            }
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM config_info"
                    + " WHERE content LIKE 'value = ' || substr(data_id, 2) || char(10) || 'xxx%'")) {
                assertThat(row.getInt(1)).isEqualTo(ROWS);
            }
        }
    }
}
