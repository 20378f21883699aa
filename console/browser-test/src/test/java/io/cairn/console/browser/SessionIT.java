package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.LoadState;
import io.cairn.server.support.InspectableServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A session is shared by the tabs of a browser, and nothing that needs one is asked for before there is one. */
@Tag("full")
class SessionIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final Accounts accounts = new Accounts(cairn);
    private static final String DEEP = "configs/one?ns=dev&group=G&dataId=deep.yaml&tab=history";

    @BeforeAll
    static void fill() {
        accounts.asAdmin("POST", "/v3/admin/core/namespace", "namespaceId", "dev", "namespaceName", "dev");
        accounts.publish("dev", "G", "deep.yaml", "a: 1\n");
        for (String name : new String[] {"ana", "bob", "ina"}) {
            accounts.user(name, "rw dev:*:*/*");
        }
    }

    /** Another tab of the same browser. */
    private static Page tab(Page beside, String view) {
        Page page = beside.context().newPage();
        page.navigate(accounts.address("/ui/" + view));
        return page;
    }

    private static Locator signIn(Page page) {
        return page.getByLabel("User name");
    }

    private static boolean isRefusal(Response response) {
        return response.status() == 401 || response.status() == 403;
    }

    /** The refusals that a page gets from now on. */
    private static List<String> refusals(Page page) {
        List<String> refused = new CopyOnWriteArrayList<>();
        page.onResponse(response -> {
            if (isRefusal(response)) {
                refused.add(response.url());
            }
        });
        return refused;
    }

    @Test
    void nothingIsRefusedBeforeTheSignInAndTheWantedViewFollowsIt() {
        for (String view : new String[] {"", "overview", DEEP, "services?ns=dev", "audit"}) {
            Page page = console.visitor(new Browser.NewContextOptions());
            List<String> calls = new CopyOnWriteArrayList<>();
            List<String> refused = refusals(page);
            page.onResponse(response -> {
                if (response.url().contains("/v3/")) {
                    calls.add(response.url());
                }
            });
            page.navigate(accounts.address("/ui/" + view));
            assertThat(signIn(page)).isVisible();
            page.waitForLoadState(LoadState.NETWORKIDLE);
            assertThat(refused).as(view).isEmpty();
            assertThat(calls).as(view).allMatch(url -> url.matches(".*/v3/console/(server/state|health/readiness)"));
            if (view.equals(DEEP)) {
                assertThat(signIn(page)).isFocused();
                Accessibility.check(page);
                Screenshots.take(page, "session-sign-in");
            }
            Accounts.signIn(page, "ana", "pw-of-ana");
            assertThat(Accounts.account(page, "ana")).isVisible();
            assertThat(page).hasURL(accounts.address("/ui/" + (view.isEmpty() ? "overview" : view)));
            if (view.equals(DEEP)) {
                assertThat(page.getByText("What it changed")).isVisible();
            }
            assertThat(refused).as(view).isEmpty();
        }
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aNewTabTakesTheSessionAndNothingIsKeptForAllTabs() {
        Page first = accounts.signedIn(console.visitor(), "overview", "ana");
        Page second = first.context().newPage();
        List<String> refused = refusals(second);
        second.navigate(accounts.address("/ui/" + DEEP));

        assertThat(Accounts.account(second, "ana")).isVisible();
        assertThat(second.getByText("What it changed")).isVisible();
        assertThat(second).hasURL(accounts.address("/ui/" + DEEP));
        assertThat(signIn(second)).hasCount(0);
        assertThat(refused).isEmpty();
        Screenshots.take(second, "session-second-tab");
        String token = (String) first.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).token");
        assertThat(second.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).token"))
                .isEqualTo(token);
        assertThat((String) first.evaluate("JSON.stringify({ ...localStorage })"))
                .doesNotContain(token)
                .doesNotContain("ana");
        assertThat(first.context().cookies()).isEmpty();
        second.reload();
        assertThat(Accounts.account(second, "ana")).isVisible();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aTabOfAnotherBrowserGetsNoSession() {
        accounts.signedIn(console.visitor(), "overview", "ana");
        Page other = console.visitor();
        other.navigate(accounts.address("/ui/" + DEEP));

        assertThat(signIn(other)).isVisible();
        assertThat(other.getByText("What it changed")).hasCount(0);
    }

    @Test
    void aSignOutInOneTabSignsOutAll() {
        Page first = accounts.signedIn(console.visitor(), "overview", "ana");
        Page second = tab(first, DEEP);
        assertThat(Accounts.account(second, "ana")).isVisible();
        Object left = second.evaluate("sessionStorage.getItem('cairn.session')");

        Accounts.signOut(first, "ana");

        assertThat(signIn(first)).isVisible();
        assertThat(signIn(second)).isVisible();
        assertThat(second.getByText("What it changed")).hasCount(0);
        assertThat(second.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).token"))
                .isNull();
        assertThat(signIn(tab(first, "overview"))).isVisible();

        // A tab that the browser had put aside, or one that is opened again, comes with what it had then.
        Page again = first.context().newPage();
        again.addInitScript("sessionStorage.setItem('cairn.session', " + quoted(left) + ")");
        again.navigate(accounts.address("/ui/" + DEEP));
        assertThat(signIn(again)).isVisible();

        // The next sign-in is for all of them, whoever it is.
        Accounts.signIn(second, "bob", "pw-of-bob");
        assertThat(Accounts.account(second, "bob")).isVisible();
        assertThat(Accounts.account(first, "bob")).isVisible();
        assertThat(second).hasURL(accounts.address("/ui/" + DEEP));
        assertThat(console.complaints()).isEmpty();
    }

    private static String quoted(Object text) {
        return '\'' + String.valueOf(text).replace("\\", "\\\\").replace("'", "\\'") + '\'';
    }

    @Test
    void keepsATabWithAnotherUsersLogin() {
        Page first = accounts.signedIn(console.visitor(), "overview", "ana");
        Page second = tab(first, DEEP);
        assertThat(Accounts.account(second, "ana")).isVisible();
        Accounts.signOut(second, "ana");
        assertThat(signIn(first)).isVisible();
        signIn(second).fill("bob");

        Accounts.signIn(first, "ana", "pw-of-ana");
        assertThat(Accounts.account(first, "ana")).isVisible();
        // A third tab has the session, so that the message has been sent and delivered.
        assertThat(Accounts.account(tab(first, "overview"), "ana")).isVisible();
        assertThat(signIn(second)).hasValue("bob");
        Accounts.signIn(second, "bob", "pw-of-bob");

        assertThat(Accounts.account(second, "bob")).isVisible();
        assertThat(Accounts.account(first, "ana")).isVisible();
        first.reload();
        assertThat(Accounts.account(first, "ana")).isVisible();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aNewPasswordInOneTabRenewsTheSessionOfTheOthers() {
        Page first = accounts.signedIn(console.visitor(), "overview", "ina");
        Page second = tab(first, "configs/new?ns=dev");
        assertThat(Accounts.account(second, "ina")).isVisible();
        second.getByLabel("Description").fill("half done");
        Object before = second.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).token");

        Accounts.account(first, "ina").click();
        first.getByText("Change your password").click();
        first.getByLabel("Current password", new Page.GetByLabelOptions().setExact(true))
                .fill("pw-of-ina");
        for (String label : new String[] {"New password", "New password again"}) {
            first.getByLabel(label, new Page.GetByLabelOptions().setExact(true)).fill("another of ina");
        }
        first.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Change password").setExact(true))
                .click();
        assertThat(first.getByRole(AriaRole.DIALOG)).hasCount(0);

        second.waitForFunction(
                "before => JSON.parse(sessionStorage.getItem('cairn.session')).token !== before", before);
        assertThat(signIn(second)).hasCount(0);
        assertThat(second.getByLabel("Description")).hasValue("half done");
        second.getByLabel("Data ID").fill("by-ina.yaml");
        second.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        second.keyboard().insertText("a: 1");
        second.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Publish").setExact(true))
                .click();
        assertThat(second).hasURL(accounts.address("/ui/configs/one?ns=dev&group=DEFAULT_GROUP&dataId=by-ina.yaml"));
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void anExpiredSessionAsksForALoginWithoutAFailedRequest() {
        Page page = console.visitor();
        List<String> refused = refusals(page);
        // Nobody waits for five hours: the server's answer is told to be good for ten seconds.
        page.route("**/v3/auth/user/login", route -> {
            APIResponse answer = route.fetch();
            route.fulfill(new Route.FulfillOptions()
                    .setResponse(answer)
                    .setBody(answer.text().replaceFirst("\"tokenTtl\":\\d+", "\"tokenTtl\":10")));
        });
        accounts.signedIn(page, "overview", "ana");
        Page beside = tab(page, DEEP);
        // By now or from the beginning: nobody has a session any more. A tab asks when it is looked at again.
        await().untilAsserted(() -> {
            beside.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
            assertThat(signIn(beside)).isVisible(new LocatorAssertions.IsVisibleOptions().setTimeout(500));
        });
        page.unroute("**/v3/auth/user/login");
        page.reload();
        assertThat(signIn(page)).isVisible();
        page.waitForLoadState(LoadState.NETWORKIDLE);
        assertThat(refused).isEmpty();

        Accounts.signIn(page, "ana", "pw-of-ana");
        assertThat(Accounts.account(page, "ana")).isVisible();
        assertThat(Accounts.account(beside, "ana")).isVisible();
        assertThat(refused).isEmpty();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void aTokenThatTheServerNoLongerTakesIsTriedByOneRequest() {
        accounts.user("gus", "r dev:*:*/*");
        Page page = accounts.signedIn(console.visitor(), "overview", "gus");
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        page.navigate("about:blank");
        accounts.asAdmin("PUT", "/v3/auth/user", "username", "gus", "newPassword", "another of gus");
        List<String> refused = refusals(page);

        page.navigate(accounts.address("/ui/" + DEEP));

        assertThat(page.getByText("Please sign in again")).isVisible();
        page.waitForLoadState(LoadState.NETWORKIDLE);
        assertThat(refused).hasSize(1);
        Accounts.signIn(page, "gus", "another of gus");
        assertThat(page.getByText("What it changed")).isVisible();
        assertThat(refused).hasSize(1);
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void theSignInFitsAPhone() {
        Page page = Narrow.visitor(console);
        page.navigate(accounts.address("/ui/" + DEEP));
        assertThat(signIn(page)).isFocused();
        Accessibility.check(page);
        Screenshots.take(page, "session-sign-in-390");
        Number overflow =
                (Number) page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assertThat(overflow.intValue()).as("no sideways scrolling").isZero();
    }
}
