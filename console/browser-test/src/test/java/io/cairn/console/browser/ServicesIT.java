package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ServiceClient;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What an on-call engineer does with services. */
class ServicesIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static void register(String service, String ip, boolean ephemeral, String metadata) {
        assertThat(cairn.post(
                                "/v3/admin/ns/instance",
                                Map.of(
                                        "serviceName", service,
                                        "ip", ip,
                                        "port", "8080",
                                        "ephemeral", Boolean.toString(ephemeral),
                                        "metadata", metadata))
                        .statusCode())
                .isEqualTo(200);
    }

    private static String instances(String service) {
        return cairn.get("/v3/admin/ns/instance/list?serviceName=" + service).body();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void aServiceIsMadeAndAnInstanceRegisteredAndBothTakenAway() {
        Page page = open("services");
        button(page, "New service").click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Service").setExact(true))
                .fill("billing");
        button(page, "Create").click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("billing");
        button(page, "Register an instance").click();
        page.getByLabel("IP address or host").fill("10.0.0.7");
        page.getByLabel("Port", new Page.GetByLabelOptions().setExact(true)).fill("9000");
        button(page, "Register").click();
        assertThat(page.getByText("10.0.0.7:9000", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(instances("billing")).contains("\"ip\":\"10.0.0.7\"");

        button(page, "Deregister 10.0.0.7:9000").click();
        button(page, "Deregister").click();
        assertThat(page.getByText("No instances").first()).isVisible();
        button(page, "Delete").click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("Services");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void weightTrafficAndMetadataAreChangedInTheRow() {
        register("orders", "10.0.1.1", true, "{\"zone\":\"a\",\"note\":\"<script>document.title='owned'</script>\"}");
        register("orders", "10.0.1.2", true, "{\"zone\":\"b\"}");
        Page page = open("services/one?ns=public&group=DEFAULT_GROUP&service=orders");
        assertThat(page.getByText("10.0.1.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        page.getByLabel("Weight of 10.0.1.1:8080").fill("3");
        page.keyboard().press("Enter");
        Awaitility.await().untilAsserted(() -> assertThat(instances("orders")).contains("\"weight\":3.0"));
        page.getByLabel("10.0.1.2:8080 takes traffic").click();
        Awaitility.await().untilAsserted(() -> assertThat(instances("orders")).contains("\"enabled\":false"));
        button(page, "Edit the metadata of 10.0.1.2:8080").click();
        page.getByLabel("Value of zone").fill("c");
        button(page, "Save").click();
        Awaitility.await().untilAsserted(() -> assertThat(instances("orders")).contains("\"zone\":\"c\""));
        assertThat(page.getByText("zone=c")).isVisible();
        Screenshots.take(page, "service");
        Accessibility.check(page);
        assertThat(page.title()).doesNotContain("owned");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void instancesComeAndGoWhileOneLooks() {
        register("live", "10.0.2.1", true, "{}");
        Page page = open("services/one?ns=public&group=DEFAULT_GROUP&service=live");
        assertThat(page.getByText("10.0.2.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        register("live", "10.0.2.2", true, "{}");
        assertThat(page.getByText("10.0.2.2:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        cairn.delete("/v3/admin/ns/instance?serviceName=live&ip=10.0.2.1&port=8080&ephemeral=true");
        assertThat(page.getByText("10.0.2.1:8080", new Page.GetByTextOptions().setExact(true)))
                .hasCount(0);
    }

    @Test
    void aServiceIsFoundByAPartOfItsName() {
        register("inventory-eu", "10.0.3.1", true, "{}");
        register("inventory-us", "10.0.3.2", true, "{}");
        register("catalog", "10.0.3.3", true, "{}");
        Page page = open("services");
        page.getByLabel("Search by name").fill("inventory");
        assertThat(page.getByText("2 in public")).isVisible();
        Screenshots.take(page, "services-list");
        Accessibility.check(page);
        page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("inventory-us"))
                .click();
        assertThat(page.getByText("10.0.3.2:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
    }

    @Test
    void theIllAreFoundWhereverTheyStandInTheList() {
        // Held by a connection, so that they stay as they are for as long as the test takes.
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            for (int i = 10; i < 31; i++) {
                client.register("sorted-" + i, "10.9.0." + i, 8080);
            }
            client.registerAll("sorted-25", List.of(instance("10.9.0.1"), instance("10.9.0.2")));
            client.registerAll("sorted-31", List.of(instance("10.9.0.31").replaceFirst("\\{", "{\"healthy\":false,")));
            findTheIll();
        }
    }

    private static String instance(String ip) {
        return ServiceClient.instance(ip, 8080, Map.of());
    }

    private static void findTheIll() {
        Page page = open("services?q=sorted-&size=20");
        assertThat(page.getByText("22 in public")).isVisible();
        Locator rows = page.locator("tbody tr.ant-table-row");
        assertThat(rows).hasCount(20);
        assertThat(page.getByText("sorted-31")).hasCount(0);
        page.getByRole(AriaRole.COLUMNHEADER, new Page.GetByRoleOptions().setName("Health"))
                .click();
        assertThat(rows.first()).containsText("sorted-31");
        assertThat(page).hasURL(Pattern.compile("sort=health"));
        Locator instances = page.getByRole(AriaRole.COLUMNHEADER, new Page.GetByRoleOptions().setName("Instances"));
        instances.click();
        instances.click();
        assertThat(rows.first()).containsText("sorted-25");
        page.getByLabel("Health").first().click();
        page.getByText("No instance is healthy").click();
        assertThat(rows).hasCount(1);
        assertThat(rows).containsText("sorted-31");
        page.reload();
        assertThat(rows).hasCount(1);
        Screenshots.take(page, "services-ill");
    }
}
