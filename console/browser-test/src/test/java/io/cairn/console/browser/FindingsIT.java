package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.CairnServer;
import io.cairn.server.naming.health.FirstCheck;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.ServiceClient;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The texts of the console about refused heartbeats, lost and unhealthy instances, refused writes and proxies that do not fit. */
@Tag("full")
class FindingsIT {

    private static final String LOST_SOON =
            "{\"preserved.heart.beat.interval\":\"1000\",\"preserved.heart.beat.timeout\":\"2000\",\"preserved.ip.delete.timeout\":\"3000\"}";
    private static final String UNHEALTHY_SOON =
            "{\"preserved.heart.beat.interval\":\"1000\",\"preserved.heart.beat.timeout\":\"2000\",\"preserved.ip.delete.timeout\":\"3600000\"}";
    private static final String A_TIME = "\\d+ [A-Z][a-z]+ \\d{4}, \\d\\d:\\d\\d:\\d\\d";

    @RegisterExtension
    static final InspectableServer known = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final CairnExtension open = CairnExtension.temporary()
            .timed(timings ->
                    timings.withFirstHealthCheck(new FirstCheck(Duration.ofMillis(100), Duration.ofMillis(200))));

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final Accounts accounts = new Accounts(known);

    @BeforeAll
    static void fill() {
        accounts.renewAdmin();
    }

    /** Checks the page and takes pictures of it, on a desktop and on a telephone, in English and in Chinese. */
    private static void look(Page page, String name, Locator english, Locator chinese) {
        assertThat(english).isVisible();
        Screenshots.take(page, name);
        Accessibility.check(page);
        narrow(page, name);
        speak(page, "简体中文");
        assertThat(chinese).isVisible();
        Screenshots.take(page, name + "-chinese");
        narrow(page, name + "-chinese");
        speak(page, "English");
        assertThat(english).isVisible();
    }

    private static void narrow(Page page, String name) {
        page.setViewportSize(Narrow.WIDTH, Narrow.HEIGHT);
        Narrow.check(page, name);
        // In one look: a finding may end at any time.
        Object covered = page.locator("li > .dot:has(+ .grow)")
                .evaluateAll(
                        "dots => dots.filter(dot => dot.getBoundingClientRect().right"
                                + " > dot.nextElementSibling.getBoundingClientRect().left).map(dot => dot.parentElement.innerText)");
        assertThat((List<?>) covered)
                .as("findings whose text does not begin beside the dot")
                .isEmpty();
        page.setViewportSize(1280, 800);
    }

    private static void speak(Page page, String language) {
        page.getByLabel(Pattern.compile("^(Language|语言)$")).click();
        page.getByRole(AriaRole.MENUITEM)
                .filter(new Locator.FilterOptions().setHasText(language))
                .click();
    }

    private static Locator finding(Page page, String text) {
        return page.getByRole(AriaRole.LISTITEM).filter(new Locator.FilterOptions().setHasText(text));
    }

    private static Locator row(Page page, String address) {
        return page.locator("tr.ant-table-row").filter(new Locator.FilterOptions().setHasText(address));
    }

    /** The line below the row of an unhealthy instance; a row that was there before remains hidden. */
    private static Locator facts(Page page) {
        return page.locator("tr.ant-table-expanded-row:visible");
    }

    private static Locator lost(Page page) {
        return page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Timeline"))
                .getByRole(AriaRole.LISTITEM);
    }

    private static String service(String name) {
        return "services/one?ns=public&group=DEFAULT_GROUP&service=" + name;
    }

    private static HttpResponse<String> send(
            String method, String address, Map<String, String> query, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(query.isEmpty() ? address : address + '?' + CairnExtension.encode(query)))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return open.send(request);
    }

    /** Sends heartbeats over HTTP as the SDK of an application does. */
    private static int instance(String token, String method, String path, String service, String ip) {
        return send(
                        method,
                        accounts.address(path),
                        Map.of(
                                "serviceName",
                                service,
                                "ip",
                                ip,
                                "port",
                                "8080",
                                "metadata",
                                LOST_SOON,
                                "accessToken",
                                token))
                .statusCode();
    }

    @Test
    void reportsRefusedHeartbeatsWithTheirUserAndTheLostInstances() {
        accounts.user("shop-app", "rw public:*:naming/*");
        accounts.user("looker", "r public:*:naming/*");
        String token = accounts.token("shop-app", "pw-of-shop-app");
        String[][] all = {{"orders", "10.3.0.1"}, {"orders", "10.3.0.2"}, {"stock", "10.3.0.3"}};
        // At once: losses of a service within a second are one.
        assertThat(Stream.of(all)
                        .parallel()
                        .map(each -> instance(token, "POST", "/v1/ns/instance", each[0], each[1]))
                        .toList())
                .containsOnly(200);
        accounts.asAdmin("PUT", "/v3/auth/user", "username", "shop-app", "newPassword", "pw-of-later");
        for (String[] each : all) {
            assertThat(instance(token, "PUT", "/v1/ns/instance/beat", each[0], each[1]))
                    .isEqualTo(403);
        }

        Page page = accounts.signedIn(console.visitor(), "overview", "nacos");
        Locator finding = finding(page, "Heartbeats have been refused");
        assertThat(finding)
                .hasText(Pattern.compile("^shop-app Heartbeats have been refused since " + A_TIME
                        + " \\(token invalid!\\): 3 instances of 2 services\\. Instances without heartbeats are removed;"
                        + " give these clients valid credentials\\.$"));
        assertThat(finding.locator(".dot.bad")).hasCount(1);
        look(page, "finding-beats", finding, finding(page, "起心跳被拒绝（token invalid!）：涉及 2 个服务的 3 个实例。"));
        finding.getByRole(AriaRole.LINK).click();
        assertThat(page).hasURL(Pattern.compile("/ui/users"));

        page.navigate(accounts.address("/ui/" + service("orders")));
        assertThat(lost(page))
                .hasText(Pattern.compile(
                        "^" + A_TIME + ": 2 instances, heartbeats missing \\(10\\.3\\.0\\.[12]:8080 and others\\)$"));
        look(page, "service-losses", lost(page), page.getByText(Pattern.compile("2 个实例，心跳缺失（10\\.3\\.0\\.")));

        // A user that may read the service may read why its instances are gone; findings of the server are for
        // administrators.
        Page reader = accounts.signedIn(console.visitor(), service("orders"), "looker");
        assertThat(lost(reader)).containsText("2 instances, heartbeats missing");
        Screenshots.take(reader, "service-losses-reader");
        reader.navigate(accounts.address("/ui/overview"));
        assertThat(reader.getByText("The server is ready and serves requests.")).isVisible();
        assertThat(finding(reader, "Heartbeats have been refused")).hasCount(0);

        String again = accounts.token("shop-app", "pw-of-later");
        for (String[] each : all) {
            assertThat(instance(again, "POST", "/v1/ns/instance", each[0], each[1]))
                    .isEqualTo(200);
        }
        page.navigate(accounts.address("/ui/overview"));
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        assertThat(finding).hasCount(0);
    }

    @Test
    void eachLossHasItsCauseTheLatestFirst() {
        for (int i = 1; i <= 4; i++) {
            try (ServiceClient client = ServiceClient.connect(open.server().grpcPort())) {
                client.register("causes", "10.4.0." + i, 8080);
                if (i > 2) {
                    client.deregister("causes", "10.4.0." + i, 8080);
                }
            }
            awaitLosses("causes", i);
        }
        Page page = console.visitor();
        page.navigate(open.uri("/ui/" + service("causes")).toString());
        assertThat(lost(page)).hasCount(3);
        assertThat(lost(page).first()).containsText("1 instance, deregistered by its client (10.4.0.4:8080)");
        assertThat(lost(page).last()).containsText("1 instance, connection closed (10.4.0.2:8080)");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Show 1 earlier"))
                .click();
        assertThat(lost(page)).hasCount(4);
        assertThat(lost(page).last()).containsText("10.4.0.1:8080");
        look(page, "service-causes", lost(page).last(), page.getByText(Pattern.compile("1 个实例，连接关闭（10\\.4\\.0\\.1")));
    }

    /** Losses within a second are one. */
    private static void awaitLosses(String service, int count) {
        await().untilAsserted(() -> assertThat(open.get("/v3/admin/ns/service?serviceName=" + service)
                        .body()
                        .split("\"cause\"", -1))
                .hasSize(count + 1));
    }

    @Test
    void anInstanceWithoutHeartbeatsShowsTheTime() {
        assertThat(send(
                                "POST",
                                open.uri("/v1/ns/instance").toString(),
                                Map.of(
                                        "serviceName",
                                        "silent",
                                        "ip",
                                        "10.5.0.1",
                                        "port",
                                        "8080",
                                        "metadata",
                                        UNHEALTHY_SOON))
                        .statusCode())
                .isEqualTo(200);
        Page page = console.visitor();
        page.navigate(open.uri("/ui/" + service("silent")).toString());
        assertThat(facts(page))
                .hasText(
                        Pattern.compile("^heartbeats missing · since " + A_TIME + " · last heartbeat " + A_TIME + "$"));
        assertThat(row(page, "10.5.0.1:8080")).containsText("Unhealthy");
        assertThat(page.getByLabel("Deregister 10.5.0.1:8080"))
                .isInViewport(new LocatorAssertions.IsInViewportOptions().setRatio(1));
        look(
                page,
                "unhealthy-beats",
                facts(page),
                facts(page).filter(new Locator.FilterOptions().setHasText("心跳缺失 · 自 ")));
        page.setViewportSize(Narrow.WIDTH, Narrow.HEIGHT);
        assertThat(facts(page)).hasCount(0);
        assertThat(row(page, "10.5.0.1:8080"))
                .containsText(Pattern.compile(
                        "10\\.5\\.0\\.1:8080Unhealthyheartbeats missingsince " + A_TIME + "last heartbeat " + A_TIME));
    }

    @Test
    void aFailedHealthCheckIsShownWithItsResult() throws IOException {
        try (Socket taken = new Socket()) {
            // Its port is nobody else's, and nobody listens there.
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            showFailedHealthCheck(taken.getLocalPort());
        }
    }

    private static void showFailedHealthCheck(int closed) {
        String address = "127.0.0.1:" + closed;
        assertThat(open.post(
                                "/v3/admin/ns/instance",
                                Map.of(
                                        "serviceName",
                                        "checked",
                                        "ip",
                                        "127.0.0.1",
                                        "port",
                                        Integer.toString(closed),
                                        "ephemeral",
                                        "false"))
                        .statusCode())
                .isEqualTo(200);
        Page page = console.visitor();
        page.navigate(open.uri("/ui/" + service("checked")).toString());
        assertThat(facts(page))
                .hasText(Pattern.compile("^TCP " + address + ": connection refused · since " + A_TIME + " · last check "
                        + A_TIME + "$"));
        assertThat(row(page, address)).containsText("Unhealthy");
        look(page, "unhealthy-check", facts(page), facts(page).filter(new Locator.FilterOptions().setHasText("最近检查")));
    }

    @Test
    void anInstanceSetUnhealthyByAnOperatorShowsIt() {
        Map<String, String> instance = Map.of("serviceName", "by-hand", "ip", "10.5.0.3", "port", "8080");
        Map<String, String> persistent = new LinkedHashMap<>(instance);
        persistent.put("ephemeral", "false");
        assertThat(open.post("/v3/admin/ns/instance", persistent).statusCode()).isEqualTo(200);
        String api = open.uri("/v1/ns/").toString();
        assertThat(send(
                                "PUT",
                                api + "cluster",
                                Map.of(
                                        "serviceName",
                                        "by-hand",
                                        "clusterName",
                                        "DEFAULT",
                                        "checkPort",
                                        "80",
                                        "useInstancePort4Check",
                                        "true",
                                        "healthChecker",
                                        "{\"type\":\"NONE\"}"))
                        .statusCode())
                .isEqualTo(200);
        Map<String, String> ill = new LinkedHashMap<>(instance);
        ill.put("healthy", "false");
        assertThat(send("PUT", api + "health", ill).statusCode()).isEqualTo(200);
        Page page = console.visitor();
        page.navigate(open.uri("/ui/" + service("by-hand")).toString());
        // A check that was under way when checks were switched off adds its result.
        assertThat(facts(page))
                .hasText(Pattern.compile("^set by an operator · since " + A_TIME + "( · last check .*)?$"));
        assertThat(send(
                                "PUT",
                                api + "health",
                                Map.of("serviceName", "by-hand", "ip", "10.5.0.3", "port", "8080", "healthy", "true"))
                        .statusCode())
                .isEqualTo(200);
        assertThat(row(page, "10.5.0.3:8080")).containsText("Healthy");
        assertThat(facts(page)).hasCount(0);
    }

    @Test
    void aHostThatIsRefusedAndAPathOfAProxyAreNamed() throws IOException {
        assertThat(statusFor(
                        "GET /nacos/v1/cs/configs?dataId=d&group=g HTTP/1.1\r\nHost: registry.example.org:8848\r\n"))
                .isEqualTo(403);
        assertThat(statusFor("GET /registry/ui/ HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n"
                        + "X-Forwarded-For: 10.0.0.9\r\n"))
                .isEqualTo(404);

        Page page = console.visitor();
        page.navigate(open.uri("/ui/overview").toString());
        Locator host = finding(page, "registry.example.org:8848");
        assertThat(host)
                .hasText(
                        Pattern.compile("^registry\\.example\\.org:8848 Requests refused for the host or site that they"
                                + " name: 1\\. Host 'registry\\.example\\.org:8848' is not a trusted host name, and this request needs no login.*"
                                + "cairn\\.auth\\.trusted-hosts\\)$"));
        assertThat(finding(page, "/registry/ui/"))
                .hasText(
                        "/registry/ui/ Requests of a proxy for a path that does not exist: 1. Cairn answers below /nacos/"
                                + " (expected: a proxy that passes on to /nacos/, such as proxy_pass http://…/nacos/ of nginx)");
        assertThat(host.locator(".dot.warn")).hasCount(1);
        look(page, "finding-proxy", host, finding(page, "代理请求了不存在的路径：1 次。"));
    }

    private static int statusFor(String head) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), open.server().httpPort())) {
            socket.getOutputStream().write((head + "Connection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Integer.parseInt(answer.split(" ", 3)[1]);
        }
    }

    @Test
    void reportsRefusedWritesWithTheirCauseUntilTheyAreAcceptedAgain(@TempDir Path home) throws Exception {
        try (CairnServer server = CairnServer.builder()
                        .home(home)
                        .setting("server.port", "0")
                        .start();
                Connection other = DriverManager.getConnection("jdbc:sqlite:" + home.resolve("data/cairn.db"));
                Statement statement = other.createStatement()) {
            String address = "http://127.0.0.1:" + server.httpPort() + "/nacos";
            statement.execute("BEGIN IMMEDIATE");
            Map<String, String> write = Map.of("dataId", "a.yaml", "group", "G", "content", "a: 1");
            assertThat(send("POST", address + "/v1/cs/configs", write).statusCode())
                    .isEqualTo(503);

            Page page = console.visitor();
            page.navigate(address + "/ui/overview");
            Locator finding = finding(page, "It refuses writes");
            assertThat(finding)
                    .hasText(Pattern.compile("^Database It refuses writes: everything can be read\\."
                            + " The database cannot be written: another process holds the database file.*"));
            assertThat(finding.locator(".dot.bad")).hasCount(1);
            look(page, "finding-writes", finding, finding(page, "拒绝写入：可以读取。"));

            statement.execute("ROLLBACK");
            assertThat(finding).hasCount(0);
        }
    }

    @Test
    void countsInstancesThatDidNotReturnAfterARestart(@TempDir Path home) {
        CairnServer.Builder settings = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("cairn.naming.recovery-window", "200ms")
                .setting("cairn.shutdown.drain", "0s");
        CairnServer before = settings.start();
        ServiceClient client = ServiceClient.connect(before.grpcPort());
        try {
            client.register("away", "10.6.0.1", 8080);
            client.register("away-too", "10.6.0.2", 8080);
        } finally {
            before.close();
            client.close();
        }
        try (CairnServer after = settings.start()) {
            String address = "http://127.0.0.1:" + after.httpPort() + "/nacos";
            Page page = console.visitor();
            page.navigate(address + "/ui/overview");
            Locator findings = finding(page, "did not come back");
            assertThat(findings).hasCount(2);
            Locator ofAway = findings.first();
            assertThat(ofAway).hasText("away 1 instance known before the restart did not come back.");
            look(
                    page,
                    "finding-not-back",
                    ofAway,
                    finding(page, "重启前已知的 1 个实例没有恢复。").first());
            page.navigate(address + "/ui/" + service("away"));
            assertThat(lost(page)).containsText("1 instance, not back after the restart (10.6.0.1:8080)");

            try (ServiceClient back = ServiceClient.connect(after.grpcPort())) {
                back.register("away", "10.6.0.1", 8080);
                page.navigate(address + "/ui/overview");
                assertThat(findings).hasCount(1);
                assertThat(findings).containsText("away-too");
            }
        }
    }

    @Test
    void aDeletedServiceShowsItsLastLostInstances(@TempDir Path home) {
        try (CairnServer server = CairnServer.builder()
                .home(home)
                .setting("server.port", "0")
                .setting("nacos.naming.clean.empty-service.expired-time", "1500")
                .start()) {
            try (ServiceClient client = ServiceClient.connect(server.grpcPort())) {
                client.register("gone", "10.7.0.1", 8080);
            }
            Page page = console.visitor();
            page.navigate("http://127.0.0.1:" + server.httpPort() + "/nacos/ui/" + service("gone"));
            Locator said = page.getByRole(AriaRole.ALERT);
            assertThat(said)
                    .containsText(Pattern.compile("There is no such service in this namespace\\..*"
                            + "It last lost 1 instance, at " + A_TIME + ": connection closed"));
            look(page, "service-gone", said, page.getByText(Pattern.compile("最近一次丢失 1 个实例（.*）：连接关闭")));
        }
    }
}
