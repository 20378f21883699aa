package io.cairn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.CairnServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From the first start of a server that asks who is there, to a program with a token of its own. */
@Tag("full")
class CairnLoginIT {

    @TempDir
    Path home;

    @Test
    void anAdministratorMakesUsersAndTokens() throws Exception {
        try (CairnServer server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true")
                .start()) {
            Map<String, String> environment = new HashMap<>(Map.of("CAIRN_SERVER", server.address()));
            String initial = home.resolve("data/auth/initial-admin-password").toString();
            String[] admin = {"--user", "nacos", "--password-file", initial};

            CairnCommandIT.Answer refused = CairnCommandIT.run(environment, "", "config", "list");
            assertThat(refused.status()).isOne();
            assertThat(refused.err()).contains("CAIRN_TOKEN");
            assertThat(done(environment, "", with(admin, "doctor")))
                    .contains("still has the password of the first start");

            done(environment, "a-new-pass", with(admin, "user", "password", "nacos", "--new-password-file", "-"));
            Path changed = Files.writeString(home.resolve("password"), "a-new-pass\n");
            admin[3] = changed.toString();
            assertThat(Path.of(initial)).doesNotExist();

            done(environment, "bob-secret", with(admin, "user", "create", "bob", "--new-password-file", "-"));
            done(environment, "", with(admin, "user", "grant", "bob", "readers"));
            done(environment, "", with(admin, "permission", "grant", "readers", "public:*:config/*", "rw"));
            assertThat(done(environment, "", with(admin, "user", "list"))).contains("bob");
            assertThat(done(environment, "", with(admin, "role", "list"))).contains("readers");
            assertThat(done(environment, "", with(admin, "permission", "list"))).contains("public:*:config/*");
            Path bob = Files.writeString(home.resolve("bob"), "bob-secret");
            done(environment, "x: 1", "config", "publish", "of-bob", "-u", "bob", "--password-file", bob.toString());
            assertThat(CairnCommandIT.run(
                                    environment, "", "user", "list", "-u", "bob", "--password-file", bob.toString())
                            .status())
                    .isOne();

            String token = done(
                            environment,
                            "",
                            with(admin, "token", "create", "ci", "--scope", "r public:*:config/*", "--ttl", "600"))
                    .strip();
            environment.put("CAIRN_TOKEN", token);
            assertThat(done(environment, "", "config", "get", "of-bob")).isEqualTo("x: 1");
            assertThat(CairnCommandIT.run(environment, "x: 2", "config", "publish", "of-bob")
                            .status())
                    .isOne();
            Path writer = Files.writeString(
                    home.resolve("writer"),
                    done(
                            environment,
                            "",
                            with(admin, "token", "create", "w", "--scope", "w public:*:naming/*", "--ttl", "600")));
            done(
                    environment,
                    "",
                    with(admin, "service", "register", "db", "--ip", "10.0.0.7", "--port", "80", "--persistent"));
            String[] gone = {"service", "deregister", "db", "--ip", "10.0.0.7", "--port", "80", "--persistent"};
            assertThat(done(environment, "", with(gone, "--token-file", writer.toString())))
                    .startsWith("Asked to deregister 10.0.0.7:80 of DEFAULT_GROUP/db");
            assertThat(done(environment, "", with(admin, "service", "instances", "db")))
                    .doesNotContain("10.0.0.7");
            assertThat(done(environment, "", with(admin, "token", "list")))
                    .contains("MADE BY")
                    .containsPattern("ci .* nacos .*\\d{4}-\\d\\d-\\d\\dT");
            Object listed =
                    Json.items(Json.read(done(environment, "", with(admin, "token", "list", "--json")))).stream()
                            .filter(each -> Json.text(each, "name").equals("ci"))
                            .findFirst()
                            .orElseThrow();
            done(environment, "", with(admin, "token", "revoke", Json.text(listed, "id")));
            assertThat(CairnCommandIT.run(environment, "", "config", "get", "of-bob")
                            .status())
                    .isOne();

            assertThat(done(environment, "", with(admin, "audit", "--limit", "200")))
                    .contains("bob");
            done(environment, "", with(admin, "permission", "revoke", "readers", "public:*:config/*", "rw"));
            done(environment, "", with(admin, "user", "revoke", "bob", "readers"));
            done(environment, "", with(admin, "user", "delete", "bob"));
        }
    }

    private static String[] with(String[] login, String... command) {
        String[] all = new String[command.length + login.length];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(login, 0, all, command.length, login.length);
        return all;
    }

    @Test
    void theDoctorLooksAtPortsThatDemandTls() throws Exception {
        OwnCertificate own = OwnCertificate.in(home);
        try (CairnServer server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("cairn.tls.certificate", own.certificate().toString())
                .setting("cairn.tls.private-key", own.key().toString())
                .setting("cairn.tls.plain-text", "refused")
                .start()) {
            String text = CairnCommandIT.run(
                            Map.of("CAIRN_SERVER", "https://" + server.address()),
                            "",
                            "doctor",
                            "--ca-file",
                            own.certificate().toString())
                    .out();

            assertThat(text).contains("port " + (server.httpPort() + 1000) + " answers over TLS");
        }
    }

    private static String done(Map<String, String> environment, String input, String... arguments) {
        CairnCommandIT.Answer answer = CairnCommandIT.run(environment, input, arguments);
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer.out();
    }
}
