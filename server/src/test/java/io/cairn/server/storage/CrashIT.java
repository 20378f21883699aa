package io.cairn.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ChildServer;
import io.cairn.server.support.WireClient;
import io.cairn.testing.HangLimit;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** An acknowledged publish survives {@code kill -9}. */
class CrashIT {

    private static final int CONFIGS_OF_A_WRITER = 5;

    @TempDir
    Path home;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @HangLimit
    void everyAcknowledgedPublishSurvivesThreeCrashes() throws Exception {
        crash(3, new Random());
    }

    @Test
    @Tag("endurance")
    @Timeout(3600)
    void everyAcknowledgedPublishSurvivesAHundredCrashes() throws Exception {
        crash(100, new Random());
    }

    private void crash(int rounds, Random random) throws Exception {
        List<Writer> writers = IntStream.range(0, 6)
                .<Writer>mapToObj(i -> i % 2 == 0 ? new GrpcWriter("grpc-" + i) : new HttpWriter("http-" + i))
                .toList();
        CrashRounds.run(
                home, rounds, writers, () -> 50 + random.nextInt(600), (server, when) -> verify(server, writers, when));
    }

    private void verify(ChildServer server, List<Writer> writers, String when) throws Exception {
        try (WireClient client =
                        WireClient.connect("127.0.0.1", server.grpcPort()).setUp();
                Connection database = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("data/cairn.db"))) {
            assertThat(column(database, "PRAGMA quick_check")).as(when).containsExactly("ok");
            for (Writer writer : writers) {
                for (Published config : writer.configs) {
                    verify(server, client, database, config, when + ": " + config.dataId);
                }
            }
            List<String> revisions = column(database, "SELECT revision FROM cairn_change ORDER BY revision");
            assertThat(revisions)
                    .as("%s: revisions have no gap", when)
                    .containsExactlyElementsOf(IntStream.rangeClosed(1, revisions.size())
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(column(database, "SELECT value FROM cairn_revision"))
                    .as("%s: the last revision", when)
                    .containsExactly(Integer.toString(revisions.size()));
            assertThat(column(database, "SELECT count(*) FROM his_config_info"))
                    .as("%s: history rows", when)
                    .containsExactly(Integer.toString(revisions.size()));
        }
    }

    private void verify(ChildServer server, WireClient client, Connection database, Published config, String what)
            throws Exception {
        JsonNode overGrpc = client.query(config.dataId);
        HttpResponse<String> overHttp = http.send(
                HttpRequest.newBuilder(uri(server, "?group=DEFAULT_GROUP&dataId=" + config.dataId))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (config.acknowledged.isEmpty() && overHttp.statusCode() == 404) {
            assertThat(overGrpc.path("success").asBoolean()).as(what).isFalse();
            return;
        }
        String content = overHttp.body();
        assertThat(overHttp.statusCode()).as(what).isEqualTo(200);
        assertThat(overGrpc.path("content").asString()).as(what).isEqualTo(content);
        assertThat(config.sent)
                .as("%s: the contents sent since the last acknowledged one", what)
                .contains(content);
        if (!config.acknowledged.isEmpty()) {
            String last = config.acknowledged.get(config.acknowledged.size() - 1);
            assertThat(config.sent.indexOf(content))
                    .as("%s: stored is '%s' although '%s' was acknowledged", what, title(content), title(last))
                    .isGreaterThanOrEqualTo(config.sent.indexOf(last));
        }

        // An insert keeps its own content, an update the one that it replaces, so the first content appears twice.
        List<String> history =
                column(database, "SELECT content FROM his_config_info WHERE data_id = ? ORDER BY nid", config.dataId);
        assertThat(column(
                        database, "SELECT op_type FROM his_config_info WHERE data_id = ? ORDER BY nid", config.dataId))
                .as("%s: history", what)
                .startsWith("I")
                .doesNotContain("D");
        List<String> stored = new ArrayList<>(history.subList(1, history.size()));
        stored.add(content);
        assertThat(stored.get(0)).as("%s: the inserted content", what).isEqualTo(history.get(0));
        assertThat(config.sent).as("%s: stored in the order of sending", what).containsSubsequence(stored);
        Set<String> lost = new HashSet<>(config.acknowledged);
        stored.forEach(lost::remove);
        assertThat(lost).as("%s: acknowledged, but in no history row", what).isEmpty();
        assertThat(column(database, "SELECT md5 FROM cairn_change WHERE data_id = ? ORDER BY revision", config.dataId))
                .as("%s: change rows", what)
                .containsExactlyElementsOf(
                        stored.stream().map(SampleCommands::md5).toList());
        assertThat(column(database, "SELECT md5 FROM config_info WHERE data_id = ?", config.dataId))
                .as("%s: stored md5", what)
                .containsExactly(SampleCommands.md5(content));
    }

    private static String title(String content) {
        return content.substring(0, content.indexOf('\n'));
    }

    private static List<String> column(Connection database, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> column = new ArrayList<>();
                while (rows.next()) {
                    column.add(rows.getString(1));
                }
                return column;
            }
        }
    }

    private static URI uri(ChildServer server, String query) {
        return URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v1/cs/configs" + query);
    }

    /** The contents that one writer sent for one configuration, in order, and the acknowledged ones among them. */
    private static final class Published {

        private final String dataId;
        private final List<String> sent = new ArrayList<>();
        private final List<String> acknowledged = new ArrayList<>();

        Published(String dataId) {
            this.dataId = dataId;
        }
    }

    /** Publishes its own configurations one after the other; used by one thread at a time. */
    private abstract static class Writer implements CrashRounds.Writer<Edge> {

        private final List<Published> configs;
        private int next;

        Writer(String name) {
            configs = IntStream.range(0, CONFIGS_OF_A_WRITER)
                    .mapToObj(i -> new Published(name + "." + i))
                    .toList();
        }

        @Override
        public void writeUntilItFails(Edge edge, Runnable acknowledged) {
            try {
                while (true) {
                    Published config = configs.get(next % configs.size());
                    String content = config.dataId + " = " + next++ + "\n" + "x".repeat(next % 50 * 100);
                    config.sent.add(content);
                    assertThat(edge.publish(config.dataId, content)).isTrue();
                    config.acknowledged.add(content);
                    acknowledged.run();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException | StatusRuntimeException killed) {
                // as intended
            }
        }
    }

    private interface Edge extends AutoCloseable {

        boolean publish(String dataId, String content) throws IOException, InterruptedException;

        @Override
        default void close() {}
    }

    private static final class GrpcWriter extends Writer {

        GrpcWriter(String name) {
            super(name);
        }

        @Override
        public Edge connect(ChildServer server) {
            WireClient client =
                    WireClient.connect("127.0.0.1", server.grpcPort()).setUp();
            return new Edge() {
                @Override
                public boolean publish(String dataId, String content) {
                    return client.publish(dataId, content).path("success").asBoolean();
                }

                @Override
                public void close() {
                    client.close();
                }
            };
        }
    }

    private static final class HttpWriter extends Writer {

        HttpWriter(String name) {
            super(name);
        }

        @Override
        public Edge connect(ChildServer server) {
            HttpClient client = HttpClient.newHttpClient();
            return (dataId, content) -> client.send(
                            HttpRequest.newBuilder(uri(server, ""))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(HttpRequest.BodyPublishers.ofString(CairnExtension.encode(
                                            Map.of("dataId", dataId, "group", "DEFAULT_GROUP", "content", content))))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body()
                    .equals("true");
        }
    }
}
