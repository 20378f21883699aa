package io.cairn.cli;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.api.config.ConfigKey;
import io.cairn.api.config.Namespace;
import io.cairn.api.naming.Instance;
import io.cairn.cli.migrate.Origin;
import io.cairn.client.CairnClient;
import io.cairn.server.CairnServer;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bridge between two servers that demand a login and TLS, each with a certificate of its own. */
@Tag("full")
class MigrateLoginIT {

    @TempDir
    Path folder;

    private static final class Side implements AutoCloseable {

        private final Path home;
        private final OwnCertificate own;
        private final CairnServer server;

        Side(Path home) throws Exception {
            this.home = Files.createDirectory(home);
            own = OwnCertificate.in(home);
            server = CairnServer.builder()
                    .home(home)
                    .setting("server.port", "0")
                    .setting("server.address", "127.0.0.1")
                    .setting("nacos.core.auth.enabled", "true")
                    .setting("cairn.tls.certificate", own.certificate().toString())
                    .setting("cairn.tls.private-key", own.key().toString())
                    .setting("cairn.tls.plain-text", "refused")
                    .start();
        }

        String address() {
            return "https://" + server.address();
        }

        Path password() {
            return home.resolve("data/auth/initial-admin-password");
        }

        private CairnCommandIT.Answer run(String input, String... words) {
            String[] all = List.of(words, new String[] {
                        "--user",
                        "nacos",
                        "--password-file",
                        password().toString(),
                        "--ca-file",
                        own.certificate().toString()
                    })
                    .stream()
                    .flatMap(Arrays::stream)
                    .toArray(String[]::new);
            return CairnCommandIT.run(Map.of("CAIRN_SERVER", address()), input, all);
        }

        @Override
        public void close() {
            server.close();
        }
    }

    @Test
    void followsServersWithLoginsAndTls() throws Exception {
        try (Side source = new Side(folder.resolve("source"));
                Side target = new Side(folder.resolve("target"))) {
            Path authorities = Files.writeString(
                    folder.resolve("authorities.pem"),
                    Files.readString(source.own.certificate()) + Files.readString(target.own.certificate()));
            assertThat(source.run("a: 1", "config", "publish", "a.yaml").status())
                    .isZero();
            StringWriter said = new StringWriter();
            Thread bridge =
                    new Thread(() -> new Cairn(Map.of(), new ByteArrayInputStream("".getBytes(StandardCharsets.UTF_8)))
                            .run(
                                    new PrintWriter(said),
                                    new PrintWriter(said),
                                    "migrate",
                                    "--from",
                                    source.address(),
                                    "--from-user",
                                    "nacos",
                                    "--from-password-file",
                                    source.password().toString(),
                                    "--to",
                                    target.address(),
                                    "--to-user",
                                    "nacos",
                                    "--to-password-file",
                                    target.password().toString(),
                                    "--ca-file",
                                    authorities.toString(),
                                    "--journal",
                                    folder.resolve("journal").toString(),
                                    "--interval",
                                    "1",
                                    "--follow",
                                    "--both-ways"));
            SSLContext trust = Trust.of(source.own.certificate());
            bridge.start();
            try (CairnClient client = CairnClient.builder()
                    .servers(source.address())
                    .tls(trust)
                    .credentials("nacos", Files.readString(source.password()).strip())
                    .noSnapshots()
                    .build()) {
                client.naming().register(client.naming().service("orders"), Instance.of("10.0.0.1", 80));
                await().until(() ->
                        target.run("", "config", "get", "a.yaml").out().equals("a: 1"));
                await().until(() -> target.run("", "service", "instances", "orders", "--json")
                        .out()
                        .contains(Origin.MARK));
                assertThat(target.run("b: 1", "config", "publish", "b.yaml").status())
                        .isZero();
                await().until(() ->
                        source.run("", "config", "get", "b.yaml").out().equals("b: 1"));
            } finally {
                bridge.interrupt();
                bridge.join(PATIENCE.toMillis());
            }
            assertThat(bridge.isAlive()).as(said.toString()).isFalse();
        }
    }

    @Test
    void carriesAccountsWithNewPasswords() throws Exception {
        try (Side source = new Side(folder.resolve("source"));
                Side target = new Side(folder.resolve("target"))) {
            Path secret = Files.writeString(folder.resolve("secret"), "of-orders-1");
            source.run("", "user", "create", "orders", "--new-password-file", secret.toString());
            source.run("", "user", "grant", "orders", "reader");
            source.run("", "permission", "grant", "reader", "public:*:*", "r");
            Path passwords = folder.resolve("passwords");
            String[] accounts = {"--accounts", passwords.toString()};
            CairnCommandIT.Answer planned =
                    migrate(source, target, source.password(), "--accounts", passwords.toString(), "--dry-run");
            assertThat(planned.out())
                    .contains("would be created user orders: at the target, new at the source")
                    .doesNotContain("the password is in");
            assertThat(passwords).doesNotExist();
            CairnCommandIT.Answer first = migrate(source, target, source.password(), accounts);
            assertThat(first.status()).as(first.toString()).isZero();
            assertThat(first.out())
                    .contains("created user orders", "created role reader of user orders")
                    .contains("created permission r on public:*:* of role reader")
                    .doesNotContain("cairn user create orders");
            assertThat(Files.readString(passwords)).containsPattern("(?m)^orders \\S{24}$");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(passwords)))
                    .isEqualTo("rw-------");
            try (CairnClient orders = CairnClient.builder()
                    .servers(target.address())
                    .tls(Trust.of(target.own.certificate()))
                    .credentials("orders", Files.readString(passwords).strip().split(" ")[1])
                    .noSnapshots()
                    .build()) {
                assertThat(orders.configs().get(new ConfigKey(Namespace.DEFAULT, "DEFAULT_GROUP", "absent.yaml")))
                        .isEmpty();
            }
            assertThat(target.run("", "permission", "list").out()).contains("public:*:*");
            assertThat(migrate(source, target, source.password(), accounts).out())
                    .contains("created: 0;");
        }
    }

    private CairnCommandIT.Answer migrate(Side source, Side target, Path passwordOfSource, String... more)
            throws Exception {
        return migrate("nacos", source, target, passwordOfSource, more);
    }

    private CairnCommandIT.Answer migrate(
            String userOfSource, Side source, Side target, Path passwordOfSource, String... more) throws Exception {
        Path authorities = Files.writeString(
                folder.resolve("authorities.pem"),
                Files.readString(source.own.certificate()) + Files.readString(target.own.certificate()));
        String[] words = {
            "migrate",
            "--from",
            source.address(),
            "--from-user",
            userOfSource,
            "--from-password-file",
            passwordOfSource.toString(),
            "--to",
            target.address(),
            "--to-user",
            "nacos",
            "--to-password-file",
            target.password().toString(),
            "--ca-file",
            authorities.toString(),
            "--journal",
            folder.resolve("journal").toString()
        };
        return CairnCommandIT.run(
                Map.of(),
                "",
                Arrays.stream(new String[][] {words, more})
                        .flatMap(Arrays::stream)
                        .toArray(String[]::new));
    }

    @Test
    void namesTheSideThatRefusesTheLogin() throws Exception {
        try (Side source = new Side(folder.resolve("source"));
                Side target = new Side(folder.resolve("target"))) {
            CairnCommandIT.Answer answer = migrate(source, target, target.password());
            assertThat(answer.status()).isOne();
            assertThat(answer.err().lines())
                    .singleElement()
                    .asString()
                    .contains("--from")
                    .doesNotContain("--to");
        }
    }

    @Test
    void saysWhichConnectionsItMayNotList() throws Exception {
        try (Side source = new Side(folder.resolve("source"));
                Side target = new Side(folder.resolve("target"))) {
            Path secret = Files.writeString(folder.resolve("secret"), "of-orders-1");
            source.run("", "user", "create", "orders", "--new-password-file", secret.toString());
            source.run("", "user", "grant", "orders", "reader");
            source.run("", "permission", "grant", "reader", "public:*:*", "r");
            CairnCommandIT.Answer answer =
                    migrate("orders", source, target, secret, "--status", "--namespaces", "public");
            assertThat(answer.status()).as(answer.toString()).isZero();
            assertThat(answer.out())
                    .contains("The connections of the source are not listed (status 403)")
                    .doesNotContain("The connections of the target are not listed");
        }
    }
}
