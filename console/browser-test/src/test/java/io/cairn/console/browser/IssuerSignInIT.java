package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.InspectableServer;
import io.cairn.testing.RoundRobinProxy;
import io.cairn.testing.TestIssuer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** People sign in at an issuer. Their requests go in turn to two servers that share the secret of tokens. */
@Tag("full")
class IssuerSignInIT {

    private static final TestIssuer issuer = TestIssuer.start();
    private static final RoundRobinProxy proxy = new RoundRobinProxy();
    private static final String PUBLIC = "http://127.0.0.1:" + proxy.port() + "/nacos";

    @RegisterExtension
    static final InspectableServer first = server();

    @RegisterExtension
    static final InspectableServer second = server();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static InspectableServer server() {
        return InspectableServer.temporary()
                .with("nacos.core.auth.enabled", "true")
                .with("server.address", "127.0.0.1")
                .with(
                        "nacos.core.auth.plugin.nacos.token.secret.key",
                        "c2VjcmV0IG9mIHRoZSB0ZXN0IG9mIGxvZ2lucyBhdCBhbiBpc3N1ZXI=")
                .with("cairn.auth.oidc.issuer", issuer.url())
                .with("cairn.auth.oidc.client-id", "console")
                .with("cairn.auth.oidc.public-url", PUBLIC)
                .with("cairn.auth.oidc.login-label", "Sign in with <Firm> & Co")
                .with("cairn.auth.oidc.rules[0]", "groups=platform -> ROLE_ADMIN");
    }

    @BeforeAll
    static void prepare() {
        issuer.ask();
        HttpClient http = HttpClient.newHttpClient();
        for (InspectableServer server : List.of(first, second)) {
            proxy.to(server.httpPort());
            await("the description of the issuer").until(() -> begins(http, server));
        }
    }

    private static boolean begins(HttpClient http, InspectableServer server) throws IOException, InterruptedException {
        HttpResponse<Void> login = http.send(
                HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + server.httpPort() + "/nacos/v1/auth/oidc/login"))
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        return login.headers().firstValue("Location").orElse("").startsWith(issuer.url());
    }

    @BeforeEach
    void carolSignsIn() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol").with("groups", List.of("platform")));
    }

    @AfterAll
    static void stop() {
        proxy.close();
        issuer.close();
    }

    private static Locator button(Page page) {
        return page.getByText("Sign in with <Firm> & Co");
    }

    /** From the sign-in over a page, by way of the issuer. */
    private static void signIn(Page page, String subject, String name) {
        button(page).click();
        page.getByText("Continue as " + subject).click();
        assertThat(Accounts.account(page, name)).isVisible();
    }

    @Test
    void theFirmsAccountSignsInAndOutOnTwoServers() {
        Page page = console.visitor();
        page.navigate(PUBLIC + "/ui/audit?action=login");
        assertThat(button(page)).isVisible();
        Accessibility.check(page);
        Screenshots.take(page, "issuer-sign-in");

        button(page).click();
        assertThat(page.getByText("Continue as 4711")).isVisible();
        Screenshots.take(page, "issuer-asks");
        page.getByText("Continue as 4711").click();

        assertThat(Accounts.account(page, "oidc:carol (4711)")).isVisible();
        assertThat(page).hasURL(PUBLIC + "/ui/audit?action=login");
        assertThat((String) page.evaluate("document.cookie")).isEmpty();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setName("Audit")))
                .isVisible();
        Accounts.account(page, "oidc:carol (4711)").click();
        assertThat(page.getByText("Sign out")).isVisible();
        assertThat(page.getByText("Change your password")).hasCount(0);
        Screenshots.take(page, "issuer-signed-in");

        Page beside = page.context().newPage();
        beside.navigate(PUBLIC + "/ui/overview");
        assertThat(Accounts.account(beside, "oidc:carol (4711)")).isVisible();

        int before = issuer.logouts().size();
        page.getByText("Sign out").click();
        assertThat(button(page)).isVisible();
        assertThat(button(beside)).isVisible();
        assertThat(issuer.logouts()).hasSize(before + 1);
        assertThat(issuer.logouts().get(before)).containsKey("id_token_hint");
    }

    @Test
    void anExpiredSessionIsRenewedInANewTabAndKeepsTheInput() {
        issuer.logsIn("4711", token -> token.with("preferred_username", "carol")
                .with("groups", List.of("platform"))
                .ends(java.time.Duration.ofSeconds(20)));
        Page page = console.visitor();
        page.navigate(PUBLIC + "/ui/configs/new?ns=public");
        signIn(page, "4711", "oidc:carol (4711)");
        page.getByLabel("Description").fill("half done");
        await().untilAsserted(() -> {
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
            assertThat(page.getByText("Please sign in again").isVisible()).isTrue();
        });
        carolSignsIn();

        Page renewed = page.context().waitForPage(() -> button(page).click());
        renewed.getByText("Continue as 4711").click();

        assertThat(Accounts.account(renewed, "oidc:carol (4711)")).isVisible();
        assertThat(page.getByText("Please sign in again")).hasCount(0);
        assertThat(page.getByLabel("Description")).hasValue("half done");
    }

    @Test
    void aRefusalIsShownInWordsWithoutAReason() {
        issuer.logsIn("mallory", token -> token.with("nonce", "another"));
        Page page = console.visitor();
        page.navigate(PUBLIC + "/ui/overview");
        button(page).click();
        page.getByText("Continue as mallory").click();

        assertThat(page.getByText("You are not allowed to sign in this way.")).isVisible();
        assertThat(page).hasURL(PUBLIC + "/ui/overview");
        assertThat(page.getByText("nonce")).hasCount(0);
        Accessibility.check(page);
        Screenshots.take(page, "issuer-refused");
    }

    @Test
    void aPersonWithoutARuleHasNoRight() {
        issuer.logsIn("nacos", token -> token.with("preferred_username", "nacos"));
        Page page = console.visitor();
        page.navigate(PUBLIC + "/ui/audit");
        signIn(page, "nacos", "oidc:nacos");

        assertThat(page.getByText("You are not allowed to do this")).isVisible();
        Screenshots.take(page, "issuer-no-right");
    }

    @Test
    void anAdministratorSeesWhatATokenMayDo() {
        Page page = console.visitor();
        page.navigate(PUBLIC + "/ui/tokens");
        signIn(page, "4711", "oidc:carol (4711)");
        page.getByText("What may a token do?").click();
        Locator field = page.getByLabel("Token", new Page.GetByLabelOptions().setExact(true));
        Locator explain = page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Explain"));

        field.fill(issuer.token("robot")
                .with("aud", "console")
                .with("groups", List.of("platform"))
                .text());
        explain.click();
        assertThat(page.getByText("groups=platform -> ROLE_ADMIN")).isVisible();
        assertThat(page.getByText("All, as an administrator")).isVisible();
        Accessibility.check(page);
        Screenshots.take(page, "issuer-token-explained");

        field.fill(issuer.token("robot").with("aud", "other").text());
        explain.click();
        assertThat(page.getByText("aud: other (expected: [console])")).isVisible();
    }

    @Test
    void localUsersSignInAsBefore() {
        Accounts accounts = new Accounts(first);
        accounts.user("ana", "r public:*:*/*");
        Page page = accounts.signedIn(console.visitor(), "overview", "ana");

        Accounts.account(page, "ana").click();
        assertThat(page.getByText("Change your password")).isVisible();
    }
}
