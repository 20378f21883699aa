package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.CairnServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.Map;
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

    private String password() {
        return home.resolve("data/auth/initial-admin-password").toString();
    }

    private static CairnCommandIT.Answer run(CairnServer server, String... words) {
        return CairnCommandIT.run(Map.of("CAIRN_SERVER", server.address()), "", words);
    }
}
