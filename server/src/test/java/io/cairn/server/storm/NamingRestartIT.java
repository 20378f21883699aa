package io.cairn.server.storm;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ChildServer;
import io.cairn.server.support.LongLease;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.xds.DeltaProxy;
import io.cairn.testing.HangLimit;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The server restarts while its clients keep running: consumers reconnect at once, providers a few seconds later. No
 * consumer and no proxy of the mesh ever sees a list without instances that are still registered, and instances of providers that do
 * not reconnect are removed in the end.
 */
@Tag("full")
class NamingRestartIT {

    private static final String SERVICE = "orders";
    private static final String BEATING = "10.8.8.8:8080";

    private static final int PROVIDERS = 24;
    private static final int GONE = 4;
    private static final int PROXIES = 100;
    private static final int MOST_MESSAGES = 3;
    private static final Duration PROVIDERS_COME_BACK_AFTER = Duration.ofSeconds(3);

    @TempDir
    Path home;

    private final List<ServiceClient> clients = new ArrayList<>();
    private final List<DeltaProxy> proxies = new ArrayList<>();
    private final HttpClient http = HttpClient.newHttpClient();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @HangLimit
    void noConsumerSeesAListWithMissingInstances(boolean gracefully) throws Exception {
        List<String> all = new ArrayList<>(
                IntStream.range(0, PROVIDERS).mapToObj(NamingRestartIT::address).toList());
        all.add("10.9.9.9:9999");
        all.add(BEATING);
        all.sort(null);
        List<String> back = all.stream().filter(each -> !lastOctetIsGone(each)).toList();

        ChildServer server = start();
        try {
            ServiceClient first = connect(server);
            first.registerPersistent("stays", "10.9.9.9", 9999);
            for (int i = 0; i < PROVIDERS; i++) {
                connect(server).register(SERVICE, "10.1.1." + i, 8080);
            }
            connect(server).register(SERVICE, "10.9.9.9", 9999);
            assertThat(http(server, "POST", "")).isEqualTo("ok");
            ServiceClient before = connect(server);
            assertThat(before.subscribe(SERVICE)).isEqualTo(all);
            await().until(() -> remembered() == all.size());
            openProxies(server);
            DeltaProxy one = proxies.get(0);
            Map<String, String> clustersBefore = one.clusters();
            Map<String, String> endpointsBefore = one.endpoints();
            assertThat(endpointsBefore).containsOnlyKeys(SERVICE, "stays");

            if (gracefully) {
                assertThat(server.stop()).isIn(0, 143);
            } else {
                server.kill();
            }
            await().until(() -> before.wire().streamEnd().isDone());
            assertThat(before.takePushed())
                    .as("pushes while connections are closed one after the other")
                    .allMatch(all::equals);
            closeClients();
            awaitProxies(DeltaProxy::hasLostServer);

            ChildServer again = start();
            server = again;
            ServiceClient consumer = connect(server);
            assertThat(consumer.subscribe(SERVICE))
                    .as("at once after the restart")
                    .isEqualTo(all);
            assertThat(consumer.query("stays")).containsExactly("10.9.9.9:9999");
            assertThat(http(server, "PUT", "/beat"))
                    .as("one heartbeat after the restart")
                    .contains("\"code\":10200");
            long start = System.nanoTime();
            proxies.forEach(proxy -> proxy.connect(again.grpcPort()));
            while (System.nanoTime() - start < PROVIDERS_COME_BACK_AFTER.toNanos()) {
                assertThat(consumer.query(SERVICE))
                        .as("until the providers have reconnected")
                        .isEqualTo(all);
            }
            for (int i = GONE; i < PROVIDERS; i++) {
                connect(server).register(SERVICE, "10.1.1." + i, 8080);
                assertThat(consumer.query(SERVICE))
                        .as("while the providers reconnect")
                        .isEqualTo(all);
            }
            awaitProxies(DeltaProxy::isAnswered);
            assertThat(proxies).allSatisfy(proxy -> {
                assertThat(proxy.messages()).isLessThanOrEqualTo(MOST_MESSAGES);
                assertThat(proxy.clusters()).isEqualTo(clustersBefore);
                assertThat(proxy.endpoints()).isEqualTo(endpointsBefore);
                assertThat(proxy.repeated()).isEmpty();
            });
            connect(server).register(SERVICE, "10.9.9.9", 9999);

            List<List<String>> pushed = new ArrayList<>();
            await().until(() -> {
                pushed.addAll(consumer.takePushed());
                http(again, "PUT", "/beat");
                return !pushed.isEmpty() && pushed.get(pushed.size() - 1).equals(back);
            });
            assertThat(pushed).as("pushed after the restart").allMatch(list -> list.equals(all) || list.equals(back));
            assertThat(consumer.query(SERVICE)).isEqualTo(back);
            await().until(() -> remembered() == back.size());
            String versionBefore = endpointsBefore.get(SERVICE);
            awaitProxies(proxy -> !versionBefore.equals(proxy.endpoints().get(SERVICE)));
            assertThat(proxies).allSatisfy(proxy -> {
                assertThat(proxy.endpoints()).isEqualTo(one.endpoints());
                assertThat(proxy.removed()).isEmpty();
                assertThat(proxy.messages()).isLessThanOrEqualTo(MOST_MESSAGES + 1);
            });
        } finally {
            closeClients();
            proxies.forEach(DeltaProxy::close);
            server.close();
        }
    }

    @Test
    @HangLimit
    void anInstanceDeregisteredAfterTheRestartIsRemovedAtOnce() throws Exception {
        try (ChildServer server = start()) {
            connect(server).register(SERVICE, "10.1.1.1", 8080);
            connect(server).register(SERVICE, "10.1.1.2", 8080);
            await().until(() -> remembered() == 2);
            server.kill();
            closeClients();
        }

        try (ChildServer server = start()) {
            ServiceClient back = connect(server);
            assertThat(back.query(SERVICE)).containsExactly("10.1.1.1:8080", "10.1.1.2:8080");

            back.deregister(SERVICE, "10.1.1.1", 8080);

            assertThat(back.query(SERVICE)).containsExactly("10.1.1.2:8080");
        } finally {
            closeClients();
        }
    }

    private ChildServer start() {
        return ChildServer.start(
                home,
                "--cairn.naming.recovery-window=" + PATIENCE.dividedBy(3).toSeconds() + "s",
                "--logging.level.io.cairn.server.connection=ERROR");
    }

    private ServiceClient connect(ChildServer server) {
        ServiceClient client = ServiceClient.connect(server.grpcPort());
        clients.add(client);
        return client;
    }

    private void openProxies(ChildServer server) {
        for (int i = 0; i < PROXIES; i++) {
            DeltaProxy proxy = new DeltaProxy("proxy-" + i);
            proxies.add(proxy);
            proxy.connect(server.grpcPort());
        }
        awaitProxies(DeltaProxy::isAnswered);
    }

    private void awaitProxies(Predicate<DeltaProxy> condition) {
        await().pollInterval(Duration.ofMillis(10)).until(() -> {
            proxies.forEach(DeltaProxy::advance);
            return proxies.stream().allMatch(condition);
        });
    }

    private void closeClients() {
        clients.forEach(ServiceClient::close);
        clients.clear();
    }

    /** The requests of the one instance without a connection. */
    private String http(ChildServer server, String method, String path) throws Exception {
        String address = BEATING.replace(":", "&port=");
        URI uri = URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v1/ns/instance" + path
                + "?serviceName=DEFAULT_GROUP@@" + SERVICE + "&ip=" + address + "&"
                + CairnExtension.encode(Map.of("metadata", LongLease.METADATA)));
        HttpRequest request = HttpRequest.newBuilder(uri)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    private static String address(int provider) {
        return "10.1.1." + provider + ":8080";
    }

    private static boolean lastOctetIsGone(String address) {
        return IntStream.range(0, GONE).mapToObj(NamingRestartIT::address).anyMatch(address::equals);
    }

    /** The number of instances stored for the time after a restart. */
    private int remembered() throws SQLException {
        Path file = home.resolve("data/last-known.db");
        if (!Files.exists(file)) {
            return 0;
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT instances FROM last_known WHERE service_name = '" + SERVICE + "'")) {
            TreeSet<String> addresses = new TreeSet<>();
            while (rows.next()) {
                String json = rows.getString(1);
                for (int at = json.indexOf("\"ip\""); at >= 0; at = json.indexOf("\"ip\"", at + 1)) {
                    addresses.add(json.substring(at, json.indexOf(',', at)));
                }
            }
            return addresses.size();
        }
    }
}
