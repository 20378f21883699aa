package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.api.naming.Instance;
import io.cairn.client.naming.Registration;
import io.cairn.server.support.CairnExtension;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The client and a server that asks who calls. */
class LoginIT {

    private static final Path DATA =
            Path.of("target", "login-it-" + ProcessHandle.current().pid()).toAbsolutePath();

    @RegisterExtension
    static final CairnExtension CAIRN = CairnExtension.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1")
            .with("cairn.data-dir", DATA.toString());

    @BeforeAll
    static void requireALogin() {
        assertThat(CAIRN.send(HttpRequest.newBuilder(CAIRN.uri("/v1/cs/configs?dataId=a&group=b")))
                        .statusCode())
                .isEqualTo(403);
    }

    private static ClientBuilder client(String password) {
        return CairnClient.builder()
                .servers(CAIRN.server().address())
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .credentials("nacos", password);
    }

    private static String password() throws Exception {
        return Files.readString(DATA.resolve("auth").resolve("initial-admin-password"))
                .trim();
    }

    @Test
    void servesALoggedInClient() throws Exception {
        try (CairnClient client = client(password()).failFast(PATIENCE).build()) {
            client.configs().publish(client.configs().key("a"), "1");
            assertThat(client.configs()
                            .get(client.configs().key("a"))
                            .orElseThrow()
                            .text())
                    .isEqualTo("1");
            try (Registration registration =
                    client.naming().register(client.naming().service("orders"), Instance.of("10.0.0.5", 8080))) {
                assertThat(client.naming().instances(registration.service())).hasSize(1);
            }
        }
    }

    @Test
    void reportsAWrongPasswordAtOnce() {
        assertThatThrownBy(() -> client("wrong").failFast(PATIENCE).build())
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("logging in failed");
    }
}
