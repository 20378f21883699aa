package io.cairn.cli;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.cairn.server.CairnServer;
import io.cairn.testing.ReservedPorts;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that run for long: through a restart, through the end of a login, and to their end. */
@Tag("full")
class ReconnectIT {

    @TempDir
    Path home;

    @Test
    void aWatchOutlivesARestartAndTheEndOfItsLoginAndMissesNothing() throws Exception {
        int port = ReservedPorts.ofServer();
        CairnServer first = start(port);
        Map<String, String> server = Map.of("CAIRN_SERVER", first.address());
        Path initial = home.resolve("data/auth/initial-admin-password");
        String[] admin = {"--user", "nacos", "--password-file", initial.toString()};
        Path bob = Files.writeString(home.resolve("bob"), "bob-secret");
        done(server, "bob-secret", with(admin, "user", "create", "bob", "--new-password-file", "-"));
        done(server, "", with(admin, "user", "grant", "bob", "readers"));
        done(server, "", with(admin, "permission", "grant", "readers", "public:*:config/*", "r"));
        String token = done(
                        server,
                        "",
                        with(admin, "token", "create", "ci", "--scope", "r public:*:config/*", "--ttl", "600"))
                .strip();
        done(server, "one", with(admin, "config", "publish", "kept"));
        Path tokenFile = Files.writeString(home.resolve("token"), token);

        try (Running user = new Running(
                        server, "config", "watch", "kept", "--count", "3", "-u", "bob", "--password-file", "" + bob);
                Running machine =
                        new Running(server, "config", "watch", "kept", "--json", "--token-file", "" + tokenFile);
                Running instance = new Running(
                        server, with(admin, "service", "register", "orders", "--ip", "10.0.0.9", "--port", "80"))) {
            user.awaitOut("one");
            machine.awaitOut("one");
            instance.awaitOut("Registered");
            first.close();
            user.awaitErr("cairn: lost the server, trying again until it is back: ");
            machine.awaitErr("{\"notice\":\"lost the server");
            instance.awaitErr("lost the server");

            // Nobody who watches sees this happen.
            try (CairnServer elsewhere = start(0)) {
                done(Map.of("CAIRN_SERVER", elsewhere.address()), "two", with(admin, "config", "publish", "kept"));
            }
            try (CairnServer second = start(port)) {
                assertThat(second.httpPort()).isEqualTo(port);
                user.awaitOut("two");
                machine.awaitOut("two");
                user.awaitErr("the server is back after");
                machine.awaitErr("the server is back after");
                instance.awaitErr("the server is back after");
                assertThat(done(server, "", with(admin, "service", "instances", "orders")))
                        .contains("10.0.0.9:80");

                // A new password ends what was logged in with the one before.
                Files.writeString(bob, "bob-second");
                done(server, "bob-second", with(admin, "user", "password", "bob", "--new-password-file", "-"));
                done(server, "three", with(admin, "config", "publish", "kept"));
                user.awaitEnd(0);
                machine.awaitOut("three");
                assertThat(user.out()).isEqualTo("one\ntwo\nthree\n");
                assertThat(user.err().lines().filter(line -> line.startsWith("cairn: ")))
                        .hasSize(2);

                Object listed = Json.items(Json.read(done(server, "", with(admin, "token", "list", "--json"))))
                        .get(0);
                done(server, "", with(admin, "token", "revoke", Json.text(listed, "id")));
                done(server, "four", with(admin, "config", "publish", "kept"));
                machine.awaitEnd(1);
                assertThat(machine.out()).doesNotContain("four");
                assertThat(machine.err()).contains("{\"error\":");
            }
        }
    }

    private CairnServer start(int port) {
        return CairnServer.builder()
                .home(home)
                .setting("server.port", Integer.toString(port))
                .setting("server.address", "127.0.0.1")
                .setting("nacos.core.auth.enabled", "true")
                .setting("cairn.shutdown.drain", "0s")
                .start();
    }

    private static String[] with(String[] login, String... command) {
        String[] all = new String[command.length + login.length];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(login, 0, all, command.length, login.length);
        return all;
    }

    private static String done(Map<String, String> environment, String input, String... arguments) {
        CairnCommandIT.Answer answer = CairnCommandIT.run(environment, input, arguments);
        assertThat(answer.status()).as(answer.toString()).isZero();
        return answer.out();
    }

    /** A command in a thread of its own, and what it has said so far. */
    private static final class Running implements AutoCloseable {

        private final StringWriter out = new StringWriter();
        private final StringWriter err = new StringWriter();
        private final AtomicInteger status = new AtomicInteger(-1);
        private final CountDownLatch ended = new CountDownLatch(1);
        private final Thread thread;

        Running(Map<String, String> environment, String... arguments) {
            thread = new Thread(() -> {
                try {
                    status.set(new Cairn(environment, new ByteArrayInputStream("".getBytes(StandardCharsets.UTF_8)))
                            .run(new PrintWriter(out, true), new PrintWriter(err, true), arguments));
                } finally {
                    ended.countDown();
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        String out() {
            return out.toString();
        }

        String err() {
            return err.toString();
        }

        void awaitOut(String text) {
            Awaitility.await().untilAsserted(() -> assertThat(out()).as(err()).contains(text));
        }

        void awaitErr(String text) {
            Awaitility.await().untilAsserted(() -> assertThat(err()).as(out()).contains(text));
        }

        void awaitEnd(int expected) {
            Awaitility.await().until(() -> ended.getCount() == 0);
            assertThat(status).as(err()).hasValue(expected);
        }

        @Override
        public void close() throws InterruptedException {
            thread.interrupt();
            thread.join(PATIENCE.toMillis());
        }
    }
}
