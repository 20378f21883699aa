package io.cairn.server.wiring.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A database that is reached and refuses writes shows everywhere that an operator looks. */
@Tag("full")
class WritesRefusedIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary();

    @Test
    void refusedWritesShowInHealthReadinessFindingsAndMetersAndEndByThemselves() throws Exception {
        String file = cairn.part(DataFolder.class).path().resolve("cairn.db").toString();
        try (WireClient client = cairn.newClient();
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = other.createStatement()) {
            client.publish("a.yaml", "a: 1");
            assertThat(get("/actuator/health/writes").statusCode()).isEqualTo(200);
            assertThat(get("/nacos/v3/admin/core/attention").body()).doesNotContain("WRITES_REFUSED");

            statement.execute("BEGIN IMMEDIATE");
            assertThat(client.publish("a.yaml", "a: 2").path("message").asString())
                    .contains("another process holds the database file");

            HttpResponse<String> writes = get("/actuator/health/writes");
            assertThat(writes.statusCode()).isEqualTo(503);
            assertThat(writes.body()).contains("OUT_OF_SERVICE").contains("another process holds the database file");
            HttpResponse<String> ready = get("/actuator/health/readiness");
            assertThat(ready.statusCode()).as("reads are served").isEqualTo(200);
            assertThat(ready.body())
                    .contains("\"degraded\":true")
                    .contains("The database cannot be written: another process holds");
            assertThat(get("/nacos/v3/admin/core/attention").body())
                    .contains("\"kind\":\"WRITES_REFUSED\",\"urgent\":true")
                    .contains("another process holds the database file");
            assertThat(unwritableSeconds()).isPositive();
            assertThat(client.query("a.yaml").path("content").asString()).isEqualTo("a: 1");

            statement.execute("ROLLBACK");
            await().untilAsserted(
                            () -> assertThat(get("/actuator/health/writes").statusCode())
                                    .as("nobody writes")
                                    .isEqualTo(200));
            assertThat(get("/actuator/health/readiness").body()).doesNotContain("degraded");
            assertThat(get("/nacos/v3/admin/core/attention").body()).doesNotContain("WRITES_REFUSED");
            assertThat(unwritableSeconds()).isZero();
        }
    }

    private static double unwritableSeconds() throws Exception {
        return get("/actuator/prometheus")
                .body()
                .lines()
                .filter(line -> line.startsWith("cairn_store_unwritable "))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
                .sum();
    }

    private static HttpResponse<String> get(String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort() + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
