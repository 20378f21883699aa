package io.cairn.client.internal;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.cairn.client.connection.ConnectFailure;
import io.cairn.client.connection.Phase;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoginIT {

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final AtomicInteger count = new AtomicInteger();
    private HttpServer http;

    @BeforeEach
    void start() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.start();
    }

    @AfterEach
    void stop() {
        http.stop(0);
    }

    private void serve(String path, int status, String body) {
        http.createContext("/nacos" + path, exchange -> {
            asked.add(path + ' ' + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] bytes = String.format(body, count.incrementAndGet()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private ServerAddress server() {
        return ServerAddress.parse("127.0.0.1:" + http.getAddress().getPort(), 1000, false);
    }

    private static Login login() {
        return login(PATIENCE);
    }

    private static Login login(Duration timeout) {
        return new Login(new Credentials("ann", "s&cret"), "/nacos", timeout, null);
    }

    @Test
    void logsInOncePerTokenAtThePathOfGeneration3() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        Duration first = login.ensure(server());
        assertThat(first).isBetween(Duration.ofSeconds(14_300), Duration.ofSeconds(14_400));
        // The remaining time of this token, not the time of a new one.
        assertThat(login.ensure(server())).isLessThan(first);
        assertThat(login.token()).isEqualTo("t1");
        assertThat(asked).containsExactly("/v3/auth/user/login username=ann&password=s%26cret");
    }

    @Test
    void logsInAtTheOldPathOfGeneration2() {
        serve("/v1/auth/users/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t1");
    }

    @Test
    void keepsARefusedTokenUntilItIsReplaced() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        login.ensure(server());
        assertThat(login.refused("t1", "token expired!")).isTrue();
        assertThat(login.token()).isEqualTo("t1");
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t2");
        // A caller refused with the former token only has to retry with the new one.
        assertThat(login.refused("t1", "token expired!")).isTrue();
        // The server refused the new token as well, so a third one would not help.
        assertThat(login.refused("t2", "token expired!")).isFalse();
        login.ensure(server());
        assertThat(asked).hasSize(2);
    }

    @Test
    void doesNotLogInAgainForAMissingPermission() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        login.ensure(server());
        assertThat(login.refused("t1", "authorization failed!")).isFalse();
        assertThat(login.refused("t1", "Code: 403, Message: authorization failed!."))
                .isFalse();
        login.ensure(server());
        assertThat(asked).hasSize(1);
    }

    @Test
    void doesNotBlameThePasswordWhenTheServerIsUnavailable() {
        serve("/v3/auth/user/login", 503, "starting");
        assertThatThrownBy(() -> login().ensure(server()))
                .isInstanceOfSatisfying(ConnectFailure.class, failure -> assertThat(failure.phase())
                        .isEqualTo(Phase.HTTP))
                .hasMessageContaining("503 starting")
                .hasMessageNotContaining("password");
        ServerAddress server = server();
        http.stop(0);
        assertThatThrownBy(() -> login().ensure(server))
                .isInstanceOfSatisfying(ConnectFailure.class, failure -> assertThat(failure.phase())
                        .isEqualTo(Phase.HTTP));
    }

    @Test
    void sendsNoPasswordInPlainTextOverTlsConnectionsUnlessTheAddressIsHttp() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        String address = server().httpAddress();

        // A server without TLS keeps reading and does not answer, so this login always times out.
        assertThatThrownBy(() -> login(Duration.ofMillis(500)).ensure(ServerAddress.parse(address, 1000, true)))
                .isInstanceOf(ConnectFailure.class)
                .hasMessageContaining(
                        "reaching the HTTP API to log in failed: no answer from /v3/auth/user/login over TLS")
                .hasMessageContaining("if that port speaks no TLS, say so with http:// before the address");
        assertThat(asked).isEmpty();

        Login login = login();
        login.ensure(ServerAddress.parse("http://" + address, 1000, true));
        assertThat(login.token()).isEqualTo("t1");
    }

    @Test
    void reportsAWrongPassword() {
        serve("/v3/auth/user/login", 403, "user not found!");
        assertThatThrownBy(() -> login().ensure(server()))
                .isInstanceOfSatisfying(ConnectFailure.class, failure -> assertThat(failure.phase())
                        .isEqualTo(Phase.AUTH))
                .hasMessageContaining("user 'ann' was refused with 403 user not found!")
                .hasMessageNotContaining("s&cret");
    }

    @Test
    void usesAServerWithoutLoginsWithoutAToken() {
        Login login = login();
        login.ensure(server());
        assertThat(login.token()).isNull();
    }
}
