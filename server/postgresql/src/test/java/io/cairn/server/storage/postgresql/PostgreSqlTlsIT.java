package io.cairn.server.storage.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.cairn.api.error.CairnException;
import io.cairn.server.nodes.PostgreSqlProcess;
import io.cairn.server.postgresql.TestSchema;
import io.cairn.server.storage.server.ServerSettings;
import io.cairn.server.testing.TestAuthority;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS by the driver's options, to a server whose certificate an authority of the operator has signed. */
@Tag("full")
class PostgreSqlTlsIT {

    private static final String DATABASE = "tls";

    @TempDir
    static Path folder;

    private static PostgreSqlProcess server;
    private static Path authority;

    @BeforeAll
    static void start() throws Exception {
        TestSchema.assumeServer();
        TestAuthority own = new TestAuthority("own");
        authority = own.writeTo(folder.resolve("authority.pem"));
        Path certificate = folder.resolve("server.pem");
        Path key = folder.resolve("server.key");
        own.server().write(certificate, key);
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        server = PostgreSqlProcess.running(
                Map.of("ssl", "on", "ssl_cert_file", certificate.toString(), "ssl_key_file", key.toString()));
        server.createDatabase(DATABASE);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static PostgreSqlDatabase database(String url) {
        return new PostgreSqlDatabase(new ServerSettings(
                List.of(new ServerSettings.Source(url, PostgreSqlProcess.USER, PostgreSqlProcess.PASSWORD)),
                ServerSettings.Pool.DEFAULT));
    }

    private static void assertEncrypts(String options) throws Exception {
        try (PostgreSqlDatabase database = database(server.url(DATABASE) + options)) {
            database.prepare();
            for (Connection each : List.of(database.openReader(), database.openWriter())) {
                try (each;
                        Statement statement = each.createStatement();
                        ResultSet rows =
                                statement.executeQuery("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getBoolean(1)).as(options).isTrue();
                }
            }
        }
    }

    private static void assertRefused(String url, String cause) {
        try (PostgreSqlDatabase database = database(url)) {
            assertThatThrownBy(database::prepare)
                    .isInstanceOfSatisfying(CairnException.class, failure -> assertThat(failure.text())
                            .contains(cause)
                            .hasLineCount(1));
        }
    }

    @Test
    void encryptsAllConnections() throws Exception {
        assertEncrypts("?sslmode=require");
        assertEncrypts("?sslmode=verify-full&sslrootcert=" + authority);
    }

    @Test
    void refusesACertificateOfAnotherAuthority() {
        Path other = new TestAuthority("other").writeTo(folder.resolve("other.pem"));

        assertRefused(server.url(DATABASE) + "?sslmode=verify-full&sslrootcert=" + other, "certification path");
    }

    @Test
    void refusesAServerWithoutTls() {
        try (TestSchema plain = TestSchema.create(PostgreSqlTlsIT.class)) {
            assertRefused(plain.url() + "?sslmode=require", "The server does not support SSL");
        }
    }
}
