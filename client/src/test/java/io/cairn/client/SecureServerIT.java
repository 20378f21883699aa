package io.cairn.client;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.cairn.api.wire.MessageCatalog;
import io.cairn.api.wire.WireResponse;
import io.cairn.client.config.ConfigContent;
import io.cairn.client.config.ConfigWatch;
import io.cairn.client.connection.NoRightException;
import io.cairn.client.connection.Phase;
import io.grpc.ServerCredentials;
import io.grpc.TlsServerCredentials;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, and users. */
class SecureServerIT {

    private static final String PASSWORD = "only-for-this-test";

    @TempDir
    Path folder;

    private static ClientBuilder builder(String server) {
        return CairnClient.builder()
                .servers(server)
                .grpcPortOffset(0)
                .noSnapshots()
                .requestTimeout(PATIENCE)
                .failFast(PATIENCE);
    }

    private void keytool(String... arguments) throws Exception {
        List<String> command = new java.util.ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(folder.resolve("keytool.log")))
                .isZero();
    }

    private ServerCredentials certificate(Path pem) throws Exception {
        Path store = folder.resolve("server.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=ip:127.0.0.1,dns:localhost",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "server",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD,
                "-file",
                pem.toString());
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, PASSWORD.toCharArray());
        return TlsServerCredentials.newBuilder()
                .keyManager(factory.getKeyManagers())
                .build();
    }

    @Test
    void overTlsOnlyAServerThatIsTrustedIsUsed() throws Exception {
        Path pem = folder.resolve("server.pem");
        try (FakeServer server = new FakeServer(certificate(pem))) {
            try (CairnClient client = builder(server.address()).tlsTrusting(pem).build()) {
                assertThat(client.connected()).isTrue();
            }
            try (CairnClient client = builder(server.address())
                    .tls(javax.net.ssl.SSLContext.getDefault())
                    .startWithoutServer(PATIENCE)
                    .build()) {
                assertThat(ScriptedServerIT.awaitFailure(client, Phase.TLS)).hasMessageContaining("TLS");
            }
        }
        try (FakeServer plain = new FakeServer()) {
            try (CairnClient client = builder(plain.address())
                    .tlsTrusting(pem)
                    .startWithoutServer(PATIENCE)
                    .build()) {
                assertThat(ScriptedServerIT.awaitFailure(client, Phase.TLS)).hasMessageContaining("TLS");
            }
        }
        assertThatThrownBy(() -> builder("x").tlsTrusting(folder.resolve("none.pem")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.pem cannot be read");
    }

    @Test
    void requestsCarryTheTokenAndARefusedOneIsReplacedOnce() throws Exception {
        AtomicInteger logins = new AtomicInteger();
        HttpServer http = logins(logins, 0);
        try (FakeServer server = new FakeServer();
                CairnClient client = loggedIn(http, server)) {
            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> "t2".equals(request.header("accessToken"))
                            ? FakeServer.content("secret")
                            : WireResponse.failed(MessageCatalog.CONFIG_QUERY_RESPONSE, 403, "token expired!", null));

            assertThat(client.configs().get(client.configs().key("a")))
                    .map(ConfigContent::text)
                    .contains("secret");
            assertThat(logins).hasValue(2);

            server.answer(
                    MessageCatalog.CONFIG_QUERY_REQUEST,
                    request -> WireResponse.failed(
                            MessageCatalog.CONFIG_QUERY_RESPONSE, 403, "authorization failed!", null));
            assertThatThrownBy(() -> client.configs().get(client.configs().key("a")))
                    .isInstanceOf(NoRightException.class);
            assertThat(logins).hasValue(2);
        } finally {
            http.stop(0);
        }
    }

    @Test
    void aWatchingClientRecoversFromARefusedToken() throws Exception {
        AtomicInteger logins = new AtomicInteger();
        HttpServer http = logins(logins, 0);
        try (FakeServer server = new FakeServer();
                CairnClient client = loggedIn(http, server)) {
            server.answer(
                    MessageCatalog.CONFIG_BATCH_LISTEN_REQUEST,
                    request -> "t2".equals(request.header("accessToken"))
                            ? FakeServer.listening("[]")
                            : WireResponse.failed(
                                    MessageCatalog.CONFIG_CHANGE_BATCH_LISTEN_RESPONSE, 403, "token invalid!", null));
            try (ConfigWatch watch = client.configs().watch(client.configs().key("a"), content -> {})) {
                assertThat(watch.known().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .isEmpty();
            }
            assertThat(logins).hasValue(2);
        } finally {
            http.stop(0);
        }
    }

    @Test
    void aStartWaitsForAServerThatCannotTakeLoginsYet() throws Exception {
        AtomicInteger logins = new AtomicInteger();
        HttpServer http = logins(logins, 2);
        try (FakeServer server = new FakeServer();
                CairnClient client = loggedIn(http, server)) {
            assertThat(client.connected()).isTrue();
            assertThat(logins).hasValue(3);
        } finally {
            http.stop(0);
        }
    }

    private static CairnClient loggedIn(HttpServer logins, FakeServer server) {
        return builder("127.0.0.1:" + logins.getAddress().getPort())
                .grpcPortOffset(server.port() - logins.getAddress().getPort())
                .credentials("ann", "secret")
                .build();
    }

    /** A server that grants t1, t2 and so on, but is not ready for the first ones to ask. */
    private static HttpServer logins(AtomicInteger logins, int tooEarly) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        http.createContext("/nacos/v3/auth/user/login", exchange -> {
            int number = logins.incrementAndGet();
            byte[] body = ("{\"accessToken\":\"t" + number + "\",\"tokenTtl\":18000}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(number > tooEarly ? 200 : 503, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        http.start();
        return http;
    }
}
