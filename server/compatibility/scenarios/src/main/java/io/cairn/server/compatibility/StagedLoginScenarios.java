package io.cairn.server.compatibility;

import static io.cairn.testing.Patience.PATIENCE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.alibaba.nacos.api.PropertyKeyConst;
import com.alibaba.nacos.api.config.ConfigService;
import com.alibaba.nacos.api.exception.NacosException;
import com.alibaba.nacos.api.naming.NamingService;
import io.cairn.server.process.CairnProcess;
import io.cairn.testing.HangLimit;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server is closed in the steps of the guide's page about logins in stages, while its clients stay. */
@Tag("full")
public abstract class StagedLoginScenarios {
    private static final String GROUP = "DEFAULT_GROUP";
    private static final String ADMIN = "nacos.core.auth.admin.enabled";
    private static final String REHEARSAL = "cairn.auth.rehearsal";
    private static final String SERVICE = "staged-service";
    private static final Pattern ROW = Pattern.compile("\\{\"address\":[^}]*}");
    private static final Pattern TOKEN = Pattern.compile("\"accessToken\":\"([^\"]+)\"");

    @TempDir
    Path home;

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    @HangLimit
    void clientsWithALoginAreServedThroughAllSteps() throws Exception {
        int port;
        CairnProcess first = start(0, Map.of());
        port = first.httpPort();
        String address = first.serverAddress();
        try (NacosClients clients = new NacosClients(address)) {
            ConfigService stranger;
            try (CairnProcess open = first) {
                stranger = clients.open();
                assertServed(stranger, "open");
            }
            ConfigService orders;
            NamingService registry;
            try (CairnProcess step1 = start(port, Map.of(ADMIN, true))) {
                String admin = tokenOf(address, "nacos", password(step1));
                post(address, admin, "/v3/auth/user", "username=orders&password=of-orders");
                post(address, admin, "/v3/auth/role", "role=ORDERS&username=orders");
                post(address, admin, "/v3/auth/permission", "role=ORDERS&resource=public:*:*&action=r");
                Map<String, String> login =
                        Map.of(PropertyKeyConst.USERNAME, "orders", PropertyKeyConst.PASSWORD, "of-orders");
                orders = clients.open(login);
                registry = NamingClients.create(address, login);
                assertServed(stranger, "step 1");
                assertServed(orders, "step 1, with a login");
                registry.registerInstance(SERVICE, "10.0.0.5", 8080);
                awaitMissing(address, admin, "login");
            }
            try (CairnProcess step2 = start(port, Map.of(ADMIN, true, REHEARSAL, true))) {
                String admin = tokenOf(address, "nacos", password(step2));
                assertServed(orders, "step 2");
                awaitMissing(address, admin, "right");
                assertThat(rows(address, admin)).anySatisfy(row -> assertThat(row)
                        .contains("\"user\":\"orders\"", "\"right\":\"w public:*:config/*\""));
                post(address, admin, "/v3/auth/permission", "role=ORDERS&resource=public:*:*&action=rw");
            }
            try (CairnProcess again = start(port, Map.of(ADMIN, true, REHEARSAL, true))) {
                String admin = tokenOf(address, "nacos", password(again));
                assertServed(orders, "step 2, with the right");
                await().untilAsserted(() ->
                        assertThat(registry.getAllInstances(SERVICE, false)).hasSize(1));
                assertServed(stranger, "step 2, without a login");
                awaitMissing(address, admin, "login");
            }
            CairnProcess closed = start(port, Map.of("nacos.core.auth.enabled", true));
            try (closed) {
                assertServed(orders, "step 3");
                await().ignoreExceptions().untilAsserted(() -> assertThat(registry.getAllInstances(SERVICE, false))
                        .hasSize(1));
                assertRefused(stranger);
            } finally {
                registry.shutDown();
            }
        } finally {
            first.close();
        }
    }

    private CairnProcess start(int port, Map<String, Object> settings) throws Exception {
        CairnProcess.Builder builder = CairnProcess.builder().home(home).setting("server.address", "127.0.0.1");
        settings.forEach(builder::setting);
        return (port == 0 ? builder : builder.httpPort(port)).start();
    }

    private static String password(CairnProcess cairn) throws IOException {
        return Files.readString(cairn.home().resolve("data/auth/initial-admin-password"))
                .trim();
    }

    /** The server was away a moment before. */
    private static void assertServed(ConfigService client, String content) {
        await().ignoreExceptions().until(() -> client.publishConfig("staged", GROUP, content));
        await().ignoreExceptions().untilAsserted(() -> assertThat(client.getConfig("staged", GROUP, 30_000))
                .isEqualTo(content));
    }

    private static void assertRefused(ConfigService client) {
        await().untilAsserted(() -> {
            try {
                assertThat(client.publishConfig("staged", GROUP, "refused")).isFalse();
            } catch (NacosException refused) {
                assertThat(refused.getErrCode()).isEqualTo(NacosException.NO_RIGHT);
            }
        });
    }

    /** Waits until the list has rows, and all lack this. */
    private void awaitMissing(String address, String admin, String reason) {
        await().untilAsserted(
                        () -> assertThat(rows(address, admin)).isNotEmpty().allSatisfy(row -> assertThat(row)
                                .contains("\"reason\":\"" + reason + '"')));
    }

    private List<String> rows(String address, String admin) throws IOException, InterruptedException {
        String found = send(address, admin, "GET", "/v3/admin/auth/without-login");
        return ROW.matcher(found).results().map(MatchResult::group).collect(Collectors.toList());
    }

    private void post(String address, String admin, String path, String query)
            throws IOException, InterruptedException {
        send(address, admin, "POST", path + '?' + query);
    }

    private String tokenOf(String address, String username, String password) throws IOException, InterruptedException {
        String answer = send(address, "", "POST", "/v3/auth/user/login?username=" + username + "&password=" + password);
        return TOKEN.matcher(answer).results().findFirst().orElseThrow().group(1);
    }

    private String send(String address, String token, String method, String path)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + address + "/nacos" + path))
                .method(method, BodyPublishers.noBody())
                .timeout(PATIENCE);
        if (!token.isEmpty()) {
            request.header("accessToken", token);
        }
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString(UTF_8));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }
}
