package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.ServiceClient;
import io.cairn.server.support.WireClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The work of an on-call engineer with services. */
@Tag("full")
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

    private static Page openService(String service) {
        return open("services/one?ns=public&group=DEFAULT_GROUP&service=" + service);
    }

    /** A persistent instance, which needs no client. */
    private static void register(String service, String ip) {
        assertThat(cairn.post(
                                "/v3/admin/ns/instance",
                                Map.of("serviceName", service, "ip", ip, "port", "8080", "ephemeral", "false"))
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
    void createsAServiceWithAnInstanceAndDeletesBoth() {
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
    void changesWeightTrafficAndMetadataInTheRow() {
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            client.registerAll(
                    "orders",
                    List.of(
                            ServiceClient.instance(
                                    "10.0.1.1",
                                    8080,
                                    Map.of("zone", "a", "note", "<script>document.title='owned'</script>")),
                            ServiceClient.instance("10.0.1.2", 8080, Map.of("zone", "b"))));
            editRows(openService("orders"));
        }
    }

    private static void awaitStored(String part) {
        Awaitility.await().untilAsserted(() -> assertThat(instances("orders")).contains(part));
    }

    private static void editRows(Page page) {
        assertThat(page.getByText("10.0.1.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        page.getByLabel("Weight of 10.0.1.1:8080").fill("3");
        page.keyboard().press("Enter");
        awaitStored("\"weight\":3.0");
        page.getByLabel("10.0.1.2:8080 receives traffic").click();
        awaitStored("\"enabled\":false");
        button(page, "Edit the metadata of 10.0.1.2:8080").click();
        page.getByLabel("Value of zone").fill("c");
        button(page, "Save").click();
        awaitStored("\"zone\":\"c\"");
        assertThat(page.getByText("zone=c")).isVisible();
        Screenshots.take(page, "service");
        Accessibility.check(page);
        assertThat(page.title()).doesNotContain("owned");
        page.reload();
        assertThat(page.getByLabel("Weight of 10.0.1.1:8080")).hasValue("3");
        assertThat(page.getByLabel("10.0.1.2:8080 receives traffic")).not().isChecked();
        assertThat(page.getByText("zone=c")).isVisible();
    }

    @Test
    void keepsTheClientsValuesOfUnchangedFields() {
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            client.registerAll("rolled", List.of(ServiceClient.instance("10.0.7.1", 8080, Map.of("version", "1"))));
            Page page = openService("rolled");
            Locator traffic = page.getByLabel("10.0.7.1:8080 receives traffic");
            assertThat(page.getByText("version=1")).isVisible();
            traffic.click();
            assertThat(traffic).not().isChecked();
            client.registerAll("rolled", List.of(ServiceClient.instance("10.0.7.1", 8080, Map.of("version", "2"))));
            assertThat(page.getByText("version=2")).isVisible();
            assertThat(traffic).not().isChecked();
        }
    }

    @Test
    void setsAndResetsTheHealthCheckOfACluster() {
        register("checked", "10.0.4.1");
        Page page = openService("checked");
        assertThat(page.getByText("Health check: TCP on its own port")).isVisible();
        editCluster(page, "TCP", "HTTP");
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Path").fill("/ready");
        dialog.getByLabel("Headers (name:value|name:value)").fill("X-Probe:cairn");
        dialog.getByLabel("Check on the port of the instance").click();
        dialog.getByLabel("Port of the check").fill("8081");
        addMetadata(dialog, "zone", "a");
        Screenshots.take(page, "service-health-check");
        Accessibility.check(page);
        save(page);
        page.reload();
        assertThat(page.getByText("Health check: HTTP /ready on port 8081")).isVisible();
        assertThat(page.getByText("zone=a")).isVisible();
        assertThat(cairn.get("/v3/admin/ns/service?serviceName=checked").body())
                .contains("\"headers\":\"X-Probe:cairn\"");

        editCluster(page, "HTTP", "NONE");
        save(page);
        assertThat(page.getByText("Health is not checked")).isVisible();
        editCluster(page, "NONE", "TCP");
        dialog.getByLabel("Check on the port of the instance").click();
        button(page, "Remove zone").click();
        save(page);
        page.reload();
        assertThat(page.getByText("Health check: TCP on its own port")).isVisible();
        assertThat(page.getByText("zone=a")).hasCount(0);
    }

    private static void editCluster(Page page, String before, String after) {
        button(page, "Health check and metadata").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog.locator(".ant-select").first()).containsText(before);
        dialog.getByLabel("Health check").click();
        page.locator(".ant-select-item-option")
                .getByText(after, new Locator.GetByTextOptions().setExact(true))
                .click();
    }

    private static void addMetadata(Locator dialog, String name, String value) {
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName("Add").setExact(true))
                .click();
        dialog.getByLabel("Name", new Locator.GetByLabelOptions().setExact(true))
                .last()
                .fill(name);
        dialog.getByLabel("Value of " + name).fill(value);
    }

    private static void save(Page page) {
        button(page, "Save").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
    }

    @Test
    void setsAndResetsThresholdAndMetadataOfAService() {
        register("settled", "10.0.5.1");
        Page page = openService("settled");
        Locator facts = page.locator("dl.kv");
        assertThat(page.getByText("10.0.5.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(facts).hasCount(0);
        button(page, "Settings").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Protection threshold (0 to 1)").fill("0.6");
        addMetadata(dialog, "owner", "payments");
        save(page);
        page.reload();
        assertThat(facts).containsText("0.6");
        assertThat(facts).containsText("owner=payments");
        assertThat(cairn.get("/v3/admin/ns/service?serviceName=settled").body())
                .contains("\"protectThreshold\":0.6", "\"owner\":\"payments\"");

        button(page, "Settings").click();
        assertThat(dialog.getByLabel("Value of owner")).hasValue("payments");
        dialog.getByLabel("Protection threshold (0 to 1)").fill("0");
        button(page, "Remove owner").click();
        save(page);
        assertThat(facts).hasCount(0);
        page.reload();
        assertThat(page.getByText("10.0.5.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(facts).hasCount(0);
    }

    @Test
    void setsAndRemovesTheLabelSelectorOfAService() {
        String expression = "CONSUMER.label.site=PROVIDER.label.site";
        register("near", "10.0.8.1");
        Page page = openService("near");
        Locator facts = page.locator("dl.kv");
        button(page, "Settings").click();
        Locator selector = page.getByRole(AriaRole.DIALOG).getByLabel("Label selector");
        assertThat(selector).isEmpty();
        Accessibility.check(page);
        selector.fill(" " + expression + " ");
        Screenshots.take(page, "service-settings");
        save(page);
        assertThat(facts.locator("dd")).hasText(expression);
        page.reload();
        assertThat(facts.locator("dd")).hasText(expression);
        Screenshots.take(page, "service-selector");
        assertThat(cairn.get("/v3/admin/ns/service?serviceName=near").body())
                .contains("\"type\":\"label\"", "\"expression\":\"" + expression + "\"");

        button(page, "Settings").click();
        assertThat(selector).hasValue(expression);
        selector.fill("");
        save(page);
        assertThat(facts).hasCount(0);
        page.reload();
        assertThat(page.getByText("10.0.8.1:8080", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(facts).hasCount(0);
        assertThat(cairn.get("/v3/admin/ns/service?serviceName=near").body())
                .contains("\"selector\":{\"type\":\"none\"");
    }

    @Test
    void refusesAnInvalidLabelSelectorAndKeepsItForCorrection() {
        register("astray", "10.0.8.2");
        Page page = openService("astray");
        button(page, "Settings").click();
        Locator selector = page.getByRole(AriaRole.DIALOG).getByLabel("Label selector");
        selector.fill("site=north");
        button(page, "Save").click();
        assertThat(page.getByText(Pattern.compile("^Selector parses failed"))).isVisible();
        assertThat(selector).hasValue("site=north");
        Accessibility.check(page);
        Screenshots.take(page, "service-selector-refused");
        assertThat(cairn.get("/v3/admin/ns/service?serviceName=astray").body())
                .contains("\"selector\":{\"type\":\"none\"");

        selector.fill("CONSUMER.label.site=PROVIDER.label.site");
        save(page);
        assertThat(page.locator("dl.kv dd")).hasText("CONSUMER.label.site=PROVIDER.label.site");
    }

    @Test
    void registersAPersistentInstance() {
        Page page = open("services");
        button(page, "New service").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByRole(
                        AriaRole.TEXTBOX,
                        new Locator.GetByRoleOptions().setName("Service").setExact(true))
                .fill("ledger");
        assertThat(dialog.getByLabel("For persistent instances")).isChecked();
        button(page, "Create").click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("ledger");
        button(page, "Register an instance").click();
        dialog.getByLabel("IP address or host").fill("10.0.6.1");
        dialog.getByLabel("Port", new Locator.GetByLabelOptions().setExact(true))
                .fill("9000");
        dialog.getByLabel("Weight").fill("2");
        addMetadata(dialog, "zone", "b");
        button(page, "Register").click();
        assertThat(dialog).hasCount(0); // a page that is left takes its requests back
        page.reload();
        Locator row = page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("10.0.6.1:9000"));
        assertThat(row).containsText("Persistent");
        assertThat(row).containsText("zone=b");
        assertThat(row.getByLabel("Weight of 10.0.6.1:9000")).hasValue("2");
        assertThat(instances("ledger")).contains("\"ephemeral\":false", "\"weight\":2.0");
    }

    @Test
    void updatesTheListWhileItIsOpen() {
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            client.register("live", "10.0.2.1", 8080);
            Page page = openService("live");
            Locator first = page.getByText("10.0.2.1:8080", new Page.GetByTextOptions().setExact(true));
            Locator second = page.getByText("10.0.2.2:8080", new Page.GetByTextOptions().setExact(true));
            assertThat(first).isVisible();
            client.registerAll("live", List.of(instance("10.0.2.1"), instance("10.0.2.2")));
            assertThat(second).isVisible();
            client.registerAll("live", List.of(instance("10.0.2.2")));
            assertThat(first).hasCount(0);
            assertThat(second).isVisible();
        }
    }

    @Test
    void showsSubscribersWithAddressAndApplication() {
        register("followed", "10.0.2.9");
        try (ServiceClient shop = subscriber("shop");
                ServiceClient stock = subscriber("stock")) {
            try (ServiceClient otherShop = subscriber("shop");
                    ServiceClient otherStock = subscriber("stock")) {
                for (ServiceClient each : List.of(shop, stock, otherShop, otherStock)) {
                    assertThat(each.subscribe("followed")).containsExactly("10.0.2.9:8080");
                }
                Page page = openService("followed");
                page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Subscribers"))
                        .click();
                Locator rows = page.getByRole(AriaRole.TABPANEL).locator("tbody tr.ant-table-row");
                Locator ofShop = rows.filter(new Locator.FilterOptions().setHasText("shop"));
                Locator clusters =
                        page.getByRole(AriaRole.COLUMNHEADER, new Page.GetByRoleOptions().setName("Clusters"));
                assertThat(page.getByText("Subscribers: 2.")).isVisible();
                assertThat(rows).hasCount(2);
                assertThat(clusters).hasCount(0);
                assertThat(ofShop).hasText("127.0.0.1Nacos-Go-Client:v2.2.0shop");

                otherShop
                        .wire()
                        .request(
                                "SubscribeServiceRequest",
                                ServiceClient.subscription("followed")
                                        .replace("\"clusters\":\"\"", "\"clusters\":\"c1\""));
                assertThat(page.getByText("Subscribers: 3.")).isVisible();
                assertThat(clusters).hasCount(1);
                assertThat(ofShop).hasText(new String[] {
                    "127.0.0.1Nacos-Go-Client:v2.2.0shopAll clusters", "127.0.0.1Nacos-Go-Client:v2.2.0shopc1"
                });
                Screenshots.take(page, "service-subscribers");
                Accessibility.check(page);

                stock.close();
                otherShop.close();
                assertThat(page.getByText("Subscribers: 2.")).isVisible();
                assertThat(rows.filter(new Locator.FilterOptions().setHasText("stock")))
                        .hasCount(1);
                assertThat(ofShop).hasCount(1);
                otherStock.close();
                assertThat(page.getByText("Subscribers: 1.")).isVisible();
                assertThat(ofShop).hasCount(1);
            }
        }
    }

    private static ServiceClient subscriber(String application) {
        WireClient wire = cairn.newTransport();
        wire.push(
                "ConnectionSetupRequest",
                "{\"clientVersion\":\"Nacos-Go-Client:v2.2.0\",\"labels\":{\"module\":\"naming\",\"AppName\":\""
                        + application + "\"}}");
        Awaitility.await()
                .until(() ->
                        wire.request("HealthCheckRequest", "{}").path("success").asBoolean());
        return new ServiceClient(wire);
    }

    @Test
    void findsANamespaceInTheSwitcher() {
        for (int i = 10; i < 50; i++) {
            assertThat(cairn.post(
                                    "/v3/admin/core/namespace",
                                    Map.of("namespaceId", "team-" + i, "namespaceName", "Number " + i))
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(cairn.post(
                                "/v3/admin/ns/instance",
                                Map.of(
                                        "namespaceId",
                                        "team-47",
                                        "serviceName",
                                        "of-the-team",
                                        "ip",
                                        "10.0.4.7",
                                        "port",
                                        "8080",
                                        "ephemeral",
                                        "false"))
                        .statusCode())
                .isEqualTo(200);
        Page page = open("services?ns=public");
        Locator switcher = page.getByRole(
                AriaRole.COMBOBOX,
                new Page.GetByRoleOptions().setName("Namespace").setExact(true));
        switcher.click();
        Locator options = page.locator(".ant-select-item-option");
        switcher.fill("number 4");
        assertThat(options).hasCount(10);
        switcher.fill("team-47");
        assertThat(options).hasCount(1);
        assertThat(options).containsText("Number 47");
        Screenshots.take(page, "namespace-switcher");
        options.click();
        assertThat(page).hasURL(Pattern.compile("/ui/services\\?ns=team-47$"));
        assertThat(page.getByText("1 in Number 47")).isVisible();
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("of-the-team")))
                .isVisible();
    }

    @Test
    void findsAServiceByAPartOfItsName() {
        register("inventory-eu", "10.0.3.1");
        register("inventory-us", "10.0.3.2");
        register("catalog", "10.0.3.3");
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
    void findsUnhealthyServicesOnAnyPage() {
        // The instances belong to a connection, so their state does not change during the test.
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            for (int i = 10; i < 31; i++) {
                client.register("sorted-" + i, "10.9.0." + i, 8080);
            }
            client.registerAll("sorted-25", List.of(instance("10.9.0.1"), instance("10.9.0.2")));
            client.registerAll("sorted-31", List.of(instance("10.9.0.31").replaceFirst("\\{", "{\"healthy\":false,")));
            findUnhealthyServices();
        }
    }

    /** A page of rows at a time: 2,000 instances are a megabyte, which would come again with each change. */
    @Test
    void showsPagesOfALargeServiceThatTheServerHasCut() {
        try (ServiceClient client = ServiceClient.connect(cairn.server().grpcPort())) {
            client.registerAll(
                    "large",
                    IntStream.range(0, 2_000)
                            .mapToObj(i -> ServiceClient.instance(
                                    "10.20." + i / 250 + '.' + i % 250, 8080, Map.of("zone", "z" + i % 7, "n", "" + i)))
                            .toList());
            Page page = console.visitor();
            List<Response> answers = new ArrayList<>();
            page.onResponse(response -> {
                if (response.url().contains("/ns/")) {
                    answers.add(response);
                }
            });
            page.navigate(cairn.uri("/ui/services/one?ns=public&group=DEFAULT_GROUP&service=large")
                    .toString());
            searchLargeService(page);
            // Requests that the page has cancelled have no text.
            answers.removeIf(answer -> answer.finished() != null);
            assertThat(answers)
                    .isNotEmpty()
                    .allSatisfy(answer ->
                            assertThat(answer.text().length()).as(answer.url()).isLessThan(100_000));
        }
        assertThat(console.complaints()).isEmpty();
    }

    private static void searchLargeService(Page page) {
        Locator rows = page.locator("tbody tr.ant-table-row");
        assertThat(rows).hasCount(50);
        assertThat(page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Instances (2,000)")))
                .isVisible();
        assertThat(page.getByText("All 2,000 healthy")).isVisible();
        page.getByRole(AriaRole.COLUMNHEADER, new Page.GetByRoleOptions().setName("Address"))
                .click();
        assertThat(rows.first()).containsText("10.20.0.0:8080");
        page.getByTitle("40", new Page.GetByTitleOptions().setExact(true)).click();
        assertThat(rows.last()).containsText("10.20.7.249:8080");
        page.getByLabel("Choose 10.20.7.249:8080").check();
        Screenshots.take(page, "service-large");
        Accessibility.check(page);
        page.getByLabel("Search by address or metadata").fill("n=1234");
        assertThat(rows).hasCount(1);
        assertThat(rows).containsText("10.20.4.234:8080");
        page.getByLabel("Choose 10.20.4.234:8080").check();
        button(page, "Drain").click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Drain"))
                .click();
        assertThat(page.getByLabel("10.20.4.234:8080 receives traffic")).not().isChecked();
        page.getByLabel("Search by address or metadata").fill("10.20.7.249");
        assertThat(page.getByLabel("10.20.7.249:8080 receives traffic")).not().isChecked();
        page.getByLabel("Search by address or metadata").fill("nowhere");
        assertThat(page.getByText("No instance fits the search")).isVisible();
    }

    private static String instance(String ip) {
        return ServiceClient.instance(ip, 8080, Map.of());
    }

    private static void findUnhealthyServices() {
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
        assertThat(page).hasURL(Pattern.compile("sort=instances"));
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
