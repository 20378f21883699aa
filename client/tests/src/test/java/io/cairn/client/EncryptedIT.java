package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.testing.TestAuthority;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The client and a server that speaks TLS alone, asks who calls, and knows clients by their certificates. */
class EncryptedIT {

    private static final TestAuthority AUTHORITY = new TestAuthority("ours");
    private static final Path FILES = files();

    @RegisterExtension
    static final CairnExtension CAIRN = CairnExtension.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1")
            .with("cairn.data-dir", FILES.resolve("data").toString())
            .with("cairn.tls.certificate", FILES.resolve("server.pem").toString())
            .with("cairn.tls.private-key", FILES.resolve("server.key").toString())
            .with(
                    "cairn.tls.trusted-certificates",
                    FILES.resolve("authority.pem").toString())
            .with("cairn.tls.client-authentication", "want")
            .with("cairn.tls.client-identity", "cn")
            .with("cairn.tls.plain-text", "refused");

    private static Path files() {
        try {
            Path folder = Files.createDirectories(
                    Path.of("target", "encrypted-it-" + ProcessHandle.current().pid())
                            .toAbsolutePath());
            AUTHORITY.writeTo(folder.resolve("authority.pem"));
            AUTHORITY.server().write(folder.resolve("server.pem"), folder.resolve("server.key"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClientBuilder client() {
        return CairnClient.builder()
                .servers(CAIRN.server().address())
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    private static String password() throws IOException {
        return Files.readString(FILES.resolve("data/auth/initial-admin-password"))
                .trim();
    }

    private static void publishAndRead(CairnClient client, String name) {
        client.configs().publish(client.configs().key(name), "1");
        assertThat(client.configs()
                        .get(client.configs().key(name))
                        .orElseThrow()
                        .text())
                .isEqualTo("1");
    }

    @Test
    void aPasswordIsGivenOverTlsAlone() throws Exception {
        try (CairnClient client = client().tlsTrusting(FILES.resolve("authority.pem"))
                .credentials("nacos", password())
                .build()) {
            publishAndRead(client, "by-password");
        }
    }

    @Test
    void aCertificateIsEnough() {
        try (CairnClient client = client().tls(AUTHORITY.context(AUTHORITY.client("CN=nacos,O=test", "urn:x")))
                .build()) {
            publishAndRead(client, "by-certificate");
        }
    }

    @Test
    void anUnknownCertificateGrantsNothing() {
        try (CairnClient client = client().tls(AUTHORITY.context(AUTHORITY.client("CN=nobody", "urn:x")))
                .build()) {
            assertThatThrownBy(() -> client.configs().publish(client.configs().key("by-nobody"), "1"))
                    .isInstanceOf(CairnException.class)
                    .hasMessageContaining("user not found");
        }
    }
}
