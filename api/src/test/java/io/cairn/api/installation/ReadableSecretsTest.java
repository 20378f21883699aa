package io.cairn.api.installation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadableSecretsTest {

    @TempDir
    Path conf;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "db.password.0=geheim",
                "db.password = x",
                "nacos.core.auth.plugin.nacos.token.secret.key=VGhpcw==",
                "nacos.core.auth.server.identity.value=security",
                "cairn.tls.key-store-password: x",
                "  password: \"geheim\"",
                "db.password=${DB_PASSWORD:geheim}",
                "db.url.0=jdbc:mysql://db/nacos?user=a&password=geheim"
            })
    void aSettingWithAPasswordOrAKeyIsASecret(String line) {
        assertThat(ReadableSecrets.isSecret(line)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# db.password=geheim",
                "db.password=",
                "db.password=${DB_PASSWORD}",
                "password: ''",
                "cairn.auth.replace-known-passwords=true",
                "cairn.auth.first-password-file=/run/secrets/first",
                "db.user.0=cairn",
                "db.url.0=jdbc:mysql://db/nacos?user=a",
                "the password is elsewhere"
            })
    void aSettingWithoutOneIsNone(String line) {
        assertThat(ReadableSecrets.isSecret(line)).isFalse();
    }

    @Test
    void findsFilesWithSecretsThatOthersMayRead() throws Exception {
        Path settings = write("application.properties", "server.port=8848\ndb.password.0=geheim\n", "rw-r--r--");
        Path key = write("tls/server.key", "-----BEGIN PRIVATE KEY-----\n", "rw-r--r--");
        Path store = write("client.p12", "", "r--r--r--");
        write("cluster.conf", "10.0.0.1:8848\n", "rw-r--r--");
        write("private.properties", "db.password.0=geheim\n", "rw-r-----");
        write("tls/server.crt", "-----BEGIN CERTIFICATE-----\n", "rw-r--r--");

        assertThat(ReadableSecrets.in(conf)).containsExactly(settings, store, key);
        assertThat(ReadableSecrets.in(conf.resolve("absent"))).isEmpty();
    }

    private Path write(String name, String text, String permissions) throws IOException {
        Path file = conf.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }
}
