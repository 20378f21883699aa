package io.cairn.server.mysql;

import io.cairn.server.CairnServer;
import io.cairn.server.nodes.DatabaseProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Servers on a database that may be stopped, and what tests ask of both. */
final class MySqlServers {

    static final String SCHEMA = "outage";
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private MySqlServers() {}

    /** The settings by which a server finds that database. */
    static List<String> settings(DatabaseProcess database) {
        return new ArrayList<>(List.of(
                "--spring.sql.init.platform=mysql",
                // So long that a request which waits for the driver would be seen to.
                "--db.url.0=" + database.url(SCHEMA) + "?connectTimeout=2000&socketTimeout=120000",
                "--db.user.0=" + DatabaseProcess.USER,
                "--db.password.0=" + DatabaseProcess.PASSWORD,
                "--cairn.store.answer-within=3s",
                "--cairn.database.heartbeat=200ms",
                "--cairn.database.compare-interval=1s"));
    }

    static CairnServer start(DatabaseProcess database, Path home) {
        CairnServer.Builder builder = CairnServer.builder().home(home).setting("server.port", "0");
        for (String setting : settings(database)) {
            String[] parts = setting.substring(2).split("=", 2);
            builder.setting(parts[0], parts[1]);
        }
        return builder.start();
    }

    static HttpResponse<String> get(int httpPort, String path) {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path))
                .GET());
    }

    static HttpResponse<String> publish(int httpPort, String dataId, String content) {
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort
                        + "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId + "&content=" + content))
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    static String content(int httpPort, String dataId) {
        HttpResponse<String> answer = get(httpPort, "/nacos/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId);
        return answer.statusCode() == 200 ? answer.body() : "status " + answer.statusCode() + ": " + answer.body();
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The stored content of each configuration whose name begins so. */
    static Map<String, String> stored(DatabaseProcess database, String prefix) {
        Map<String, String> all = new TreeMap<>();
        try (Connection connection = database.connect(SCHEMA);
                PreparedStatement query =
                        connection.prepareStatement("select data_id, content from config_info where data_id like ?")) {
            query.setString(1, prefix + '%');
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    all.put(rows.getString(1), rows.getString(2));
                }
            }
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    /** Changes the database as another program does. */
    static int byHand(DatabaseProcess database, String sql, Object... parameters) {
        try (Connection connection = database.connect(SCHEMA);
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new AssertionError(sql, e);
        }
    }
}
