package io.cairn.client.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

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

class LoginTest {

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
        return ServerAddress.parse("127.0.0.1:" + http.getAddress().getPort(), 1000);
    }

    private static Login login() {
        return new Login(new Credentials("ann", "s&cret"), "/nacos", Duration.ofSeconds(30), null);
    }

    @Test
    void aServerOfGeneration3IsAskedAtItsOwnPathAndOnlyOnceInATokensLife() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        assertThat(login.ensure(server())).isBetween(Duration.ofSeconds(14_000), Duration.ofSeconds(14_400));
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t1");
        assertThat(asked).containsExactly("/v3/auth/user/login username=ann&password=s%26cret");
    }

    @Test
    void aServerOfGeneration2IsAskedAtTheOldPath() {
        serve("/v1/auth/users/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t1");
    }

    @Test
    void aRefusedTokenIsReplacedButNotForLackOfRights() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":18000}");
        Login login = login();
        login.ensure(server());
        assertThat(login.mayBeMended("another", "token invalid!")).isTrue();
        assertThat(login.mayBeMended("t1", "authorization failed!")).isFalse();
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t1");

        await().atMost(Duration.ofSeconds(60)).until(() -> login.mayBeMended("t1", "token invalid!"));
        // Until there is another one it stays: other requests may succeed with it.
        assertThat(login.token()).isEqualTo("t1");
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t2");
        login.ensure(server());
        assertThat(login.token()).isEqualTo("t2");
    }

    @Test
    void aTokenIsRenewedBeforeItEnds() {
        serve("/v3/auth/user/login", 200, "{\"accessToken\":\"t%d\",\"tokenTtl\":1}");
        Login login = login();
        login.ensure(server());
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            login.ensure(server());
            return "t2".equals(login.token());
        });
    }

    @Test
    void aWrongPasswordIsSaidToBeOne() {
        serve("/v3/auth/user/login", 403, "user not found!");
        assertThatThrownBy(() -> login().ensure(server()))
                .isInstanceOfSatisfying(ConnectFailure.class, failure -> assertThat(failure.phase())
                        .isEqualTo(Phase.AUTH))
                .hasMessageContaining("user 'ann' was refused with 403 user not found!")
                .hasMessageNotContaining("s&cret");
    }

    @Test
    void aServerWithoutLoginsIsUsedWithoutAToken() {
        Login login = login();
        login.ensure(server());
        assertThat(login.token()).isNull();
    }
}
