package io.cairn.server.tls;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.cairn.server.limit.Limit;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import io.cairn.server.testing.TestAuthority;
import io.cairn.server.tls.ServerTls.Port;
import io.cairn.server.tls.TlsSettings.PemFile;
import io.cairn.server.tls.TlsSettings.PlainText;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Plain text for this machine alone ({@code cairn.tls.plain-text=local}), on both ports. */
class PlainTextIT {

    private static final TestAuthority AUTHORITY = new TestAuthority("ours");
    private static final Path FILES = files();

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("cairn.tls.certificate", FILES.resolve("server.pem").toString())
            .with("cairn.tls.private-key", FILES.resolve("server.key").toString())
            .with("cairn.tls.plain-text", "local");

    private static Path files() {
        try {
            Path folder = Files.createTempDirectory(
                    "cairn-plain-" + ProcessHandle.current().pid() + '-');
            AUTHORITY.server().write(folder.resolve("server.pem"), folder.resolve("server.key"));
            return folder;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpResponse<String> state(HttpClient client, String scheme, String host) throws Exception {
        URI uri = URI.create(scheme + "://" + host + ':' + cairn.httpPort() + "/nacos/v1/console/server/state");
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void overLoopbackBothAreSpoken() throws Exception {
        assertThat(state(HttpClient.newHttpClient(), "http", "127.0.0.1").statusCode())
                .isEqualTo(200);
        HttpClient encrypted =
                HttpClient.newBuilder().sslContext(AUTHORITY.context(null)).build();
        assertThat(state(encrypted, "https", "127.0.0.1").statusCode()).isEqualTo(200);
        try (WireClient plain =
                        WireClient.connect("127.0.0.1", cairn.grpcPort()).setUp();
                WireClient tls = WireClient.connect("127.0.0.1", cairn.grpcPort(), AUTHORITY.context(null))
                        .setUp()) {
            for (WireClient client : List.of(plain, tls)) {
                assertThat(client.request("HealthCheckRequest", "{}")
                                .path("success")
                                .asBoolean())
                        .isTrue();
            }
        }
    }

    @Test
    void overTheNetworkPlainTextIsRefusedOnBothPorts() throws Exception {
        Optional<InetAddress> own = NetworkInterface.networkInterfaces()
                .filter(PlainTextIT::isUp)
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && address.getAddress().length == 4)
                .findFirst();
        assumeTrue(own.isPresent(), "this machine has loopback only");
        String host = own.orElseThrow().getHostAddress();

        HttpResponse<String> refused = state(HttpClient.newHttpClient(), "http", host);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("HTTPS", "cairn.tls.plain-text");
        try (WireClient plain = WireClient.connect(host, cairn.grpcPort())) {
            plain.push("ConnectionSetupRequest", "{}");
            assertThat(plain.streamEnd()
                            .get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                            .isOk())
                    .isFalse();
        }
    }

    private static boolean isUp(NetworkInterface network) {
        try {
            return network.isUp();
        } catch (SocketException e) {
            return false;
        }
    }

    @Test
    void onlyLoopbackAddressesAreThisMachine() throws Exception {
        PemFile certificate = new PemFile("certificate", FILES.resolve("server.pem"));
        PemFile key = new PemFile("key", FILES.resolve("server.key"));
        ServerTls tls = new ServerTls(
                new TlsSettings(
                        certificate,
                        key,
                        null,
                        null,
                        TlsSettings.ClientAuthentication.NONE,
                        new TlsSettings.ClientNames(TlsSettings.ClientIdentity.NONE, Pattern.compile("(.+)")),
                        List.of("TLSv1.3"),
                        List.of(),
                        PlainText.LOCAL,
                        PlainText.LOCAL),
                List.of("http/1.1"),
                new Limit("head-seconds", "a setting", 15),
                Clock.systemUTC());

        for (Port port : Port.values()) {
            for (String local : List.of("127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1")) {
                assertThat(tls.mayBePlain(from(local), port)).as(local).isTrue();
            }
            for (String other : List.of("10.0.0.1", "192.0.2.1", "128.0.0.1", "::ffff:10.0.0.1", "fe80::1", "::2")) {
                assertThat(tls.mayBePlain(from(other), port)).as(other).isFalse();
            }
        }
    }

    private static EmbeddedChannel from(String address) throws Exception {
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getByName(address), 50_000);
        return new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return remote;
            }
        };
    }
}
