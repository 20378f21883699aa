package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.WireClient;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The overview: problems, and how quickly changes arrive. */
@Tag("full")
class OverviewIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary()
            .with("cairn.limits.watches-per-connection", "1")
            .with("isCapacityLimitCheck", "true")
            .with("defaultTenantQuota", "3");

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    /** The instances belong to a connection, so their state does not change during the test. */
    private static void register(ServiceClient client, String service, String ip, boolean healthy) {
        String instance = ServiceClient.instance(ip, 8080, Map.of());
        client.registerAll(service, List.of(healthy ? instance : instance.replaceFirst("\\{", "{\"healthy\":false,")));
    }

    @Test
    void describesFindingsAndLinksToTheirSolution() {
        try (ServiceClient registered = ServiceClient.connect(cairn.server().grpcPort())) {
            for (int i = 10; i < 20; i++) {
                register(registered, "dark-" + i, "10.1.0." + i, false);
            }
            register(registered, "well", "10.1.0.1", true);
            walk();
        }
    }

    private static void walk() {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/overview").toString());
        assertThat(page.getByText("0 of 1 healthy")).hasCount(8);
        assertThat(page.getByText("2 more services without a healthy instance")).isVisible();
        assertThat(page.getByText("Needs attention: 1")).isVisible();
        try (WireClient client = cairn.newClient()) {
            client.publish("pushed.yaml", "a: 1");
            client.listen("pushed.yaml", ContentDigest.of("a: 1").toString());
            client.publish("pushed.yaml", "a: 2");
            client.nextPush();
            assertThat(page.getByText("1 of 1 used (cairn.limits.watches-per-connection)"))
                    .isVisible();
            assertThat(page.getByText("pushed.yaml").first()).isVisible();
            assertThat(page.getByText("on average")).isVisible();
            assertThat(page.getByRole(
                            AriaRole.IMG,
                            new Page.GetByRoleOptions().setName(Pattern.compile("Configurations: 99 % within"))))
                    .isVisible();
            assertThat(page.getByText("1 of 1 listeners do not have the stored version"))
                    .isVisible();
            Screenshots.take(page, "overview");
            Accessibility.check(page);
        }
        page.getByText("2 more services without a healthy instance").click();
        assertThat(page).hasURL(Pattern.compile("health=down"));
        assertThat(page.getByText("10 in public")).isVisible();
        page.goBack();
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("dark-10"))
                .click();
        assertThat(page.getByText("10.1.0.10:8080").first()).isVisible();
    }

    @Test
    void countsWhatIsInTheNamespaceApartFromTheWholeServer() {
        cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", "counted", "namespaceName", "Counted"));
        for (int i = 0; i < 2; i++) {
            cairn.post(
                    "/v3/admin/cs/config",
                    Map.of("namespaceId", "counted", "groupName", "G", "dataId", "c" + i, "content", "x"));
        }
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of(
                        "namespaceId",
                        "counted",
                        "serviceName",
                        "s",
                        "ip",
                        "10.0.0.1",
                        "port",
                        "80",
                        "ephemeral",
                        "false"));
        Page page = console.visitor();

        page.navigate(cairn.uri("/ui/overview?ns=counted").toString());

        Locator scope = page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("In Counted"));
        assertThat(scope.getByRole(AriaRole.LINK)).hasText(new String[] {"2Configurations", "1Services"});
        assertThat(page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("All namespaces"))
                        .getByRole(AriaRole.LINK))
                .hasText(new Pattern[] {
                    Pattern.compile("2Namespaces"),
                    Pattern.compile("\\d+Instances"),
                    Pattern.compile("\\d+Subscriptions"),
                    Pattern.compile("\\d+Connections")
                });
        assertThat(page.getByText("The server, and what is in Counted")).isVisible();
        Screenshots.take(page, "overview-scopes");
        Accessibility.check(page);
    }

    @Test
    void showsAnUnavailableDatabaseFirstWithItsReason() {
        Page page = console.visitor();
        // The database file of this server stays available, so the test replaces the response with that of a failed
        // database.
        page.route(
                "**/v3/admin/core/attention**",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("""
                                {"code":0,"message":"success","data":[{"kind":"DATABASE_AWAY","urgent":true,
                                 "subject":"database","groupName":"","detail":"The database cannot be written: refused",
                                 "used":0,"max":0}]}""")));
        page.navigate(cairn.uri("/ui/overview").toString());
        Locator first = page.getByRole(AriaRole.LISTITEM)
                .filter(new Locator.FilterOptions().setHasText("It is unavailable"))
                .first();
        assertThat(first)
                .hasText("Database It is unavailable: everything can be read, nothing can be written."
                        + " The database cannot be written: refused");
        assertThat(page.getByRole(AriaRole.STATUS).filter(new Locator.FilterOptions().setHasText("Needs attention:")))
                .isVisible();
        Screenshots.take(page, "overview-database-away");
        Accessibility.check(page);
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        Locator inChinese = page.getByText("不可用：可以读取，不能写入。");
        assertThat(inChinese).isVisible();
        page.unroute("**/v3/admin/core/attention**");
        comeBack(page);
        assertThat(inChinese).hasCount(0);
    }

    /** The answers of a cluster are put in the place of those of this single server; ClusterIT has the answers of nodes. */
    @Test
    void showsFindingsAndPushesOfAllNodesAndNamesTheNodesThatDidNotAnswer() {
        Page page = console.visitor();
        String limit = "\"kind\":\"LIMIT_NEAR\",\"urgent\":false,\"subject\":\"connections\",\"groupName\":\"\","
                + "\"detail\":\"cairn.limits.connections\",\"max\":10,";
        answers(
                page,
                "attention?*",
                "[{" + limit + "\"used\":9,\"nodes\":[\"10.0.0.11:8848\"]},{" + limit
                        + "\"used\":9,\"nodes\":[\"10.0.0.12:8848\"]}]");
        answers(
                page,
                "push/latency",
                "{\"periodSeconds\":5,\"config\":[{\"at\":1,\"count\":7,\"meanMicros\":1200,\"p99Micros\":3000,"
                        + "\"maxMicros\":3000}],\"service\":[]}");
        page.navigate(cairn.uri("/ui/overview").toString());

        for (String node : List.of("10.0.0.11:8848", "10.0.0.12:8848")) {
            assertThat(page.getByText("9 of 10 used (cairn.limits.connections) (reported by " + node + ")"))
                    .isVisible();
        }
        assertThat(page.getByText("99 % within 3 ms · 7 arrived")).isVisible();
        assertThat(page.getByText("Incomplete: these nodes did not answer: 10.0.0.13:8848"))
                .hasCount(1);
        Screenshots.take(page, "overview-cluster");
        Accessibility.check(page);
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        assertThat(page.getByText("（由 10.0.0.12:8848 报告）")).isVisible();
    }

    private static void answers(Page page, String path, String data) {
        page.route(
                "**/v3/admin/core/" + path,
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"code\":0,\"message\":\"success\",\"data\":" + data
                                + ",\"complete\":false,\"silentNodes\":[\"10.0.0.13:8848\"]}")));
    }

    /** Simulates a return to the browser tab: the view reloads at once, without waiting up to 30 s for events. */
    private static void comeBack(Page page) {
        page.dispatchEvent("body", "visibilitychange", Map.of("bubbles", true));
    }

    @Test
    void showsAnEnforcedQuota() {
        assertThat(cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", "narrow", "namespaceName", "narrow"))
                        .statusCode())
                .isEqualTo(200);
        for (int i = 0; i < 3; i++) {
            assertThat(cairn.post(
                                    "/v3/admin/cs/config",
                                    Map.of(
                                            "namespaceId",
                                            "narrow",
                                            "groupName",
                                            "G",
                                            "dataId",
                                            "n" + i,
                                            "content",
                                            "n"))
                            .statusCode())
                    .isEqualTo(200);
        }
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/overview?ns=narrow").toString());
        assertThat(page.getByText("3 of 3 configurations used")).isVisible();
        page.navigate(cairn.uri("/ui/namespaces").toString());
        assertThat(page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("narrow")))
                .containsText("3 / 3");
    }

    @Test
    void reportsActiveProtectionUntilItsCauseEnds() {
        assertThat(cairn.post(
                                "/v3/admin/ns/service",
                                Map.of("serviceName", "guarded", "protectThreshold", "0.6", "ephemeral", "true"))
                        .statusCode())
                .isEqualTo(200);
        Page page = console.visitor();
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            String well = ServiceClient.instance("10.2.0.1", 8080, Map.of());
            String ill = "{\"healthy\":false,";
            client.registerAll(
                    "guarded",
                    List.of(
                            well,
                            well.replace("10.2.0.1", "10.2.0.2").replaceFirst("\\{", ill),
                            well.replace("10.2.0.1", "10.2.0.3").replaceFirst("\\{", ill)));
            page.navigate(cairn.uri("/ui/overview").toString());
            assertThat(page.getByText("Protection is active: consumers get all 3 instances as healthy; 1 are"))
                    .isVisible();
            page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("guarded"))
                    .click();
            assertThat(page.getByText("10.2.0.3:8080").first()).isVisible();
            page.goBack();
            assertThat(page.getByText("Protection is active")).isVisible();
            client.registerAll("guarded", List.of(well));
            assertThat(page.getByText("Protection is active")).hasCount(0);
        }
    }
}
