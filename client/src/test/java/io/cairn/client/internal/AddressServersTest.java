package io.cairn.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.cairn.api.error.CairnException;
import io.cairn.client.connection.ServerAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressServersTest {

    private HttpServer http;
    private volatile int status = 200;
    private volatile String body = "";

    @BeforeEach
    void start() throws IOException {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/nacos/serverlist", exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        http.start();
    }

    @AfterEach
    void stop() {
        http.stop(0);
    }

    private URI url() {
        return AddressServers.parse("http://127.0.0.1:" + http.getAddress().getPort());
    }

    private static AddressServers of(URI... urls) {
        return new AddressServers(
                List.of(urls), Duration.ofSeconds(10), null, line -> ServerAddress.parse(line, 1000, false));
    }

    @Test
    void readsALineForEachServer() {
        body = "10.0.0.1:8848\n# a comment\n\n 10.0.0.2 \nnot:a:port\nhttp://x:y\n10.0.0.1:8848\n";
        assertThat(of(url()).fetch())
                .extracting(ServerAddress::httpAddress)
                .startsWith("10.0.0.1:8848", "10.0.0.2:8848")
                .doesNotHaveDuplicates()
                .noneMatch(address -> address.contains("x"));
    }

    @Test
    void triesTheNextAddressServerAndReportsEachFailure() {
        URI nobody = AddressServers.parse("http://127.0.0.1:1/");
        body = "10.0.0.1:8848";
        assertThat(of(nobody, url()).fetch()).hasSize(1);

        status = 503;
        assertThatThrownBy(() -> of(nobody, url()).fetch())
                .isInstanceOf(CairnException.class)
                .hasMessageContaining("http://127.0.0.1:1/nacos/serverlist: Connection refused")
                .hasMessageContaining(url() + ": answered with 503")
                .hasMessageContaining("check the URL");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.5:8848", "ftp://10.0.0.5", "http://", "http://a b"})
    void refusesAnInvalidUrl(String text) {
        assertThatThrownBy(() -> AddressServers.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(text)
                .hasMessageContaining("expected");
    }

    @Test
    void ignoresAnEmptyListAndLeavesAServerMissingTwice() {
        ServerAddress used = ServerAddress.parse("10.0.0.1:8848", 1000, false);
        ServerList servers = new ServerList(List.of(used), new Random(1), System::nanoTime);
        AddressRefresh refresh = new AddressRefresh(servers, of(url()), new AtomicLong()::get);

        assertThat(refresh.refresh(used)).isFalse();
        assertThat(servers.all()).containsExactly(used);
        assertThat(refresh.failure())
                .hasValueSatisfying(why -> assertThat(why).hasMessageContaining("the list is empty"));

        body = "10.0.0.2:8848";
        assertThat(refresh.refresh(used)).as("missing once").isFalse();
        assertThat(servers.all()).extracting(ServerAddress::host).containsExactly("10.0.0.2");
        assertThat(refresh.failure()).isEmpty();
        body = "10.0.0.2:8848\n10.0.0.1:8848";
        assertThat(refresh.refresh(used)).isFalse();
        body = "10.0.0.2:8848";
        assertThat(refresh.refresh(used)).as("it was there in between").isFalse();
        assertThat(refresh.refresh(used)).as("missing twice in a row").isTrue();
    }
}
