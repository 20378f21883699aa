package io.cairn.server.wiring.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.DamagedPages;
import io.cairn.server.testing.LogWatch;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A page of the database file that cannot be read shows everywhere that an operator looks, and stops nothing else. */
class DamagedPageIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary();

    @Test
    void aDamagedPageIsLoggedOnceAndShowsInHealthAndFindings() throws Exception {
        Path file = cairn.part(DataFolder.class).path().resolve("cairn.db");
        try (WireClient client = cairn.newClient();
                LogWatch log = new LogWatch()) {
            client.publish("a.yaml", "text: " + "the first version ".repeat(4_000));
            client.publish("a.yaml", "a: 2");
            assertThat(get("/actuator/health/readiness").body()).doesNotContain("degraded");
            assertThat(attention()).doesNotContain("DATABASE_DAMAGED");
            long nid = firstVersion();
            damagePagesOf(file, "the first version ");

            for (int reader = 0; reader < 3; reader++) {
                HttpResponse<String> detail = get("/nacos/v3/admin/cs/history?" + key() + "&nid=" + nid);
                assertThat(detail.statusCode()).as(detail.body()).isEqualTo(503);
                assertThat(detail.body()).contains("the database file is damaged");
            }

            assertThat(log.takeAlarms()).singleElement().asString().contains("ERROR", file.toString(), "is damaged");
            HttpResponse<String> ready = get("/actuator/health/readiness");
            assertThat(ready.statusCode()).as("all else is served").isEqualTo(200);
            assertThat(ready.body()).contains("\"degraded\":true").contains(file + " is damaged");
            assertThat(attention())
                    .contains("\"kind\":\"DATABASE_DAMAGED\",\"urgent\":true,\"subject\":\"database\"")
                    .contains(file + " is damaged")
                    .contains("restore a backup");
            client.publish("a.yaml", "a: 3");
            assertThat(client.query("a.yaml").path("content").asString()).isEqualTo("a: 3");
            assertThat(get("/actuator/health/writes").statusCode()).isEqualTo(200);
        }
    }

    private static String attention() throws Exception {
        return get("/nacos/v3/admin/core/attention").body();
    }

    private static String key() {
        return "namespaceId=public&groupName=DEFAULT_GROUP&dataId=a.yaml";
    }

    private static long firstVersion() throws Exception {
        String list = get("/nacos/v3/admin/cs/history/list?" + key() + "&pageNo=1&pageSize=10")
                .body();
        Matcher ids = Pattern.compile("\"(?:nid|id)\":\"?(\\d+)").matcher(list);
        assertThat(ids.find()).as(list).isTrue();
        long least = Long.parseLong(ids.group(1));
        while (ids.find()) {
            least = Math.min(least, Long.parseLong(ids.group(1)));
        }
        return least;
    }

    /** Overwrites the pages that hold nothing but that text. */
    private static void damagePagesOf(Path file, String text) throws Exception {
        try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            statement.execute("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        assertThat(DamagedPages.of(file, text)).isPositive();
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
