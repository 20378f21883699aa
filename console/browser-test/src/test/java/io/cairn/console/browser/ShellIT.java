package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ReducedMotion;
import io.cairn.server.support.CairnExtension;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The frame of the pages: navigation, search, languages, themes, login, an unavailable server. */
class ShellIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String[] PAGES = {
        "Configurations",
        "Import",
        "Services",
        "Proxies",
        "Namespaces",
        "Users and rights",
        "API tokens",
        "Audit log",
        "Connections",
        "Nodes",
        "Settings",
        "Overview"
    };

    private static Page open(String view) {
        return open(view, console.visitor());
    }

    private static Page open(String view, Page page) {
        page.navigate(cairn.uri(view).toString());
        return page;
    }

    private static Locator heading(Page page, String text) {
        return page.getByRole(
                AriaRole.HEADING, new Page.GetByRoleOptions().setName(text).setLevel(1));
    }

    private static void store(String dataId, String content) {
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of("dataId", dataId, "groupName", "G", "content", content, "type", "yaml"))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void everyPageOfTheNavigationOpensByClickAndByItsAddress() {
        store("a.yaml", "a: 1");
        Page page = open("/");
        assertThat(heading(page, "Overview")).isVisible();
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        for (String name : PAGES) {
            page.getByRole(AriaRole.NAVIGATION)
                    .getByRole(
                            AriaRole.LINK,
                            new Locator.GetByRoleOptions().setName(name).setExact(true))
                    .click();
            assertThat(heading(page, name)).isVisible();
            assertThat(page.locator(".ant-skeleton")).hasCount(0);
            assertThat(page.locator(".ant-alert-error")).hasCount(0);
            Screenshots.take(page, "page-" + name.toLowerCase(Locale.ROOT).replace(" ", "-"));
            Accessibility.checkInBothThemes(page);
            page.reload();
            assertThat(heading(page, name)).isVisible();
        }
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void theWindowTitleNamesThePage() {
        store("titled.yaml", "a: 1");
        cairn.post(
                "/v3/admin/core/namespace",
                Map.of("namespaceId", "titles", "namespaceName", "Titles", "namespaceDesc", ""));
        Page page = open("/ui/configs?ns=public");
        assertThat(page).hasTitle("Configurations · public · Cairn");
        page.getByText("titled.yaml").click();
        assertThat(page).hasTitle("titled.yaml · Configuration · public · Cairn");
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("History"))
                .click();
        assertThat(page).hasTitle("titled.yaml · Configuration · public · Cairn");
        page.goBack();
        assertThat(page).hasTitle("Configurations · public · Cairn");
        page.navigate(cairn.uri("/ui/services/one?ns=titles&group=DEFAULT_GROUP&service=orders")
                .toString());
        assertThat(page).hasTitle("orders · Service · Titles · Cairn");
        page.navigate(
                cairn.uri("/ui/configs/new?ns=titles&group=G&dataId=new.yaml").toString());
        assertThat(page).hasTitle("new.yaml · New configuration · Titles · Cairn");
        page.navigate(cairn.uri("/ui/nodes").toString());
        assertThat(page).hasTitle("Nodes · Cairn");
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        assertThat(page).hasTitle("节点 · Cairn");
    }

    @Test
    void showsNodeLimitsAndSettingsOfTheServer() {
        JsonNode node = data("/v3/admin/core/cluster/node/list").path(0);
        Page page = open("/ui/nodes");
        Locator shown = page.locator("tbody tr.ant-table-row");
        assertThat(shown.locator("td").first())
                .hasText(Pattern.compile("^\\S+:" + cairn.uri("/").getPort() + "$"));
        assertThat(shown.locator("td").nth(1)).hasText("In service");
        assertThat(shown.locator("td").nth(2))
                .hasText(node.path("extendInfo").path("version").asString());

        page.navigate(cairn.uri("/ui/settings").toString());
        assertThat(page.locator("dt:text-is('startup_mode') + dd")).hasText("standalone");
        Locator rows = page.locator("tr.ant-table-row");
        for (JsonNode limit : data("/v3/admin/core/limits")) {
            String name = limit.path("name").asString();
            Locator row = rows.filter(new Locator.FilterOptions()
                    .setHas(page.getByText(
                            limit.path("setting").asString(), new Page.GetByTextOptions().setExact(true))));
            assertThat(row).hasCount(1);
            if (!name.endsWith("-bytes")) {
                assertThat(row)
                        .containsText(String.format(
                                Locale.ROOT, "/ %,d", limit.path("max").asLong()));
            }
            // By the displayed name, not by the server's internal name.
            assertThat(page.getByText(name, new Page.GetByTextOptions().setExact(true)))
                    .hasCount(0);
        }
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("cairn.limits.watches-per-connection")))
                .containsText("Watches of one connection");
    }

    private static JsonNode data(String path) {
        JsonNode data = JsonMapper.shared().readTree(cairn.get(path).body()).path("data");
        assertThat(data.isEmpty()).as(path).isFalse();
        return data;
    }

    @Test
    void findsEverythingWithTheKeyboard() {
        store("needle.yaml", "a: 1");
        Page page = open("/");
        assertThat(heading(page, "Overview")).isVisible();
        page.keyboard().press("ControlOrMeta+k");
        Locator field = page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Search everything"));
        assertThat(field).isFocused();
        page.keyboard().type("needle");
        assertThat(page.getByRole(AriaRole.OPTION).first()).containsText("needle.yaml");
        assertThat(page.getByText("Configurations and services of the namespace public;"))
                .isVisible();
        Screenshots.take(page, "palette");
        Accessibility.check(page);
        page.keyboard().press("Enter");
        assertThat(heading(page, "needle.yaml")).isVisible();
        assertThat(page.url()).contains("dataId=needle.yaml");
        page.keyboard().press("ControlOrMeta+k");
        page.keyboard().type("Namesp");
        assertThat(page.getByRole(AriaRole.OPTION).first()).containsText("Namespaces");
        page.keyboard().press("Enter");
        assertThat(heading(page, "Namespaces")).isVisible();
    }

    @Test
    void remembersLanguageAndTheme() {
        store("b.yaml", "a: 1");
        Page page = open("/ui/configs?ns=public");
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        assertThat(heading(page, "配置")).isVisible();
        page.getByLabel("深色主题").click();
        assertThat(page.locator("html[data-theme=dark][lang=zh-CN]")).hasCount(1);
        assertThat(page.getByText("b.yaml")).isVisible();
        Screenshots.take(page, "configs-dark-chinese");
        Accessibility.check(page);
        page.reload();
        assertThat(heading(page, "配置")).isVisible();
        assertThat(page.locator("html[data-theme=dark]")).hasCount(1);
        page.getByText("b.yaml").click();
        assertThat(page.getByText("与已存储版本一致")).isVisible();
        Screenshots.take(page, "config-dark-chinese");
        Accessibility.check(page);
    }

    @Test
    void usesTheSystemThemeAndANavigationDrawerOnATablet() {
        Page page = console.visitor(820, 1100);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        open("/", page);
        assertThat(heading(page, "Overview")).isVisible();
        assertThat(page.locator("html[data-theme=dark]")).hasCount(1);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Pages"))
                .click();
        page.getByRole(AriaRole.NAVIGATION)
                .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName("Services"))
                .click();
        assertThat(heading(page, "Services")).isVisible();
        Screenshots.take(page, "tablet-dark");
        Number overflow =
                (Number) page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertThat(overflow.intValue()).as("no sideways scrolling").isZero();
    }

    @ParameterizedTest
    @EnumSource(ReducedMotion.class)
    void opensAListInViewWithAndWithoutAnimation(ReducedMotion wanted) {
        Page page = console.visitor();
        page.emulateMedia(new Page.EmulateMediaOptions().setReducedMotion(wanted));
        open("/ui/namespaces", page);
        page.getByLabel("Clone public").click();
        page.getByRole(AriaRole.DIALOG).getByLabel("Into namespace").click();
        assertThat(page.locator(".ant-select-dropdown")).isInViewport();
    }

    @Test
    void rowActionsFitATabletScreen() {
        cairn.post(
                "/v3/admin/core/namespace",
                Map.of("namespaceId", "wide", "namespaceName", "wide", "namespaceDesc", "many words ".repeat(12)));
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of(
                        "serviceName",
                        "wide",
                        "ip",
                        "10.120.130.140",
                        "port",
                        "18080",
                        "ephemeral",
                        "false",
                        "metadata",
                        "{\"preserved.register.source\":\"SPRING_CLOUD\",\"note\":\"" + "long".repeat(40) + "\"}"));
        Page page = open("/ui/namespaces", console.visitor(768, 1024));
        assertThat(page.getByLabel("Delete wide")).isInViewport();
        page.navigate(cairn.uri("/ui/services/one?ns=public&group=DEFAULT_GROUP&service=wide")
                .toString());
        Locator deregister = page.getByLabel("Deregister 10.120.130.140:18080");
        assertThat(deregister).isInViewport();
        Screenshots.take(page, "service-tablet");
        Accessibility.check(page);
        Number overflow =
                (Number) page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertThat(overflow.intValue()).as("no sideways scrolling").isZero();
    }

    @Test
    void missingObjectsAreReportedWithALink() {
        Page page = open("/ui/services/one?ns=public&group=DEFAULT_GROUP&service=nowhere");
        assertThat(page.getByText("There is no such service in this namespace."))
                .isVisible();
        page.getByText("To the list of services").click();
        assertThat(heading(page, "Services")).isVisible();
        page.navigate(cairn.uri("/ui/configs/one?ns=public&group=G&dataId=nowhere&tab=beta")
                .toString());
        assertThat(page.getByText("There is no such configuration in this namespace."))
                .isVisible();
        page.getByText("Create it").click();
        assertThat(page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Data ID").setExact(true)))
                .hasValue("nowhere");
        page.navigate(cairn.uri("/ui/nowhere").toString());
        page.getByText("To the overview").click();
        assertThat(heading(page, "Overview")).isVisible();
    }

    @Test
    void createsSelectsAndDeletesANamespace() {
        Page page = open("/ui/namespaces");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("New namespace"))
                .click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Name").setExact(true))
                .fill("Staging");
        page.getByLabel("ID (generated when empty)").fill("staging");
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Save"))
                .click();
        Locator made = page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Staging"));
        assertThat(made).isVisible();
        // This server does not enforce the quota, so the page does not show it.
        assertThat(page.locator("tbody")).not().containsText("/ 200");
        made.click();
        assertThat(heading(page, "Configurations")).isVisible();
        assertThat(page.getByText("0 in Staging")).isVisible();
        assertThat(page.getByText("This namespace holds no configurations yet."))
                .isVisible();
        Screenshots.take(page, "configs-empty");
        Accessibility.check(page);
        page.navigate(cairn.uri("/ui/namespaces").toString());
        page.getByLabel("Delete Staging").click();
        page.getByLabel("Type Staging to confirm").fill("Staging");
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("Staging")))
                .hasCount(0);
    }

    @Test
    void clonesANamespaceAfterADryRun() {
        for (String id : List.of("cloned-from", "cloned-to")) {
            cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", id, "namespaceName", id));
        }
        for (String dataId : List.of("first.yaml", "second.yaml")) {
            cairn.post(
                    "/v3/admin/cs/config",
                    Map.of("namespaceId", "cloned-from", "groupName", "G", "dataId", dataId, "content", "new: 1"));
        }
        cairn.post(
                "/v3/admin/cs/config",
                Map.of("namespaceId", "cloned-to", "groupName", "G", "dataId", "first.yaml", "content", "old: 1"));
        Page page = open("/ui/namespaces");
        page.getByLabel("Clone cloned-from").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        dialog.getByLabel("Into namespace").click();
        page.locator(".ant-select-item-option").getByText("cloned-to").click();
        assertThat(dialog.getByText("Dry run: 1 would be created, 0 overwritten, 0 unchanged, 1 skipped"))
                .isVisible();
        Screenshots.take(page, "namespace-clone");
        Accessibility.check(page);
        dialog.getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName("Clone").setExact(true))
                .click();
        Toasts.await(page, "1 cloned, 1 skipped");
        assertThat(page.getByText("2 in cloned-to")).isVisible();
        assertThat(cairn.get("/v1/cs/configs?tenant=cloned-to&group=G&dataId=first.yaml")
                        .body())
                .isEqualTo("old: 1");
    }

    @Test
    void anExpiredSessionAsksForALoginAndKeepsTypedText() {
        store("typed.yaml", "a: 1\n");
        Page page = open("/ui/configs/one?ns=public&group=G&dataId=typed.yaml");
        Locator editor = page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content").setExact(true));
        editor.click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText("a: 2\n");
        // This server requires no login, so the test replaces responses with refusals. It replaces only those of
        // publish requests: a view that reloads meanwhile would be refused first.
        page.route("**/v3/admin/cs/config**", route -> {
            if (route.request().method().equals("GET")
                    || "Bearer fresh".equals(route.request().headers().get("authorization"))) {
                route.resume();
            } else {
                route.fulfill(new Route.FulfillOptions()
                        .setStatus(403)
                        .setContentType("application/json")
                        .setBody("{\"status\":403,\"error\":\"Forbidden\",\"message\":\"token expired!\"}"));
            }
        });
        page.route("**/v3/auth/user/login", route -> {
            boolean right = route.request().postData().contains("right");
            route.fulfill(new Route.FulfillOptions()
                    .setStatus(right ? 200 : 403)
                    .setContentType("application/json")
                    .setBody(
                            right
                                    ? "{\"accessToken\":\"fresh\",\"tokenTtl\":18000,\"globalAdmin\":true,\"username\":\"nacos\"}"
                                    : "User not found! Please check user exist or password is right!"));
        });
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Review and publish"))
                .click();
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Publish").setExact(true))
                .click();
        page.getByLabel("User name").fill("nacos");
        page.getByLabel("Password", new Page.GetByLabelOptions().setExact(true)).fill("wrong");
        Locator signIn = page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Sign in").setExact(true));
        signIn.click();
        assertThat(page.getByText("User not found!")).isVisible();
        Screenshots.take(page, "sign-in");
        page.getByLabel("Password", new Page.GetByLabelOptions().setExact(true)).fill("right");
        signIn.click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(cairn.get("/v1/cs/configs?group=G&dataId=typed.yaml").body()).isEqualTo("a: 2\n");
    }

    @Test
    void waitsForAnUnavailableServer() {
        Page page = open("/ui/overview");
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        page.context().setOffline(true);
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("The server cannot be reached");
        assertThat(page.getByText("The server does not answer; this is its last known state."))
                .isVisible();
        assertThat(page.getByText("Recent changes")).isVisible();
        page.context().setOffline(false);
        assertThat(page.getByRole(AriaRole.ALERT)).hasCount(0);
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
    }

    @Test
    void repeatsARequestThatFailedForAMoment() {
        AtomicInteger asked = new AtomicInteger();
        AtomicBoolean isBack = new AtomicBoolean();
        Page page = console.visitor();
        page.route("**/v3/admin/auth/audit/list**", route -> {
            asked.incrementAndGet();
            if (!isBack.get()) {
                route.fulfill(
                        new Route.FulfillOptions()
                                .setStatus(503)
                                .setContentType("application/json")
                                .setBody(
                                        "{\"code\":10002,\"message\":\"data access error\",\"data\":\"The database is away\"}"));
            } else {
                route.resume();
            }
        });
        page.navigate(cairn.uri("/ui/audit").toString());
        assertThat(page.getByText("The database is away")).isVisible();
        isBack.set(true);
        assertThat(page.getByText(Pattern.compile("^[0-9,]+ entries$"))).isVisible();
        assertThat(page.getByText("The database is away")).hasCount(0);
        assertThat(asked.get()).isGreaterThanOrEqualTo(2);
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void theFirstViewIsSmallAndLoadsNoForeignFiles() {
        store("first.yaml", "a: 1");
        Page page = console.visitor(new Browser.NewContextOptions()); // with an empty cache
        List<Request> requests = new CopyOnWriteArrayList<>();
        page.onRequest(requests::add);
        long begun = System.nanoTime();
        page.navigate(cairn.uri("/").toString());
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        // The check covers the server's static files; the size of API responses depends on the data.
        List<Request> files = requests.stream()
                .filter(each -> each.url().contains("/assets/") || each.isNavigationRequest())
                .toList();
        long bytes = files.stream()
                .mapToLong(each -> each.sizes().responseBodySize + each.sizes().responseHeadersSize)
                .sum();
        System.out.printf(
                Locale.ROOT,
                "First view: %d requests, of these %d files with %,d bytes; shown after %d ms%n",
                requests.size(),
                files.size(),
                bytes,
                millis);
        assertThat(files).hasSizeBetween(3, 40);
        assertThat(bytes).as("bytes of the first view's files, as sent").isBetween(50_000L, 400_000L);
        String own = "http://" + cairn.uri("/").getAuthority() + "/";
        assertThat(requests).extracting(Request::url).allSatisfy(url -> assertThat(url)
                .matches(Pattern.compile("(data:|blob:|" + Pattern.quote(own) + ").*", Pattern.DOTALL)));
        assertThat(requests)
                .noneMatch(
                        each -> each.url().contains("languages-") || each.url().contains("CodeEditor-"));
    }
}
