package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Download;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.support.InspectableServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that requires a login: the first login, users and their permissions, tokens, the audit log. */
@Tag("full")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class) // the first sign-in is the first once
class AccountsIT {

    private static final String PASSWORD = "chosen by the operator";

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static String address(String path) {
        return "http://127.0.0.1:" + cairn.httpPort() + "/nacos" + path;
    }

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(address("/ui/" + view));
        return page;
    }

    private static Page signedIn(String view) {
        Page page = open(view);
        assertThat(page.getByLabel("User name")).isFocused();
        signIn(page, "nacos", PASSWORD);
        assertThat(button(page, "Account of nacos")).isVisible();
        return page;
    }

    private static void signIn(Page page, String username, String password) {
        Accounts.signIn(page, username, password);
    }

    private static Locator field(Page page, String label) {
        return page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** A text field of the open dialog; the table behind it may have a column of the same name. */
    private static Locator dialogField(Page page, String label) {
        return page.getByRole(AriaRole.DIALOG)
                .getByRole(
                        AriaRole.TEXTBOX,
                        new Locator.GetByRoleOptions().setName(label).setExact(true));
    }

    private static void tab(Page page, String name) {
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name)).click();
    }

    private static Locator status(Page page) {
        return page.getByRole(AriaRole.STATUS);
    }

    @Test
    @Order(1)
    void theGeneratedPasswordMustBeChangedAtTheFirstLogin() throws IOException {
        String generated =
                Files.readString(cairn.part(SecretFolder.class).passwordFile()).trim();
        Page page = open("overview");
        signIn(page, "nacos", "not " + generated);
        assertThat(page.getByText("User not found!")).isVisible();
        Accessibility.check(page);
        signIn(page, "nacos", generated);
        assertThat(page.getByText("Set your own password to continue.")).isVisible();
        page.keyboard().press("Escape");
        assertThat(page.getByText("Set your own password to continue.")).isVisible();
        Screenshots.take(page, "first-sign-in");
        Locator unchanged = page.getByText("still has the password generated at the first start");
        assertThat(unchanged).hasCount(1); // on the overview behind the dialog
        field(page, "Current password").fill("not " + generated);
        field(page, "New password").fill(PASSWORD);
        field(page, "New password again").fill("something else");
        button(page, "Change password").click();
        assertThat(page.getByText("The passwords differ")).isVisible();
        field(page, "New password again").fill(PASSWORD);
        button(page, "Change password").click();
        assertThat(page.getByText("This is not your current password.")).isVisible();
        Screenshots.take(page, "wrong-current-password");
        Accessibility.check(page);
        field(page, "Current password").fill(generated);
        button(page, "Change password").click();
        assertThat(page.getByText("Set your own password to continue.")).hasCount(0);
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        page.reload();
        assertThat(page.getByText("Nothing needs attention in this namespace.")).isVisible();
        assertThat(unchanged).hasCount(0);
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    @Order(2)
    void createsAUserWithAPermissionAndPreviewsItsEffect() {
        Page page = signedIn("users");
        button(page, "New user").click();
        dialogField(page, "User name").fill("ana");
        dialogField(page, "Password").fill("ana's own password");
        page.getByRole(AriaRole.DIALOG).getByRole(AriaRole.COMBOBOX).fill("DEVELOPERS");
        page.keyboard().press("Enter");
        page.getByRole(AriaRole.DIALOG).getByText("New user").click();
        button(page, "Create").click();
        assertThat(page.getByText("2 users")).isVisible();
        Screenshots.take(page, "users");
        Accessibility.check(page);

        tab(page, "Roles and rights");
        button(page, "Grant a right to DEVELOPERS").click();
        page.getByText("may read and write", new Page.GetByTextOptions().setExact(true))
                .click();
        page.getByLabel("Group (* stands for any characters)").fill("TEAM_A");
        page.getByLabel("Name (* stands for any characters)").fill("order-*");
        assertThat(page.getByText("public:TEAM_A:*/order-*")).isVisible();
        Screenshots.take(page, "right-new");
        button(page, "Save").click();
        assertThat(page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("DEVELOPERS")))
                .containsText("may read and write");
        Screenshots.take(page, "roles");
        Accessibility.check(page);

        tab(page, "Users");
        button(page, "What may ana do?").click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Group").setExact(true))
                .fill("TEAM_A");
        page.getByLabel("Data ID").fill("order-service.yaml");
        assertThat(status(page).filter(new Locator.FilterOptions().setHasText("ana may change it")))
                .containsText("Because of the role DEVELOPERS");
        Screenshots.take(page, "rights-preview");
        Accessibility.check(page);
        page.getByLabel("Data ID").fill("billing.yaml");
        assertThat(page.getByText("ana may not read it")).isVisible();
        assertThat(page.getByText("No right of this user covers it.")).isVisible();

        tab(page, "Roles and rights");
        button(page, "Revoke public:TEAM_A:*/order-* of DEVELOPERS").click();
        assertThat(page.getByText("public:TEAM_A:*/order-*")).hasCount(0);
        tab(page, "Users");
        button(page, "New password for ana").click();
        dialogField(page, "New password").fill("another one");
        button(page, "Save").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        Page ana = open("users");
        signIn(ana, "ana", "another one");
        assertThat(ana.getByText("You are not allowed to do this")).isVisible();
        button(page, "Delete ana").click();
        button(page, "Delete").click();
        assertThat(page.getByText("1 users")).isVisible();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    @Order(3)
    void showsATokenOnceLimitsItToItsScopeAndRevokesIt() throws Exception {
        Page page = signedIn("tokens");
        button(page, "New token").click();
        dialogField(page, "Name").fill("deploy");
        page.getByLabel("Group (* stands for any characters)").fill("CI");
        Screenshots.take(page, "token-new");
        button(page, "Create").click();
        Locator shown = page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("The new token"));
        assertThat(page.getByText("It is shown only once")).isVisible();
        String token = shown.inputValue();
        assertThat(token).startsWith("cairn_");
        Screenshots.take(page, "token-shown");
        assertThat(read(token, "CI")).isEqualTo(404);
        assertThat(read(token, "OTHER")).isEqualTo(403);
        button(page, "I have saved it").click();
        assertThat(page.getByText("Active", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(page.content()).doesNotContain(token);
        Screenshots.take(page, "tokens");
        Accessibility.check(page);
        button(page, "Revoke deploy").click();
        button(page, "Revoke").click();
        assertThat(page.getByText("Revoked", new Page.GetByTextOptions().setExact(true))
                        .first())
                .isVisible();
        assertThat(page.getByText("Active", new Page.GetByTextOptions().setExact(true)))
                .hasCount(0);
        assertThat(read(token, "CI")).isEqualTo(403);
        assertThat(console.complaints()).isEmpty();
    }

    private static int read(String token, String group) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address("/v1/cs/configs?dataId=absent&group=" + group)))
                .header("Authorization", "Bearer " + token)
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    @Test
    @Order(4)
    void refusesAnExpiredTokenAndListsItAsExpired() throws Exception {
        Page page = signedIn("tokens");
        // The shortest offered lifetime is too long for a test: it is shortened in the request to the server.
        List<String> asked = new CopyOnWriteArrayList<>();
        page.route("**/v3/admin/auth/token", route -> {
            String form = route.request().postData();
            asked.add(form);
            route.resume(new Route.ResumeOptions().setPostData(form.replace("ttlSeconds=86400", "ttlSeconds=1")));
        });
        button(page, "New token").click();
        dialogField(page, "Name").fill("brief");
        page.getByRole(AriaRole.DIALOG).getByLabel("Expires after").click();
        page.locator(".ant-select-item-option").getByText("1 days").click();
        button(page, "Create").click();
        String token = page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("The new token"))
                .inputValue();
        assertThat(asked).hasSize(1);
        assertThat(asked.get(0)).contains("name=brief", "ttlSeconds=86400");
        button(page, "I have saved it").click();
        Awaitility.await().until(() -> read(token, "CI") == 403);
        page.reload();
        Locator row = page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("brief"));
        assertThat(row).containsText("Expired");
        assertThat(page.content()).as("shown once").doesNotContain(token);
        assertThat(button(page, "Revoke brief")).hasCount(0);
        Screenshots.take(page, "tokens-ended");
    }

    @Test
    @Order(5)
    void filtersTheAuditLogByUserActionAndDay() {
        Page page = signedIn("audit");
        assertThat(page.getByRole(AriaRole.CELL)
                        .filter(new Locator.FilterOptions().setHasText("login"))
                        .first())
                .isVisible();
        Screenshots.take(page, "audit");
        Accessibility.check(page);
        page.getByLabel("Action, such as login").fill("user.delete");
        assertThat(page.getByText("1 entries")).isVisible();
        assertThat(page.getByRole(AriaRole.CELL, new Page.GetByRoleOptions().setName("ana")))
                .isVisible();
        assertThat(page.url()).contains("action=user.delete");
        page.reload();
        assertThat(page.getByText("1 entries")).isVisible();
        page.getByLabel("To day").fill("2020-01-01");
        assertThat(page.getByText("0 entries")).isVisible();
        page.getByLabel("To day").fill("");
        assertThat(page.getByText("1 entries")).isVisible();
        page.getByLabel("From day").fill("2020-01-01");
        assertThat(page.getByText("1 entries")).isVisible();
        page.getByLabel("From day").fill("2999-01-01");
        assertThat(page.getByText("0 entries")).isVisible();
        page.reload();
        assertThat(page.getByLabel("From day")).hasValue("2999-01-01");
        assertThat(page.getByText("0 entries")).isVisible();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    @Order(6)
    void filtersTheAuditLogByUserTargetAndAddressAndExportsTheResult() throws Exception {
        Page page = signedIn("audit");
        Locator rows = page.locator("tbody tr.ant-table-row");
        assertThat(rows.first()).isVisible();
        // The entry names the user, or for a failed login the name that was tried.
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("Unknown user")))
                .hasCount(0);
        Locator byAna =
                rows.filter(new Locator.FilterOptions().setHas(page.locator("td:nth-child(3):has-text('ana')")));
        assertThat(byAna.filter(new Locator.FilterOptions().setHasText("login")).first())
                .isVisible();
        field(page, "Who").fill("NAC");
        assertThat(byAna).hasCount(0);
        assertThat(rows.first()).isVisible();
        Locator failed = rows.filter(new Locator.FilterOptions().setHasText("login.failed"));
        assertThat(failed.first()).containsText("not signed in");
        field(page, "Who").fill("nacos");
        assertThat(page).hasURL(Pattern.compile("who=nacos"));

        field(page, "Target").fill("ana");
        field(page, "From address").fill("127.0.0.1");
        assertThat(page).hasURL(Pattern.compile("who=nacos.*target=ana.*address=127.0.0.1"));
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("user.create")))
                .hasCount(1);
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("user.delete")))
                .hasCount(1);
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("token.")))
                .hasCount(0);
        Screenshots.take(page, "audit-narrowed");
        int shown = rows.count();

        Download download = page.waitForDownload(() -> button(page, "Export").click());
        assertThat(download.suggestedFilename()).isEqualTo("cairn-audit.jsonl");
        List<String> lines = Files.readAllLines(download.path());
        assertThat(lines)
                .hasSize(shown)
                .allSatisfy(line -> assertThat(line).startsWith("{").contains("\"who\":\"nacos\"", "ana"));
        assertThat(lines).anySatisfy(line -> assertThat(line).contains("user.delete"));

        field(page, "From address").fill("10.255.255.1");
        assertThat(page.getByText("0 entries")).isVisible();
    }

    @Test
    @Order(7)
    void findsAnAuditTargetByAnyPartAndLinksToIt() {
        Page page = signedIn("audit");
        String token = (String) page.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).token");
        post(token, "/v3/admin/core/namespace?namespaceId=linked&namespaceName=Linked");
        post(token, "/v3/admin/cs/config?namespaceId=linked&groupName=a:b&dataId=Part_of.yaml&content=a:1&type=yaml");
        post(token, "/v3/admin/ns/service?namespaceId=linked&groupName=G&serviceName=part_of-it");
        post(token, "/v3/auth/user?username=linda&password=pw-of-linda");

        field(page, "Target").fill("PART_OF");
        assertThat(page.getByText("2 entries")).isVisible();
        Screenshots.take(page, "audit-target");
        Accessibility.check(page);
        page.setViewportSize(390, 844);
        Screenshots.take(page, "audit-target-390");
        page.setViewportSize(1280, 800);
        follow(page, "linked:a:b:config/Part_of.yaml", "Part_of.yaml");
        assertThat(page).hasURL(Pattern.compile("configs/one\\?ns=linked&group=a%3Ab&dataId=Part_of.yaml$"));
        page.goBack();
        assertThat(field(page, "Target")).hasValue("PART_OF");
        follow(page, "linked:G:naming/part_of-it", "part_of-it");
        assertThat(page).hasURL(Pattern.compile("services/one\\?ns=linked&group=G&service=part_of-it$"));

        page.navigate(address("/ui/audit?target=ind&action=user"));
        follow(page, "linda", "Users and rights");
        assertThat(page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("linda")))
                .hasCount(1);
        assertThat(page.getByText("1 users")).isVisible();
        page.navigate(address("/ui/audit?target=linked&action=namespace.create"));
        follow(page, "linked", "Configurations");
        assertThat(page.getByText("1 in Linked")).isVisible();
        page.navigate(address("/ui/audit?target=permission&action=nothing"));
        assertThat(page.getByText("0 entries")).isVisible();
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    @Order(7)
    void storesAndChangesRulesOfTheIssuerAndWarnsBeforeOneMakesAdministrators() {
        Page page = signedIn("tokens?tab=rules");
        assertThat(page.getByText("There are no rules yet")).isVisible();
        button(page, "New rule").click();
        dialogField(page, "Value").fill("platform");
        dialogField(page, "Role").fill("ops");
        Locator warning = page.getByText("This rule makes administrators");
        assertThat(warning).hasCount(0);
        button(page, "Save").click();
        Locator row = page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("platform"));
        assertThat(row).containsText("ops");
        assertThat(row).containsText("nacos");

        button(page, "Edit groups=platform -> ops").click();
        dialogField(page, "Role").fill("ROLE_ADMIN");
        assertThat(warning).isVisible();
        Screenshots.take(page, "rules-administrators");
        Accessibility.check(page);
        button(page, "Save").click();
        assertThat(row).containsText("Administrators");
        Screenshots.take(page, "rules");
        Accessibility.check(page);

        button(page, "New rule").click();
        dialogField(page, "Value").fill("*");
        dialogField(page, "Role").fill("ops");
        button(page, "Save").click();
        assertThat(page.getByText("has no condition")).isVisible();
        button(page, "Cancel").click();
        button(page, "Delete groups=platform -> ROLE_ADMIN").click();
        button(page, "Delete").click();
        assertThat(page.getByText("There are no rules yet")).isVisible();
        page.navigate(address("/ui/audit?action=rule.update"));
        page.locator(".ant-table-row-expand-icon").click();
        assertThat(page.getByText("makes administrators; before: groups=platform -> ops"))
                .isVisible();
    }

    private static void follow(Page page, String target, String heading) {
        page.locator("tbody")
                .getByRole(
                        AriaRole.LINK,
                        new Locator.GetByRoleOptions().setName(target).setExact(true))
                .first()
                .click();
        assertThat(page.getByRole(
                        AriaRole.HEADING,
                        new Page.GetByRoleOptions().setName(heading).setLevel(1)))
                .isVisible();
    }

    private static void post(String token, String path) {
        assertThat(send(token, "POST", path)).as(path).isEqualTo(200);
    }

    private static int send(String token, String method, String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address(path)))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Authorization", "Bearer " + token)
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Order(9)
    void asksForALoginAfterLogoutAndLetsAUserChangeItsPassword() {
        Page page = signedIn("configs/new?ns=public");
        button(page, "Account of nacos").click();
        page.getByText("Change your password").click();
        field(page, "New password").fill(PASSWORD + "!");
        field(page, "New password again").fill(PASSWORD + "!");
        button(page, "Change password").click();
        assertThat(page.getByText("Needed")).isVisible();
        field(page, "Current password").fill(PASSWORD);
        field(page, "New password").fill(PASSWORD + "!");
        field(page, "New password again").fill(PASSWORD + "!");
        button(page, "Change password").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        page.getByLabel("Description").fill("not for everyone");
        button(page, "Account of nacos").click();
        page.getByText("Sign out").click();
        assertThat(page.getByText("Sign in to Cairn")).isVisible();
        signIn(page, "nacos", PASSWORD);
        assertThat(page.getByText("User not found!")).isVisible();
        signIn(page, "nacos", PASSWORD + "!");
        assertThat(button(page, "Account of nacos")).isVisible();
        // The next user does not see the former user's data.
        assertThat(page.getByLabel("Description")).hasValue("");
    }

    @Test
    @Order(8)
    void usersPermissionsAndTokensFitAPhoneScreen() {
        Page page = signedIn("overview");
        page.setViewportSize(Narrow.WIDTH, Narrow.HEIGHT);
        for (String view :
                new String[] {"users", "users?tab=roles", "users?tab=preview", "tokens", "tokens?tab=rules", "audit"}) {
            page.navigate(address("/ui/" + view));
            assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .isVisible();
            Narrow.check(page, "signed-in-" + view.replace("?tab=", "-"));
        }
    }
}
