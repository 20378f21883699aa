package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.InspectableServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pages fit the rights of their user: what it may not read or do is not offered, and nothing is asked for that is refused. */
@Tag("full")
class RightsIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final Accounts accounts = new Accounts(cairn);
    private static final String CONFIG = "configs/one?ns=dev&group=%s&dataId=%s";
    private static final String SERVICE = "services/one?ns=dev&group=G&service=seen";

    @BeforeAll
    static void fill() {
        for (String namespace : new String[] {"dev", "other"}) {
            accounts.asAdmin(
                    "POST", "/v3/admin/core/namespace", "namespaceId", namespace, "namespaceName", "The " + namespace);
        }
        accounts.publish("dev", "G", "seen.yaml", "a: 1\n");
        accounts.publish("dev", "G", "seen.yaml", "a: 2\n");
        accounts.publish("dev", "G", "written.yaml", "b: 1\n");
        accounts.publish("dev", "H", "hidden.yaml", "c: 1\n");
        accounts.publish("other", "G", "elsewhere.yaml", "d: 1\n");
        for (String service : new String[] {"G seen", "H hidden"}) {
            accounts.asAdmin(
                    "POST",
                    "/v3/admin/ns/instance",
                    "namespaceId",
                    "dev",
                    "groupName",
                    service.substring(0, 1),
                    "serviceName",
                    service.substring(2),
                    "ip",
                    "10.0.0.1",
                    "port",
                    "8080",
                    "ephemeral",
                    "false");
        }
        accounts.user("rea", "r dev:G:*/*");
        accounts.user("wanda", "r dev:*:*/*", "rw dev:G:config/written*");
        accounts.user("nadine", "r dev:*:naming/*");
        accounts.user("none");
    }

    /** The refusals that a page gets from now on. */
    private static List<String> refusals(Page page) {
        List<String> refused = new CopyOnWriteArrayList<>();
        page.onResponse(response -> {
            if (response.status() == 401 || response.status() == 403) {
                refused.add(response.status() + " " + response.url());
            }
        });
        return refused;
    }

    private static Page open(Page page, String view) {
        page.navigate(accounts.address("/ui/" + view));
        return page;
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator menu(Page page) {
        return page.getByRole(AriaRole.NAVIGATION).getByRole(AriaRole.LINK);
    }

    private static Locator figure(Page page, String label) {
        return page.locator(".figure").filter(new Locator.FilterOptions().setHasText(label));
    }

    private static Locator editor(Page page) {
        return page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content").setExact(true));
    }

    private static void tab(Page page, String name) {
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name)).click();
    }

    private static void isIdle(Page page) {
        assertThat(page.locator(".ant-skeleton")).hasCount(0);
        assertThat(page.locator(".ant-alert-error")).hasCount(0);
    }

    @Test
    void aReaderSeesReadablePagesAndRequestsNothingElse() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, "overview", "rea");

        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        assertThat(menu(page))
                .hasText(new String[] {"Overview", "Configurations", "Services", "Proxies", "Namespaces"});
        assertThat(figure(page, "Configurations").locator("b")).hasText("2");
        assertThat(figure(page, "Services").locator("b")).hasText("1");
        assertThat(figure(page, "Instances").locator("b")).hasText("1");
        assertThat(figure(page, "Namespaces").locator("b")).hasText("1");
        assertThat(figure(page, "Connections")).hasCount(0);
        Screenshots.take(page, "rights-reader-overview");
        Accessibility.check(page);

        for (int i = 0; i < 5; i++) {
            menu(page).nth(i).click();
            isIdle(page);
        }
        assertThat(page.locator("tbody tr.ant-table-row")).hasCount(1);
        assertThat(page.locator("tbody tr.ant-table-row")).hasText(Pattern.compile("The dev.*2"));
        assertThat(page.getByLabel("Clone The dev")).hasCount(0);
        assertThat(page.getByLabel("Delete The dev")).hasCount(0);
        assertThat(button(page, "New namespace")).hasCount(0);
        Screenshots.take(page, "rights-reader-namespaces");

        open(page, "configs?ns=dev");
        page.getByLabel("Choose seen.yaml").check();
        assertThat(button(page, "Export")).isVisible();
        assertThat(button(page, "New configuration")).hasCount(0);
        assertThat(button(page, "Clone")).hasCount(0);
        assertThat(button(page, "Delete")).hasCount(0);
        Screenshots.take(page, "rights-reader-configs");
        page.keyboard().press("ControlOrMeta+k");
        page.keyboard().type("o");
        assertThat(page.getByRole(AriaRole.OPTION).filter(new Locator.FilterOptions().setHasText("Configurations")))
                .hasCount(1);
        for (String title : new String[] {"Audit log", "API tokens", "Connections", "Import"}) {
            assertThat(page.getByRole(AriaRole.OPTION).filter(new Locator.FilterOptions().setHasText(title)))
                    .hasCount(0);
        }
        assertThat(refused).isEmpty();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aReaderLooksAtAConfigurationAndCannotChangeIt() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, CONFIG.formatted("G", "seen.yaml"), "rea");

        assertThat(page.getByText("Your rights allow you to read this, not to change it."))
                .isVisible();
        assertThat(editor(page)).hasAttribute("aria-readonly", "true");
        assertThat(page.getByText("a: 2")).isVisible();
        assertThat(button(page, "Delete")).hasCount(0);
        assertThat(button(page, "Copy content")).isEnabled();
        assertThat(button(page, "Review and publish")).isDisabled();
        assertThat(page.getByLabel("Description")).isDisabled();
        Screenshots.take(page, "rights-reader-config");
        Accessibility.check(page);
        tab(page, "History");
        assertThat(button(page, "What it changed")).hasCount(2);
        assertThat(button(page, "Roll back")).hasCount(0);
        tab(page, "Beta");
        assertThat(button(page, "Start the beta")).isDisabled();
        isIdle(page);
        open(page, CONFIG.formatted("G", "absent.yaml"));
        assertThat(page.getByText("There is no such configuration in this namespace."))
                .isVisible();
        assertThat(page.getByText("Create it")).hasCount(0);
        assertThat(refused).isEmpty();

        Page phone = Narrow.visitor(console);
        accounts.signedIn(phone, CONFIG.formatted("G", "seen.yaml"), "rea");
        assertThat(phone.getByText("a: 2")).isVisible();
        Screenshots.take(phone, "rights-reader-config-390");
        open(phone, "overview");
        assertThat(figure(phone, "Configurations").locator("b")).hasText("2");
        Screenshots.take(phone, "rights-reader-overview-390");
        open(phone, SERVICE);
        assertThat(phone.getByText("10.0.0.1:8080")).isVisible();
        Screenshots.take(phone, "rights-reader-service-390");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aReaderLooksAtAServiceAndCannotChangeIt() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, SERVICE, "rea");

        assertThat(page.getByText("10.0.0.1:8080")).isVisible();
        assertThat(page.getByText("Your rights allow you to read this, not to change it."))
                .isVisible();
        for (String name : new String[] {"Register an instance", "Settings", "Delete", "Health check and metadata"}) {
            assertThat(button(page, name)).hasCount(0);
        }
        assertThat(page.getByLabel("10.0.0.1:8080 receives traffic")).isDisabled();
        assertThat(page.getByLabel("Weight of 10.0.0.1:8080")).hasCount(0);
        assertThat(page.getByLabel("Deregister 10.0.0.1:8080")).hasCount(0);
        assertThat(page.getByLabel("Choose 10.0.0.1:8080")).hasCount(0);
        Screenshots.take(page, "rights-reader-service");
        Accessibility.check(page);
        tab(page, "Subscribers");
        isIdle(page);
        open(page, "services?ns=dev");
        assertThat(page.getByText("1 in The dev")).isVisible();
        assertThat(button(page, "New service")).hasCount(0);
        assertThat(refused).isEmpty();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void offersChangesOnlyForWritableConfigurations() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, CONFIG.formatted("G", "written.yaml"), "wanda");

        assertThat(button(page, "Delete")).isVisible();
        assertThat(menu(page))
                .hasText(new String[] {"Overview", "Configurations", "Import", "Services", "Proxies", "Namespaces"});
        assertThat(page.getByText("Your rights allow you to read this, not to change it."))
                .hasCount(0);
        editor(page).click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText("b: 2\n");
        button(page, "Review and publish").click();
        button(page, "Publish").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        tab(page, "History");
        assertThat(button(page, "Roll back")).hasCount(2);

        open(page, CONFIG.formatted("G", "seen.yaml"));
        assertThat(page.getByText("Your rights allow you to read this, not to change it."))
                .isVisible();
        assertThat(button(page, "Delete")).hasCount(0);
        open(page, SERVICE);
        assertThat(page.getByText("10.0.0.1:8080")).isVisible();
        assertThat(button(page, "Register an instance")).hasCount(0);
        open(page, "configs?ns=dev");
        assertThat(button(page, "New configuration")).isVisible();
        assertThat(refused).isEmpty();

        // A name that the pattern does not reach: the server refuses it, and the console says so in words.
        open(page, "configs/new?ns=dev&group=G&dataId=else.yaml");
        editor(page).click();
        page.keyboard().insertText("e: 1");
        button(page, "Publish").click();
        assertThat(page.getByText("You have no right that allows this.")).isVisible();
        assertThat(refused).hasSize(1);
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aForbiddenPageExplainsItselfAtItsAddress() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, "audit", "nadine");

        for (String view : new String[] {"audit", "users", "tokens", "connections", "nodes", "settings"}) {
            open(page, view);
            assertThat(page.getByText("Only users with the role ROLE_ADMIN may see this page."))
                    .isVisible();
        }
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Settings")))
                .isVisible();
        Screenshots.take(page, "rights-refused-page");
        Accessibility.check(page);
        for (String view : new String[] {"configs?ns=dev", "configs/one?ns=dev&group=G&dataId=seen.yaml"}) {
            open(page, view);
            assertThat(page.getByText("You have no right to read configurations in this namespace."))
                    .isVisible();
        }
        for (String view : new String[] {"import?ns=dev", "configs/new?ns=dev"}) {
            open(page, view);
            assertThat(page.getByText("You have no right to change configurations in this namespace."))
                    .isVisible();
        }
        open(page, "services?ns=other");
        assertThat(page.getByText("You have no right to read services in this namespace."))
                .isVisible();
        assertThat(menu(page)).hasText(new String[] {"Overview", "Namespaces"});
        open(page, "services?ns=dev");
        assertThat(page.getByText("2 in The dev")).isVisible();
        assertThat(menu(page)).hasText(new String[] {"Overview", "Services", "Proxies", "Namespaces"});
        assertThat(refused).isEmpty();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aUserWithoutAnyRightGetsAnEmptyOverviewAndNoRefusals() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        accounts.signedIn(page, "overview", "none");

        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        assertThat(menu(page)).hasText(new String[] {"Overview", "Namespaces"});
        assertThat(figure(page, "Services").locator("b")).hasText("0");
        assertThat(figure(page, "Configurations").locator("b")).hasText("0");
        assertThat(refused).isEmpty();
        assertThat(console.complaints()).isEmpty();
    }
}
