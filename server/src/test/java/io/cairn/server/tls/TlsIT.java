package io.cairn.server.tls;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.cairn.server.auth.AccountChange;
import io.cairn.server.auth.AccountService;
import io.cairn.server.auth.Caller;
import io.cairn.server.limit.Limit;
import io.cairn.server.metrics.MeterNames;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.SettableClock;
import io.cairn.server.testing.TestAuthority;
import io.cairn.server.wiring.CairnApplication;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Both ports accept TLS and plain text, identify clients by their certificates, and reload files without a restart. */
class TlsIT {

    private static final Limit HANDSHAKE = new Limit("head-seconds", "a setting", 15);
    private static final TestAuthority AUTHORITY = new TestAuthority("ours");
    private static final Path FILES = files();

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1")
            .with("cairn.tls.certificate", FILES.resolve("server.pem").toString())
            .with("cairn.tls.private-key", FILES.resolve("server.key").toString())
            .with(
                    "cairn.tls.trusted-certificates",
                    FILES.resolve("authority.pem").toString())
            .with("cairn.tls.client-authentication", "want")
            .with("cairn.tls.client-identity", "uri")
            .with("cairn.tls.client-identity-pattern", "spiffe://test/(.+)")
            .with("cairn.tls.reload-interval", "200ms");

    private static final TestAuthority.Issued READER = AUTHORITY.client("CN=whatever", "spiffe://test/reader");
    private static final TestAuthority.Issued NOBODY = AUTHORITY.client("CN=reader", "spiffe://test/nobody");
    private static final TestAuthority.Issued FOREIGN =
            new TestAuthority("theirs").client("CN=reader", "spiffe://test/reader");

    private static Path files() {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-tls-" + ProcessHandle.current().pid() + '-');
            AUTHORITY.writeTo(folder.resolve("authority.pem"));
            AUTHORITY.server().write(folder.resolve("server.pem"), folder.resolve("server.key"));
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeAll
    static void createAUserWithReadOnOneNamespace() throws Exception {
        AccountService accounts = cairn.part(AccountService.class);
        assertThat(accounts.createUser("reader", "a-password", false, Caller.SERVER)
                        .toCompletableFuture()
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isEqualTo(AccountChange.Outcome.DONE);
        accounts.grantRole("READERS", "reader", Caller.SERVER)
                .thenCompose(done -> accounts.addPermission("READERS", "dev:*:*/*", "r", Caller.SERVER))
                .toCompletableFuture()
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static HttpResponse<String> get(SSLContext context, String path) throws Exception {
        HttpClient.Builder client = HttpClient.newBuilder();
        if (context != null) {
            client.sslContext(context);
        }
        return client.build()
                .send(
                        HttpRequest.newBuilder(URI.create((context == null ? "http" : "https") + "://127.0.0.1:"
                                        + cairn.httpPort() + "/nacos" + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static String config(String namespace) {
        return "/v1/cs/configs?dataId=none&group=g&tenant=" + namespace;
    }

    @Test
    void theHttpPortAcceptsTlsAndPlainText() throws Exception {
        assertThat(get(null, "/v1/console/server/state").statusCode()).isEqualTo(200);
        HttpResponse<String> encrypted = get(AUTHORITY.context(null), "/v1/console/server/state");

        assertThat(encrypted.statusCode()).isEqualTo(200);
        assertThat(encrypted.version()).isEqualTo(HttpClient.Version.HTTP_2);
        HttpResponse<String> older = HttpClient.newBuilder()
                .sslContext(AUTHORITY.context(null))
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create(
                                        "https://127.0.0.1:" + cairn.httpPort() + "/nacos/v1/console/server/state"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(older.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
        assertThat(older.body()).isEqualTo(encrypted.body());
        assertThat(encrypted.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(encrypted.sslSession())
                .hasValueSatisfying(session -> assertThat(session.getProtocol()).isEqualTo("TLSv1.3"));
    }

    @Test
    void theGrpcPortAcceptsTlsAndPlainText() {
        try (WireClient plain = cairn.newClient();
                WireClient encrypted = WireClient.connect("127.0.0.1", cairn.grpcPort(), AUTHORITY.context(null))
                        .setUp()) {
            for (WireClient client : List.of(plain, encrypted)) {
                assertThat(client.request("HealthCheckRequest", "{}")
                                .path("success")
                                .asBoolean())
                        .isTrue();
                assertThat(client.request("ConfigQueryRequest", "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"dev\"}")
                                .path("errorCode")
                                .asInt())
                        .isEqualTo(403);
            }
        }
    }

    @Test
    void aCertificateIdentifiesTheCallerOnBothPorts() throws Exception {
        assertThat(get(AUTHORITY.context(READER), config("dev")).statusCode()).isEqualTo(404);
        assertThat(get(AUTHORITY.context(READER), config("prod")).statusCode()).isEqualTo(403);
        assertThat(get(AUTHORITY.context(NOBODY), config("dev")).statusCode()).isEqualTo(403);
        assertThat(get(AUTHORITY.context(null), config("dev")).statusCode()).isEqualTo(403);
        try (WireClient client = WireClient.connect("127.0.0.1", cairn.grpcPort(), AUTHORITY.context(READER))
                .setUp()) {
            assertThat(query(client, "dev")).isEqualTo(300);
            assertThat(query(client, "prod")).isEqualTo(403);
            // An explicit login ranks above the certificate.
            assertThat(client.request(
                                    "ConfigQueryRequest",
                                    "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"dev\"}",
                                    Map.of("accessToken", "garbage"))
                            .path("errorCode")
                            .asInt())
                    .isEqualTo(403);
        }
    }

    private static int query(WireClient client, String namespace) {
        return client.request(
                        "ConfigQueryRequest", "{\"dataId\":\"a\",\"group\":\"g\",\"tenant\":\"" + namespace + "\"}")
                .path("errorCode")
                .asInt();
    }

    @Test
    void refusesACertificateOfAnotherAuthority() throws Exception {
        try {
            assertThat(get(AUTHORITY.context(FOREIGN), config("dev")).statusCode())
                    .isEqualTo(403);
        } catch (IOException refused) {
            // A client may send it although the server asked for a certificate of another authority.
            assertThat(refused).hasMessageContaining("certificate");
        }
    }

    @Test
    void countsAClientThatDoesNotTrustTheServer() {
        SSLContext other = new TestAuthority("other").context(null);
        assertThatThrownBy(() -> get(other, config("dev"))).isInstanceOf(SSLException.class);
        await().until(() -> cairn.part(MeterRegistry.class)
                        .get("cairn.tls.failures")
                        .functionCounter()
                        .count()
                > 0);
    }

    @Test
    void measuresTheRemainingLifetimeOfTheCertificate() {
        assertThat(cairn.part(MeterRegistry.class)
                        .get(MeterNames.CERTIFICATE_REMAINING)
                        .gauge()
                        .value())
                .isPositive();
    }

    @Test
    void callerWithCertificateMayCreateUsers() throws Exception {
        AccountService accounts = cairn.part(AccountService.class);
        SSLContext chief = AUTHORITY.context(AUTHORITY.client("CN=x", "spiffe://test/nacos"));

        HttpResponse<String> created = HttpClient.newBuilder()
                .sslContext(chief)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + cairn.httpPort()
                                        + "/nacos/v3/auth/user?username=bobby&password=a-password-of-bob"))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(created.statusCode()).as(created.body()).isEqualTo(200);
        assertThat(accounts.accounts().rows().users())
                .anyMatch(user -> user.name().equals("bobby"));
    }

    /** A browser sends its certificate on behalf of any page. */
    @Test
    void ignoresTheCertificateInARequestOfAnotherSite() throws Exception {
        SSLContext reader = AUTHORITY.context(READER);
        URI config = URI.create("https://127.0.0.1:" + cairn.httpPort() + "/nacos" + config("dev"));
        HttpClient browser = HttpClient.newBuilder().sslContext(reader).build();

        HttpResponse<String> own = browser.send(
                HttpRequest.newBuilder(config)
                        .header("Origin", "https://127.0.0.1:" + cairn.httpPort())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        HttpResponse<String> theirs = browser.send(
                HttpRequest.newBuilder(config)
                        .header("Origin", "https://evil.example")
                        .build(),
                HttpResponse.BodyHandlers.ofString());

        assertThat(own.statusCode()).as(own.body()).isEqualTo(404);
        assertThat(theirs.statusCode()).isEqualTo(403);
        assertThat(theirs.body()).contains("a page of another site");
    }

    @Test
    void refusesRepeatedHandshakes() throws Exception {
        try (SSLSocket socket =
                (SSLSocket) AUTHORITY.context(null).getSocketFactory().createSocket("127.0.0.1", cairn.httpPort())) {
            SSLParameters older = socket.getSSLParameters();
            older.setProtocols(new String[] {"TLSv1.2"});
            socket.setSSLParameters(older);
            socket.setSoTimeout((int) PATIENCE.toMillis());
            socket.startHandshake();

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        socket.getInputStream().read();
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void refusesOldProtocols() throws Exception {
        try (SSLSocket socket =
                (SSLSocket) AUTHORITY.context(null).getSocketFactory().createSocket("127.0.0.1", cairn.httpPort())) {
            SSLParameters old = socket.getSSLParameters();
            old.setProtocols(new String[] {"TLSv1.1"});
            socket.setSSLParameters(old);
            assertThatThrownBy(socket::startHandshake).isInstanceOf(IOException.class);
        }
    }

    @Test
    void usesACertificateOnceItIsValid() throws Exception {
        SettableClock clock = new SettableClock();
        clock.setTo(Instant.now());
        ServerTls tls = new ServerTls(settings(), List.of("http/1.1"), HANDSHAKE, clock);
        TestAuthority.Issued next = AUTHORITY.server(Instant.now().plus(Duration.ofDays(3)));
        next.write(FILES.resolve("own.pem"), FILES.resolve("own.key"));
        assertThat(tls.reload()).isFalse();
        assertThat(tls.certificate()).isNotEqualTo(next.certificate());

        clock.setTo(next.certificate().getNotBefore().toInstant().plusSeconds(1));

        assertThat(tls.reload()).isTrue();
        assertThat(tls.certificate()).isEqualTo(next.certificate());
    }

    @Test
    void usesNewFilesAndIgnoresInvalidOnes() throws Exception {
        ServerTls tls = new ServerTls(settings(), List.of("http/1.1"), HANDSHAKE, java.time.Clock.systemUTC());
        Path folder = Files.createDirectories(FILES.resolve("reload"));
        var before = tls.certificate();

        assertThat(tls.reload()).isFalse();
        // An incomplete change: the key does not belong to the certificate yet.
        TestAuthority.Issued next = AUTHORITY.server();
        next.write(FILES.resolve("own.pem"), folder.resolve("own.key"));
        assertThat(tls.reload()).isFalse();
        assertThat(tls.certificate()).isEqualTo(before);
        Files.move(folder.resolve("own.key"), FILES.resolve("own.key"), StandardCopyOption.REPLACE_EXISTING);
        assertThat(tls.reload()).isTrue();
        assertThat(tls.certificate()).isEqualTo(next.certificate());
        AUTHORITY
                .server(Instant.now().minus(Duration.ofHours(1)))
                .write(FILES.resolve("own.pem"), FILES.resolve("own.key"));
        assertThat(tls.reload()).isFalse();
        assertThat(tls.certificate()).isEqualTo(next.certificate());
        Files.writeString(FILES.resolve("own.pem"), "nothing");
        assertThat(tls.reload()).isFalse();
        Files.delete(FILES.resolve("own.pem"));
        assertThat(tls.reload()).isFalse();
        assertThat(tls.certificate()).isEqualTo(next.certificate());
    }

    private static TlsSettings settings() {
        AUTHORITY.server().write(FILES.resolve("own.pem"), FILES.resolve("own.key"));
        return new TlsSettings(
                new TlsSettings.PemFile("certificate", FILES.resolve("own.pem")),
                new TlsSettings.PemFile("private-key", FILES.resolve("own.key")),
                null,
                null,
                TlsSettings.ClientAuthentication.NONE,
                new TlsSettings.ClientNames(TlsSettings.ClientIdentity.NONE, java.util.regex.Pattern.compile("(.+)")),
                List.of("TLSv1.3"),
                List.of(),
                TlsSettings.PlainText.ACCEPTED,
                TlsSettings.PlainText.ACCEPTED);
    }

    @Test
    void aRunningServerLoadsTheNewCertificate() throws Exception {
        TestAuthority renewed = new TestAuthority("renewed");
        Path certificate = FILES.resolve("server.pem");
        Path key = FILES.resolve("server.key");
        String[] before = {Files.readString(certificate), Files.readString(key)};
        renewed.server().write(certificate, key);
        try {
            await().ignoreExceptionsInstanceOf(SSLException.class)
                    .until(() -> get(renewed.context(null), "/v1/console/server/state")
                                    .statusCode()
                            == 200);
        } finally {
            Files.writeString(certificate, before[0]);
            Files.writeString(key, before[1]);
        }
        await().ignoreExceptionsInstanceOf(SSLException.class)
                .until(() ->
                        get(AUTHORITY.context(null), "/v1/console/server/state").statusCode() == 200);
    }

    @Test
    void reportsUnusableFilesBeforeTheStart(@TempDir Path folder) throws Exception {
        AUTHORITY.server().write(folder.resolve("a.pem"), folder.resolve("a.key"));
        AUTHORITY.server().write(folder.resolve("b.pem"), folder.resolve("b.key"));
        Files.writeString(
                folder.resolve("ec.key"), "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----\n");
        String a = folder.resolve("a.pem").toString();
        String keyOfA = folder.resolve("a.key").toString();

        assertThat(refusal(folder, "cairn.tls.certificate=" + a, "cairn.tls.private-key=none.key"))
                .isEqualTo(
                        "cairn.tls.private-key: " + folder.resolve("none.key")
                                + " does not exist (expected: a file in PEM; a path that is not absolute begins at the home folder)");
        assertThat(refusal(folder, "cairn.tls.certificate=" + a, "cairn.tls.private-key=b.key"))
                .startsWith("cairn.tls.private-key: " + folder.resolve("b.key")
                        + " is not the key of the first certificate in " + a);
        assertThat(refusal(folder, "cairn.tls.certificate=" + a, "cairn.tls.private-key=ec.key"))
                .contains("openssl pkcs8 -topk8 -nocrypt");
        assertThat(refusal(folder, "cairn.tls.certificate=a.key", "cairn.tls.private-key=a.key"))
                .contains("holds no certificate (expected: -----BEGIN CERTIFICATE-----");
        assertThat(refusal(
                        folder,
                        "cairn.tls.certificate=" + a,
                        "cairn.tls.private-key=" + keyOfA,
                        "cairn.tls.client-authentication=need"))
                .startsWith("cairn.tls.trusted-certificates: is empty, but clients are asked for certificates");
        assertThat(refusal(
                        folder,
                        "cairn.tls.certificate=" + a,
                        "cairn.tls.private-key=" + keyOfA,
                        "cairn.tls.protocols=TLSv1.1"))
                .isEqualTo("cairn.tls.protocols: TLSv1.1 (expected: TLSv1.3, TLSv1.2 or both)");
        assertThat(refusal(
                        folder,
                        "nacos.remote.server.rpc.tls.enableTls=true",
                        "nacos.remote.server.rpc.tls.trustAll=true"))
                .startsWith("nacos.remote.server.rpc.tls.trustAll: true would believe whatever certificate");
        assertThat(refusal(folder, "server.ssl.key-store=a.p12"))
                .startsWith("server.ssl.key-store: is not how this server is told to speak HTTPS");
    }

    private static String refusal(Path home, String... settings) {
        List<String> arguments = new java.util.ArrayList<>(List.of("--server.port=0"));
        for (String setting : settings) {
            arguments.add("--" + setting);
        }
        try {
            CairnApplication.start(Map.of("cairn.home", home.toString()), arguments)
                    .context()
                    .close();
            return "started";
        } catch (RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void acceptsTheSettingNamesOfNacosAndCanRefusePlainText(@TempDir Path folder) throws Exception {
        AUTHORITY.server().write(folder.resolve("a.pem"), folder.resolve("a.key"));
        CairnApplication.Running running = CairnApplication.start(
                Map.of("cairn.home", folder.toString()),
                List.of(
                        "--server.port=0",
                        "--nacos.remote.server.rpc.tls.enableTls=true",
                        "--nacos.remote.server.rpc.tls.certChainFile=a.pem",
                        "--nacos.remote.server.rpc.tls.certPrivateKey=a.key",
                        "--nacos.remote.server.rpc.tls.mutualAuthEnable=true",
                        "--nacos.remote.server.rpc.tls.compatibility=false",
                        "--nacos.remote.server.rpc.tls.trustCollectionCertFile=" + FILES.resolve("authority.pem")));
        try (WireClient client = WireClient.connect("127.0.0.1", running.grpcPort(), AUTHORITY.context(READER))
                .setUp()) {
            assertThat(client.request("HealthCheckRequest", "{}")
                            .path("success")
                            .asBoolean())
                    .isTrue();
            try (WireClient plain = WireClient.connect("127.0.0.1", running.grpcPort())) {
                plain.push("ConnectionSetupRequest", "{}");
                assertThat(plain.streamEnd()
                                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .isOk())
                        .isFalse();
            }
            try (WireClient without = WireClient.connect("127.0.0.1", running.grpcPort(), AUTHORITY.context(null))) {
                without.push("ConnectionSetupRequest", "{}");
                assertThat(without.streamEnd()
                                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .isOk())
                        .isFalse();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e);
        } finally {
            running.context().close();
        }
    }
}
