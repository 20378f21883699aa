package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console on a telephone. */
@Tag("full")
class NarrowIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String DATA_ID = "com.example.orders.service.settings-of-production.yaml";
    private static final String GROUP = "ORDERS_AND_PAYMENTS";
    private static final String SERVICE = "com.example.orders.service.OrderSettlementService";
    private static final String CONFIG = "configs/one?ns=public&group=" + GROUP + "&dataId=" + DATA_ID;
    private static final String OF_SERVICE = "services/one?ns=public&group=DEFAULT_GROUP&service=" + SERVICE;

    private static final LocatorAssertions.IsInViewportOptions WHOLE =
            new LocatorAssertions.IsInViewportOptions().setRatio(1);

    /** A page, and a text on it that comes from the server, where there is one. */
    private record Shown(String name, String view, String text) {}

    private static final List<Shown> PAGES = List.of(
            new Shown("overview", "overview", "The server is ready"),
            new Shown("configs", "configs?ns=public", DATA_ID),
            new Shown("configs-new", "configs/new?ns=public", "In namespace public"),
            new Shown("import", "import?ns=public", "Drop a folder here"),
            new Shown("services", "services?ns=public", SERVICE),
            new Shown("proxies", "proxies?ns=public", "No proxy is connected"),
            new Shown("namespaces", "namespaces", "public"),
            new Shown("users", "users", "This server requires no login"),
            new Shown("tokens", "tokens", "This server requires no login"),
            new Shown("audit", "audit", "127.0.0.1"),
            new Shown("connections", "connections", "1 client is connected"),
            new Shown("client", "clients/one?ip=10.120.130.140", "This client polls over HTTP"),
            new Shown("nodes", "nodes", "127.0.0.1:"),
            new Shown("settings", "settings", "startup_mode"),
            new Shown("nowhere", "nowhere", "There is no such page."),
            new Shown("config-content", CONFIG, "A beta is running."),
            new Shown("config-listeners", CONFIG + "&tab=listeners", "1 of 1 have the stored version"),
            new Shown("config-history", CONFIG + "&tab=history", "Stored now"),
            new Shown("config-beta", CONFIG + "&tab=beta", "Beta version:"),
            new Shown("config-code", CONFIG + "&tab=code", "Properties settings"),
            new Shown("service-instances", OF_SERVICE, "10.120.130.140:18080"),
            new Shown("service-subscribers", OF_SERVICE + "&tab=subscribers", "are one row"));

    private static Page narrow(String view) {
        Page page = Narrow.visitor(console);
        page.navigate(cairn.uri(view).toString());
        return page;
    }

    private static void publish(String content, Map<String, String> more) {
        Map<String, String> form =
                new LinkedHashMap<>(Map.of("dataId", DATA_ID, "groupName", GROUP, "content", content, "type", "yaml"));
        form.putAll(more);
        assertThat(cairn.post("/v3/admin/cs/config", form).statusCode()).isEqualTo(200);
    }

    private static void listen(WireClient client) {
        client.request(
                "ConfigBatchListenRequest",
                "{\"listen\":true,\"configListenContexts\":[{\"group\":\"" + GROUP + "\",\"md5\":\""
                        + ContentDigest.of("retries: 7\n") + "\",\"dataId\":\"" + DATA_ID + "\",\"tenant\":\"\"}]}");
    }

    @Test
    void everyPageFits() {
        publish("retries: 3\n", Map.of("srcUser", "operator.with-a-long-name@example.com"));
        publish("retries: 7\n", Map.of("srcUser", "operator.with-a-long-name@example.com"));
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of("dataId", DATA_ID, "groupName", GROUP, "content", "retries: 9\n"),
                                "betaIps",
                                "10.120.130.140,10.120.130.141")
                        .statusCode())
                .isEqualTo(200);
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of("serviceName", SERVICE, "ip", "10.120.130.140", "port", "18080", "ephemeral", "false"));
        try (WireClient client = cairn.newClient()) {
            client.request(
                    "ConfigBatchListenRequest",
                    "{\"listen\":true,\"configListenContexts\":[{\"group\":\"" + GROUP + "\",\"md5\":\""
                            + ContentDigest.of("retries: 7\n") + "\",\"dataId\":\"" + DATA_ID
                            + "\",\"tenant\":\"\"}]}");
            Page page = narrow("/ui/overview");
            for (Shown shown : PAGES) {
                page.navigate(cairn.uri("/ui/" + shown.view()).toString());
                assertThat(page.locator("#content").getByText(shown.text()).first())
                        .isVisible();
                Narrow.check(page, shown.name());
            }
        }
    }

    @Test
    void aRollbackIsReviewedInOneColumn() {
        publish("retries: 1\n", Map.of());
        publish("retries: 2\n", Map.of());
        Page page = narrow("/ui/" + CONFIG + "&tab=history");
        Locator back = page.getByRole(AriaRole.ROW)
                .filter(new Locator.FilterOptions().setHasText("Created"))
                .getByText("Roll back");
        assertThat(back).isInViewport(WHOLE);
        back.click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog.locator(".diff")).containsText("retries: 2");
        assertThat(dialog.getByLabel("In one column")).isChecked();
        Narrow.check(page, "rollback");
    }

    @Test
    void clientPagesNeedNoHorizontalScrolling() {
        publish("retries: 7\n", Map.of());
        try (WireClient client = cairn.newClient()) {
            listen(client);
            Page page = narrow("/ui/connections");
            // That of an earlier test may still be on its way out.
            assertThat(page.locator("#content")
                            .getByText("1 client is connected")
                            .first())
                    .isVisible();
            assertThat(page.getByText("Nacos-Go-Client")).isInViewport(WHOLE);
            assertThat(page.getByRole(
                            AriaRole.BUTTON,
                            new Page.GetByRoleOptions().setName(Pattern.compile("^Disconnect 127.0.0.1"))))
                    .isInViewport(WHOLE);
            page.navigate(cairn.uri("/ui/" + CONFIG + "&tab=listeners").toString());
            assertThat(page.getByText("Nacos-Go-Client")).isInViewport(WHOLE);
            assertThat(page.getByText("Stored version", new Page.GetByTextOptions().setExact(true)))
                    .isInViewport(WHOLE);
        }
    }
}
