package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.ContentDigest;
import io.cairn.client.CairnClient;
import io.cairn.server.CairnServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The clients of a server on which administration needs a login, and clients do not. */
@Tag("full")
class ClientsCommandIT {

    @TempDir
    Path home;

    @Test
    void listsTheClientsThatComeWithoutALogin() throws Exception {
        try (CairnServer server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("nacos.core.auth.admin.enabled", "true")
                .start()) {
            HttpRequest publish = HttpRequest.newBuilder(URI.create("http://" + server.address()
                            + "/nacos/v1/cs/configs?dataId=orders.yaml&group=g&tenant=dev&content=x"))
                    .header("User-Agent", "orders-script")
                    .POST(BodyPublishers.noBody())
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(publish, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);

            assertThat(run(server, "clients", "--without-login").status()).isOne();
            CairnCommandIT.Answer listed =
                    run(server, "clients", "--without-login", "--user", "nacos", "--password-file", password());
            assertThat(listed.status()).as(listed.toString()).isZero();
            assertThat(listed.out()).contains("127.0.0.1", "orders-script", "login", "w dev:*:config/*");
            assertThat(listed.err()).contains("clients need no login; their rights are not checked");
            CairnCommandIT.Answer connected = run(server, "clients", "--user", "nacos", "--password-file", password());
            assertThat(connected.status()).as(connected.toString()).isZero();
            assertThat(connected.out()).startsWith("ADDRESS").doesNotContain("orders-script");
        }
    }

    @Test
    void showsWhatAClientHasAndSaw() throws Exception {
        try (CairnServer server = CairnServer.builder()
                        .home(home)
                        .setting("server.port", "0")
                        .start();
                CairnClient client = CairnClient.builder()
                        .servers(server.address())
                        .noSnapshots()
                        .label("instance", "orders-7")
                        .build()) {
            ConfigKey key = client.configs().key("G", "a.yaml");
            client.configs().publish(key, "a: 1");
            AtomicReference<String> seen = new AtomicReference<>();
            client.configs().watch(key, content -> seen.set(content.text()));
            await().untilAsserted(() -> assertThat(seen).hasValue("a: 1"));
            String md5 = ContentDigest.of("a: 1").toString();

            await().untilAsserted(() -> assertThat(run(server, "clients", "of", "a.yaml", "-g", "G", "--ask")
                            .out())
                    .containsSubsequence("orders-7", md5, "true", md5));
            String json = run(server, "clients", "of", "a.yaml", "-g", "G", "--ask", "--json")
                    .out();
            Object listener = Json.items(Json.read(json)).get(0);
            assertThat(Json.text(listener, "says")).isEqualTo(md5);
            String connection = Json.text(listener, "connectionId");
            assertThat(run(server, "clients", "configs", connection).out()).contains("a.yaml", md5, "true");

            client.configs().publish(key, "a: 2");
            await().untilAsserted(() -> assertThat(run(server, "clients", "history", "--instance", "orders-7")
                            .out())
                    .containsSubsequence(
                            "FOLLOWED", "a.yaml", ContentDigest.of("a: 2").toString(), "NOTIFIED", "LISTENED"));
            assertThat(run(server, "clients", "history", "--config", "b.yaml").out())
                    .doesNotContain("orders-7");
            CairnCommandIT.Answer none = run(server, "clients", "history");
            assertThat(none.status()).isOne();
            assertThat(none.err()).contains("no client is named (expected: one of --config, --address,");
        }
    }

    private String password() {
        return home.resolve("data/auth/initial-admin-password").toString();
    }

    private static CairnCommandIT.Answer run(CairnServer server, String... words) {
        return CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), "", words);
    }
}
