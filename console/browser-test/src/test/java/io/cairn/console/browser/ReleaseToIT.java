package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Releases of a configuration to some clients: the preview while the rule is typed, the publish, and the list of releases. */
@Tag("full")
class ReleaseToIT {

    private static final String JAVA = "Nacos-Java-Client:v3.2.0";
    private static final String OLD = "retries: 3\n";
    private static final String NEW = "retries: 5\n";

    @RegisterExtension
    static final InspectableServer known = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final Accounts accounts = new Accounts(known);

    private final List<WireClient> clients = new ArrayList<>();

    @BeforeAll
    static void fill() {
        accounts.renewAdmin();
    }

    @AfterEach
    void disconnect() {
        clients.forEach(WireClient::close);
    }

    private WireClient listener(String dataId, String address, Map<String, String> labels) {
        WireClient client = cairn.newTransport().setUp(address, JAVA, labels);
        clients.add(client);
        client.listen(dataId, ContentDigest.of(OLD).toString());
        return client;
    }

    /** Three instances of two applications in two zones. */
    private List<WireClient> listeners(String dataId) {
        return List.of(
                listener(dataId, "10.0.0.1", labels("orders", "orders-7d9", "a")),
                listener(dataId, "10.0.0.2", labels("orders", "orders-x2k", "b")),
                listener(dataId, "10.0.0.3", Map.of("AppName", "payments", "app_zone", "b")));
    }

    private static Map<String, String> labels(String app, String instance, String zone) {
        return Map.of("AppName", app, "app_instance", instance, "app_zone", zone, "module", "config");
    }

    private static void store(String dataId, Map<String, String> more) {
        Map<String, String> form =
                new HashMap<>(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP", "type", "yaml", "content", OLD));
        form.putAll(more);
        assertThat(cairn.post("/v3/admin/cs/config", form).statusCode()).isEqualTo(200);
    }

    private static void release(String dataId, String name, String type, String rule, int priority) {
        store(
                dataId,
                Map.of(
                        "content",
                        NEW,
                        "grayName",
                        name,
                        "grayType",
                        type,
                        "grayRuleExp",
                        rule,
                        "grayPriority",
                        Integer.toString(priority)));
    }

    private static String read(WireClient client, String dataId) {
        return client.request(
                        "ConfigQueryRequest",
                        "{\"dataId\":\"" + dataId + "\",\"group\":\"DEFAULT_GROUP\",\"tenant\":\"\"}")
                .path("content")
                .asString();
    }

    private static String releases(String dataId) {
        return cairn.get("/v3/admin/cs/config/gray?groupName=DEFAULT_GROUP&dataId=" + dataId)
                .body();
    }

    private static Page open(String dataId) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/configs/one?ns=public&group=DEFAULT_GROUP&dataId=" + dataId)
                .toString());
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        return page;
    }

    private static void type(Page page, String content) {
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText(content);
    }

    private static void choose(Page page, String kind) {
        page.locator(".ant-segmented-item").getByText(kind).click();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator region(Page page, String name) {
        return page.getByRole(
                AriaRole.REGION, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator row(Locator region, String text) {
        return region.locator("tbody tr.ant-table-row").filter(new Locator.FilterOptions().setHasText(text));
    }

    private static void speak(Page page, String language) {
        page.getByLabel(Pattern.compile("^(Language|语言)$")).click();
        page.getByRole(AriaRole.MENUITEM)
                .filter(new Locator.FilterOptions().setHasText(language))
                .click();
    }

    @Test
    void releasesToTheClientsThatThePreviewShows() {
        store("orders.yaml", Map.of());
        List<WireClient> listeners = listeners("orders.yaml");
        Page page = open("orders.yaml");
        type(page, NEW);
        choose(page, "Labels");
        assertThat(button(page, "Review and publish")).isDisabled();
        Locator rule = page.getByLabel("Condition on labels");
        rule.fill("zone in (a, b) && version = ");
        assertThat(page.getByText("Column 29: found the end (expected: a value)"))
                .isVisible();
        assertThat(button(page, "Review and publish")).isDisabled();
        Screenshots.take(page, "release-to-error");
        Accessibility.check(page);

        rule.fill("zone = a");
        page.getByLabel("Name of the release").fill("zone-a");
        Locator preview = region(page, "Preview");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("1 of 3 connected clients get it · the rule selects 1");
        assertThat(row(preview, "10.0.0.1")).containsText("orders");
        assertThat(row(preview, "10.0.0.1")).containsText("orders-7d9");
        assertThat(row(preview, "10.0.0.1")).containsText("label instance");
        assertThat(row(preview, "10.0.0.1")).containsText("Stored version");
        rule.fill("zone exists");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("3 of 3 connected clients get it · the rule selects 3");
        assertThat(row(preview, "10.0.0.3")).containsText("application and address");
        page.setViewportSize(1280, 1240);
        Screenshots.take(page, "release-to");
        Accessibility.checkInBothThemes(page);
        rule.fill("zone = a");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("1 of 3 connected clients get it · the rule selects 1");

        button(page, "Review and publish").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("For clients with zone = a");
        assertThat(dialog).containsText("1 of 3 connected clients get it");
        assertThat(dialog.locator(".diff")).containsText("retries: 5");
        Screenshots.take(page, "release-to-review");
        Accessibility.check(page);
        button(page, "Publish to these clients").click();
        assertThat(dialog).hasCount(0);

        assertThat(listeners.get(0).nextChange()).isEqualTo("orders.yaml");
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        Locator list = region(page, "Releases to some clients");
        assertThat(row(list, "zone-a")).containsText("clients with zone = a");
        listeners.get(0).listen("orders.yaml", ContentDigest.of(NEW).toString());
        assertThat(row(list, "zone-a").locator("td").nth(3)).hasText("1");
        page.setViewportSize(1280, 800);
        list.scrollIntoViewIfNeeded();
        Screenshots.take(page, "release-list");
        Accessibility.checkInBothThemes(page);
        assertThat(read(listeners.get(0), "orders.yaml")).isEqualTo(NEW);
        assertThat(read(listeners.get(1), "orders.yaml")).as("in another zone").isEqualTo(OLD);
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void releasesToAddressesAndToATag() {
        store("others.yaml", Map.of());
        List<WireClient> listeners = listeners("others.yaml");
        Page page = open("others.yaml");
        type(page, NEW);
        choose(page, "Addresses");
        page.getByLabel("Addresses of the clients").fill("10.0.0.2,10.0.0.9,");
        page.getByLabel("Name of the release").fill("some");
        Locator preview = region(page, "Preview");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("1 of 3 connected clients get it · the rule selects 1");
        assertThat(row(preview, "10.0.0.2")).containsText("orders-x2k");
        button(page, "Review and publish").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("For clients at 10.0.0.2, 10.0.0.9");
        button(page, "Publish to these clients").click();
        assertThat(listeners.get(1).nextChange()).isEqualTo("others.yaml");
        assertThat(read(listeners.get(1), "others.yaml")).isEqualTo(NEW);
        assertThat(read(listeners.get(0), "others.yaml")).isEqualTo(OLD);

        type(page, "retries: 6\n");
        choose(page, "Tag of clients");
        page.getByLabel("Tag that the clients send").fill("canary");
        page.getByLabel("Name of the release").fill("tagged");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("0 of 3 connected clients get it · the rule selects 0");
        assertThat(preview).containsText("The rule selects none of the connected clients");
        button(page, "Review and publish").click();
        button(page, "Publish to these clients").click();
        Locator list = region(page, "Releases to some clients");
        assertThat(row(list, "tagged")).containsText("canary");
        assertThat(cairn.get("/v1/cs/configs?group=DEFAULT_GROUP&dataId=others.yaml&tag=canary")
                        .body())
                .isEqualTo("retries: 6\n");
        assertThat(console.complaints()).isEmpty();
    }

    /** This server has no proxies, so the test replaces the preview. */
    @Test
    void aProxyIsListedByItsNode() {
        store("route.edge", Map.of());
        Page page = open("route.edge");
        page.route(
                Pattern.compile("/gray/preview"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("""
                                {"code":0,"message":"success","data":{"listeners":2,"selected":1,"gets":1,"clients":[
                                 {"ip":"10.0.0.7","connectionId":"","proxy":"17_10.0.0.7_41234_1","app":"edge",
                                  "agent":"envoy/1.40.0","identity":"sidecar-1","identityBy":"NODE","before":"","gets":true,
                                  "node":"10.0.0.1:8848"}]}}""")));
        choose(page, "A share");
        page.getByLabel("Share of the clients in percent").fill("50");
        Locator proxy = row(region(page, "Preview"), "10.0.0.7");
        assertThat(proxy).containsText("sidecar-1");
        assertThat(proxy).containsText("id of the xDS node");
        assertThat(proxy.getByText("Nothing")).hasCount(0);
        assertThat(proxy.getByRole(AriaRole.LINK)).hasAttribute("href", Pattern.compile("/proxies\\?.*node=sidecar-1"));
    }

    @Test
    void marksClientsThatKeepAnotherRelease() {
        store("winner.yaml", Map.of());
        release("winner.yaml", "first", "label", "zone = a", 5);
        listeners("winner.yaml");
        Page page = open("winner.yaml");
        choose(page, "A share");
        page.getByLabel("Share of the clients in percent").fill("100");
        Locator preview = region(page, "Preview");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("2 of 3 connected clients get it · the rule selects 3");
        assertThat(row(preview, "10.0.0.1")).containsText("Keeps first");
        assertThat(page.getByText("Selected clients that keep a release of a higher priority: 1"))
                .isVisible();
        page.getByLabel("Priority").fill("6");
        assertThat(preview.getByRole(AriaRole.STATUS)).hasText("3 of 3 connected clients get it · the rule selects 3");
        page.getByLabel("Name of the release").fill("first");
        assertThat(page.getByText("There is a release of this name.")).isVisible();
        assertThat(button(page, "Review and publish")).isDisabled();
        page.getByLabel("Name of the release").fill("bad name");
        assertThat(page.getByText("'bad name' (expected: letters, digits and _-.:, at most 50)"))
                .isVisible();
        for (String kind : List.of("Addresses", "Tag of clients")) {
            choose(page, kind);
            Accessibility.check(page);
        }
    }

    @Test
    void changesAShareThenPublishesToEveryone() {
        store("share.yaml", Map.of());
        release("share.yaml", "slow", "percentage", "1", 0);
        release("share.yaml", "other", "beta", "10.9.9.9", 0);
        listeners("share.yaml");
        Page page = open("share.yaml");
        Locator list = region(page, "Releases to some clients");
        assertThat(row(list, "slow")).containsText("1 % of the clients");
        assertThat(row(list, "other")).containsText("clients at 10.9.9.9");
        button(page, "Change the share of slow").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Share of the clients in percent").fill("100");
        assertThat(dialog.getByRole(AriaRole.STATUS)).hasText("3 of 3 connected clients get it · the rule selects 3");
        Screenshots.take(page, "release-share");
        Accessibility.check(page);
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions()
                                .setName("Change the share")
                                .setExact(true))
                .click();
        assertThat(dialog).hasCount(0);
        assertThat(row(list, "slow")).containsText("100 % of the clients");
        assertThat(releases("share.yaml")).contains("retries: 5");

        button(page, "Remove other").click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Remove"))
                .click();
        assertThat(row(list, "other")).hasCount(0);

        button(page, "Publish to everyone: slow").click();
        assertThat(dialog.locator(".diff")).containsText("retries: 5");
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions()
                                .setName("Publish to everyone")
                                .setExact(true))
                .click();
        assertThat(list).hasCount(0);
        assertThat(cairn.get("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=share.yaml")
                        .body())
                .contains("retries: 5");
        assertThat(releases("share.yaml")).doesNotContain("slow");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void changesRuleAndContentOfARelease() {
        store("changed.yaml", Map.of());
        release("changed.yaml", "zone-a", "label", "zone = a", 0);
        listeners("changed.yaml");
        Page page = open("changed.yaml");
        button(page, "Change zone-a").click();
        assertThat(page.getByLabel("Condition on labels")).hasValue("zone = a");
        assertThat(page.getByLabel("Name of the release")).isDisabled();
        assertThat(page.locator(".cm-content").first()).containsText("retries: 5");
        page.getByLabel("Condition on labels").fill("zone = b");
        type(page, "retries: 9\n");
        assertThat(region(page, "Preview").getByRole(AriaRole.STATUS))
                .hasText("2 of 3 connected clients get it · the rule selects 2");
        // Another person is quicker: nothing of its change is lost.
        store(
                "changed.yaml",
                Map.of(
                        "content",
                        "retries: 8\n",
                        "grayName",
                        "zone-a",
                        "grayType",
                        "label",
                        "grayRuleExp",
                        "zone = a"));
        button(page, "Review and publish").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog.locator(".diff")).containsText("retries: 9");
        button(page, "Publish to these clients").click();
        Toasts.await(page, "The release zone-a was changed meanwhile. Nothing has been published; open it again.");
        assertThat(releases("changed.yaml")).contains("retries: 8");
        button(page, "Continue editing").click();
        button(page, "Discard").click();
        button(page, "Change zone-a").click();
        assertThat(page.locator(".cm-content").first()).containsText("retries: 8");
        page.getByLabel("Condition on labels").fill("zone = b");
        assertThat(region(page, "Preview").getByRole(AriaRole.STATUS))
                .hasText("2 of 3 connected clients get it · the rule selects 2");
        button(page, "Review and publish").click();
        assertThat(dialog).containsText("The content stays as it is; the rule or the priority changes.");
        button(page, "Publish to these clients").click();
        assertThat(row(region(page, "Releases to some clients"), "zone-a")).containsText("clients with zone = b");
    }

    @Test
    void aReleaseOutlivesItsConfigurationAndIsRemoved() {
        store("left.yaml", Map.of());
        release("left.yaml", "zone-a", "label", "zone = a", 0);
        assertThat(cairn.delete("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=left.yaml")
                        .statusCode())
                .isEqualTo(200);
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/configs/one?ns=public&group=DEFAULT_GROUP&dataId=left.yaml")
                .toString());
        assertThat(page.getByText("These releases are still served:")).isVisible();
        Locator list = region(page, "Releases to some clients");
        assertThat(row(list, "zone-a")).containsText("clients with zone = a");
        Accessibility.check(page);
        button(page, "Remove zone-a").click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Remove"))
                .click();
        assertThat(list).hasCount(0);
        assertThat(releases("left.yaml")).doesNotContain("zone-a");
    }

    @Test
    void namesSilentNodesAndFitsANarrowWindow() {
        store("narrow.yaml", Map.of());
        release("narrow.yaml", "release-with-a-long-name", "label", "zone in (a, b) && version != 1.2", 7);
        listeners("narrow.yaml");
        Page page = open("narrow.yaml");
        page.route(Pattern.compile("/gray/preview"), route -> {
            String answer = route.fetch().text();
            String incomplete = answer.substring(0, answer.lastIndexOf('}'))
                    + ",\"complete\":false,\"silentNodes\":[\"10.1.1.2:8848\"]}";
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(incomplete));
        });
        choose(page, "Labels");
        page.getByLabel("Condition on labels").fill("zone exists");
        assertThat(region(page, "Preview")).containsText("Incomplete: these nodes did not answer: 10.1.1.2:8848");
        for (int width : new int[] {500, Narrow.WIDTH}) {
            page.setViewportSize(width, Narrow.HEIGHT);
            Narrow.check(page, "release-to-" + width);
        }
        page.setViewportSize(1280, 1100);
        speak(page, "简体中文");
        assertThat(region(page, "预览").getByRole(AriaRole.STATUS)).hasText("3 个已连接客户端中 3 个将获取 · 规则选中 3 个");
        Screenshots.take(page, "release-to-chinese");
        Accessibility.check(page);
        speak(page, "English");
        assertThat(region(page, "Preview")).isVisible();
    }

    @Test
    void aReaderSeesTheReleasesAndCannotAct() {
        for (String[] more : new String[][] {
            {"content", OLD},
            {"content", NEW, "grayName", "zone-a", "grayType", "label", "grayRuleExp", "zone = a"}
        }) {
            List<String> form =
                    new ArrayList<>(List.of("namespaceId", "public", "groupName", "G", "dataId", "seen.yaml"));
            form.addAll(List.of(more));
            accounts.asAdmin("POST", "/v3/admin/cs/config", form.toArray(String[]::new));
        }
        accounts.user("rea", "r public:G:*/*");
        Page page = console.visitor();
        List<String> refused = new CopyOnWriteArrayList<>();
        page.onResponse(response -> {
            if (response.status() == 401 || response.status() == 403) {
                refused.add(response.status() + " " + response.url());
            }
        });
        accounts.signedIn(page, "configs/one?ns=public&group=G&dataId=seen.yaml", "rea");
        Locator list = region(page, "Releases to some clients");
        assertThat(row(list, "zone-a")).containsText("clients with zone = a");
        assertThat(list.getByRole(AriaRole.BUTTON)).hasCount(0);
        assertThat(page.getByText("Release to", new Page.GetByTextOptions().setExact(true)))
                .hasCount(0);
        Screenshots.take(page, "release-reader");
        Accessibility.check(page);
        assertThat(refused).isEmpty();
    }
}
