package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.CairnServer;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import io.cairn.testing.ReservedPorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Views that update on events: with the event stream, without it, and across a restart of the server. */
@Tag("full")
class LiveIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static void awaitStream(Page page) {
        assertThat(page.locator("html[data-live=on]")).hasCount(1);
    }

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static void publish(String dataId, String content) {
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP", "content", content))
                        .statusCode())
                .isEqualTo(200);
    }

    private static void register(String service, String ip) {
        assertThat(cairn.post("/v3/admin/ns/instance", Map.of("serviceName", service, "ip", ip, "port", "8080"))
                        .statusCode())
                .isEqualTo(200);
    }

    private static String digest(String content) {
        return ContentDigest.of(content).toString();
    }

    @Test
    void showsNewInstancesWithoutPolling() {
        register("streamed", "10.1.0.1");
        Page page = open("services/one?ns=public&group=DEFAULT_GROUP&service=streamed");
        assertThat(page.getByText("10.1.0.1:8080").first()).isVisible();
        awaitStream(page);
        AtomicInteger asked = new AtomicInteger();
        page.onRequest(request -> {
            if (request.url().contains("/v3/console/ns/instance/list")) {
                asked.incrementAndGet();
            }
        });
        for (int i = 2; i <= 4; i++) {
            register("streamed", "10.1.0." + i);
            assertThat(page.getByText("10.1.0." + i + ":8080").first()).isVisible();
        }
        register("something-else", "10.1.1.1");
        // A request from before the counting may have returned the first instances already.
        assertThat(asked.get())
                .as("one request for each change, and a few more")
                .isBetween(2, 12);
    }

    @Test
    void countsListenersThatHaveTheVersion() {
        publish("arriving.yaml", "a: 1");
        try (WireClient quick = cairn.newClient();
                WireClient slow = cairn.newClient()) {
            quick.listen("arriving.yaml", digest("a: 1"));
            slow.listen("arriving.yaml", digest("a: 1"));
            Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=arriving.yaml&tab=listeners");
            // Both connections come from one address; the page still lists each.
            assertThat(page.getByText("2 of 2 have the stored version")).isVisible();
            awaitStream(page);
            publish("arriving.yaml", "a: 2");
            assertThat(page.getByText("0 of 2 have the stored version")).isVisible();
            quick.listen("arriving.yaml", digest("a: 2"));
            assertThat(page.getByText("1 of 2 have the stored version")).isVisible();
            Screenshots.take(page, "config-listeners");
            Accessibility.check(page);
            slow.listen("arriving.yaml", digest("a: 2"));
            assertThat(page.getByText("2 of 2 have the stored version")).isVisible();
        }
    }

    @Test
    void countsLongPollingClients() throws Exception {
        publish("polled.yaml", "a: 1");
        Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=polled.yaml&tab=listeners");
        assertThat(page.getByText("No client listens to this configuration")).isVisible();
        awaitStream(page);
        AtomicInteger asked = new AtomicInteger();
        page.onRequest(request -> {
            if (request.url().contains("/config/watchers")) {
                asked.incrementAndGet();
            }
        });
        CompletableFuture<HttpResponse<String>> poll = cairn.http()
                .sendAsync(
                        HttpRequest.newBuilder(cairn.uri("/v1/cs/configs/listener"))
                                .header("Content-Type", "application/x-www-form-urlencoded")
                                .header("Long-Pulling-Timeout", "120000")
                                .POST(HttpRequest.BodyPublishers.ofString(CairnExtension.encode(Map.of(
                                        "Listening-Configs",
                                        "polled.yaml\u0002DEFAULT_GROUP\u0002" + digest("a: 1") + '\u0001'))))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(page.getByText("1 of 1 have the stored version")).isVisible();
        assertThat(asked.get()).as("requests of the page, which gets events").isLessThan(5);
        publish("polled.yaml", "a: 2");
        assertThat(poll.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).body()).contains("polled.yaml");
        assertThat(page.getByText("No client listens to this configuration")).isVisible();
    }

    @Test
    void listsConnectionsAndTheirWatches() {
        publish("connected.yaml", "a: 1");
        Page page = open("connections");
        awaitStream(page);
        assertThat(page.getByText("No client is connected")).isVisible();
        try (WireClient client = cairn.newClient()) {
            client.listen("connected.yaml", digest("a: 1"));
            assertThat(page.getByText("1 client is connected")).isVisible();
            page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Expand row"))
                    .click();
            assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("connected.yaml")))
                    .isVisible();
            Screenshots.take(page, "connections");
            Accessibility.check(page);
            page.getByText("Disconnect", new Page.GetByTextOptions().setExact(true))
                    .click();
            assertThat(page.getByRole(AriaRole.DIALOG)).containsText("This does not block the client");
            page.getByLabel("To this server").fill("10.77.0.1:8848");
            Screenshots.take(page, "connection-disconnect");
            page.getByRole(AriaRole.DIALOG)
                    .getByText("Ask it to reconnect", new Locator.GetByTextOptions().setExact(true))
                    .click();
            Toasts.await(page, "Asked to reconnect");
            Awaitility.await().until(() -> client.pushes().stream()
                    .anyMatch(push -> push.type().equals("ConnectResetRequest")
                            && WireClient.tree(push).toString().contains("10.77.0.1")));
        }
        assertThat(page.getByText("No client is connected")).isVisible();
        page.navigate(cairn.uri("/ui/settings").toString());
        assertThat(page.getByText("Times exceeded")).isVisible();
        Screenshots.take(page, "limits");
        Accessibility.check(page);
    }

    /** A client behind a proxy or in a container may send another address than the source address of its connection. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "10.20.30.40"})
    void showsTheSameAddressOfAClientOnEveryPage(String clientIp) {
        String dataId = "addressed-" + clientIp;
        publish(dataId, "a: 1");
        try (WireClient client = cairn.newTransport().setUp(clientIp)) {
            client.listen(dataId, digest("a: 1"));
            Page page = open("connections");
            Locator rows = page.locator("tbody tr.ant-table-row");
            Locator connected = rows.filter(new Locator.FilterOptions().setHasText(clientIp));
            assertThat(connected).hasCount(1);
            String address = connected.locator("td").nth(1).innerText();
            assertThat(address)
                    .matches(
                            clientIp.equals("127.0.0.1")
                                    ? "127\\.0\\.0\\.1:\\d+"
                                    : "10\\.20\\.30\\.40 \\(127\\.0\\.0\\.1:\\d+\\)");
            page.getByLabel("Search connections").fill(address);
            assertThat(rows).hasCount(1);
            Screenshots.take(page, "connections-" + clientIp);

            for (String tab : new String[] {"listeners", "beta"}) {
                page.navigate(
                        cairn.uri("/ui/configs/one?ns=public&group=DEFAULT_GROUP&dataId=" + dataId + "&tab=" + tab)
                                .toString());
                if (tab.equals("beta")) {
                    page.getByLabel("Addresses of the beta clients").last().fill(clientIp);
                    page.keyboard().press("Enter");
                }
                assertThat(rows.locator("td").first()).hasText(address);
            }
            page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Listeners"))
                    .click();
            Locator listeners = page.getByRole(AriaRole.TABPANEL, new Page.GetByRoleOptions().setName("Listeners"))
                    .locator("tbody tr.ant-table-row");
            page.getByLabel("Search by address").fill(address);
            assertThat(listeners).hasCount(1);
            Screenshots.take(page, "listeners-" + clientIp);
            page.getByLabel("Search by address").fill("10.99.99.99");
            assertThat(listeners).hasCount(0);
        }
    }

    @Test
    void pollsWhenTheEventStreamIsRefused() {
        register("polled", "10.2.0.1");
        Page page = console.visitor();
        page.route("**/v3/admin/core/events**", route -> route.fulfill(new Route.FulfillOptions().setStatus(503)));
        page.navigate(cairn.uri("/ui/services/one?ns=public&group=DEFAULT_GROUP&service=polled")
                .toString());
        assertThat(page.getByText("10.2.0.1:8080").first()).isVisible();
        assertThat(page.locator("html[data-live=off]")).hasCount(1);
        register("polled", "10.2.0.2");
        assertThat(page.getByText("10.2.0.2:8080").first()).isVisible();
    }

    @Test
    void reconnectsAfterARestartOfTheServer(@TempDir Path home) throws Exception {
        int port = ReservedPorts.ofServer();
        CairnServer first = CairnServer.builder()
                .home(home)
                .setting("server.port", Integer.toString(port))
                .start();
        Page page;
        try {
            page = console.visitor();
            page.navigate("http://127.0.0.1:" + port + "/nacos/ui/overview");
            assertThat(page.getByText("The server is ready and serves requests."))
                    .isVisible();
            awaitStream(page);
        } finally {
            first.close();
        }
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("The server cannot be reached");
        assertThat(page.getByText("The server does not answer")).isVisible();
        assertThat(page.getByRole(AriaRole.STATUS).locator(".dot.good")).hasCount(0); // the state is unknown
        Screenshots.take(page, "server-away");
        try (CairnServer second = CairnServer.builder()
                .home(home)
                .setting("server.port", Integer.toString(port))
                .start()) {
            assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
            awaitStream(page);
            HttpResponse<String> published = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://" + second.address()
                                            + "/nacos/v1/cs/configs?dataId=after-restart.yaml&group=G&content=a"))
                                    .POST(HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(published.statusCode()).isEqualTo(200);
            assertThat(page.getByText("after-restart.yaml")).isVisible();
        }
    }
}
