package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.net.http.HttpRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Gradual releases: a beta for some clients first, and an instance that is drained and enabled again. */
@Tag("full")
class ReleasesIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void releasesABetaToMatchingClientsAndThenToAll() {
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of(
                                        "dataId",
                                        "step",
                                        "groupName",
                                        "DEFAULT_GROUP",
                                        "content",
                                        "old",
                                        "type",
                                        "text"))
                        .statusCode())
                .isEqualTo(200);
        try (WireClient client = cairn.newClient()) {
            client.listen("step", ContentDigest.of("old").toString());
            Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=step&tab=beta");
            assertThat(page.getByText("0 of 1 connected clients match")).isVisible();
            page.getByLabel("Addresses of the beta clients").last().fill("127.0.0.1");
            page.keyboard().press("Enter");
            assertThat(page.getByText("1 of 1 connected clients match")).isVisible();
            page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content of the beta"))
                    .click();
            page.keyboard().press("ControlOrMeta+a");
            page.keyboard().insertText("new");
            button(page, "Start the beta").click();
            assertThat(page.getByText("Beta version: 0 of 1 matching clients have it"))
                    .isVisible();
            client.listen("step", ContentDigest.of("new").toString());
            assertThat(page.getByText("Beta version: 1 of 1 matching clients have it"))
                    .isVisible();
            Screenshots.take(page, "config-beta");
            Accessibility.check(page);
            assertThat(cairn.get("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=step")
                            .body())
                    .contains("\"content\":\"old\"");
            button(page, "Publish to everyone").click();
            assertThat(page.getByRole(AriaRole.DIALOG).locator(".diff")).containsText("old");
            Accessibility.check(page);
            Screenshots.take(page, "config-beta-promote");
            page.getByRole(AriaRole.DIALOG)
                    .getByRole(
                            AriaRole.BUTTON,
                            new Locator.GetByRoleOptions()
                                    .setName("Publish to everyone")
                                    .setExact(true))
                    .click();
            assertThat(page.getByText("Beta version:")).hasCount(0);
            assertThat(cairn.get("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=step")
                            .body())
                    .contains("\"content\":\"new\"");
        }
        assertThat(console.complaints()).isEmpty();
    }

    private static void store(String dataId, Map<String, String> more, String... headers) {
        Map<String, String> form =
                new HashMap<>(Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP", "type", "text"));
        form.putAll(more);
        assertThat(cairn.post("/v3/admin/cs/config", form, headers).statusCode())
                .isEqualTo(200);
    }

    /** The content that a client at that address reads. */
    private static String read(String dataId, String address) {
        return cairn.send(HttpRequest.newBuilder(cairn.uri("/v1/cs/configs?group=DEFAULT_GROUP&dataId=" + dataId))
                        .header("X-Forwarded-For", address))
                .body();
    }

    private static Locator row(Page page, String dataId) {
        return page.locator("tbody tr.ant-table-row").filter(new Locator.FilterOptions().setHasText(dataId));
    }

    private static Locator link(Locator within, String name) {
        return within.getByRole(
                AriaRole.LINK, new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void type(Page page, String content) {
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText(content);
        assertThat(page.getByText("Changed, not published")).isVisible();
    }

    @Test
    void showsARunningBetaInListContentAndReview() {
        store("shown", Map.of("content", "old"));
        store("shown", Map.of("content", "beta"), "betaIps", "10.0.0.7,10.0.0.8");
        store("shown-not", Map.of("content", "old"));
        Page page = open("configs?ns=public&q=shown");
        assertThat(row(page, "shown-not").locator(".ant-tag").filter(new Locator.FilterOptions().setHasText("Beta")))
                .hasCount(0);
        Locator mark = link(row(page, "shown").first(), "Beta");
        assertThat(mark).hasAttribute("title", "Served to 10.0.0.7, 10.0.0.8");
        Screenshots.take(page, "configs-beta");
        Accessibility.check(page);
        mark.click();
        assertThat(page.getByText("Beta version: 0 of 0 matching clients have it"))
                .isVisible();

        page.getByRole(
                        AriaRole.TAB,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        Locator running =
                page.getByText("A beta is running. It is served to 10.0.0.7, 10.0.0.8 instead of the stored version.");
        assertThat(running).isVisible();
        Screenshots.take(page, "config-content-beta");
        link(page.locator("#content"), "Show the beta").click();
        assertThat(page).hasURL(Pattern.compile("[?&]tab=beta(&|$)"));
        page.goBack();

        type(page, "new");
        button(page, "Review and publish").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog)
                .containsText(
                        "The beta continues: it is still served to 10.0.0.7, 10.0.0.8 instead of the version that you publish now.");
        assertThat(dialog.locator(".diff")).containsText("new");
        Accessibility.check(page);
        Screenshots.take(page, "config-review-beta");
        button(page, "Publish").click();
        assertThat(dialog).hasCount(0);
        assertThat(running).isVisible();
        assertThat(read("shown", "10.0.0.7")).as("as the review said").isEqualTo("beta");
        assertThat(read("shown", "10.0.0.9")).isEqualTo("new");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void showsABetaOfAnotherUserWithoutAReload() {
        store("elsewhere", Map.of("content", "old"));
        Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=elsewhere");
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        Locator running = page.getByText("A beta is running. It is served to 10.0.0.7 instead of the stored version.");
        assertThat(running).hasCount(0);
        store("elsewhere", Map.of("content", "beta"), "betaIps", "10.0.0.7");
        assertThat(running).isVisible();
        cairn.delete("/v3/admin/cs/config/beta?groupName=DEFAULT_GROUP&dataId=elsewhere");
        assertThat(running).hasCount(0);
    }

    @Test
    void showsAReleaseForATagLikeABeta() {
        store("tagged", Map.of("content", "old"));
        store("tagged", Map.of("content", "blue", "tag", "blue"));
        Page page = open("configs?ns=public&q=tagged");
        assertThat(row(page, "tagged")).containsText("Tag blue");
        row(page, "tagged").getByRole(AriaRole.LINK).click();
        assertThat(page.getByText("A release for the tag blue is active")).isVisible();
        type(page, "new");
        button(page, "Review and publish").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("The release for the tag blue continues");
        button(page, "Publish").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(cairn.get("/v1/cs/configs?group=DEFAULT_GROUP&dataId=tagged&tag=blue")
                        .body())
                .isEqualTo("blue");
    }

    @Test
    void rollbackAndDeletionWarnThatTheBetaContinues() {
        store("outlived", Map.of("content", "first"));
        store("outlived", Map.of("content", "second"));
        store("outlived", Map.of("content", "beta"), "betaIps", "10.0.0.7");
        Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=outlived&tab=history");
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        page.getByRole(AriaRole.ROW)
                .filter(new Locator.FilterOptions().setHasText("Created"))
                .getByText("Roll back")
                .click();
        assertThat(dialog).containsText("The beta continues: it is still served to 10.0.0.7");
        page.keyboard().press("Escape");
        assertThat(dialog).hasCount(0);

        button(page, "Delete").click();
        assertThat(dialog).containsText("The beta is not deleted: it is served to 10.0.0.7 until it is stopped");
        dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("Configurations");
        assertThat(read("outlived", "10.0.0.7")).as("as the dialog said").isEqualTo("beta");

        page.navigate(cairn.uri("/ui/configs/one?ns=public&group=DEFAULT_GROUP&dataId=outlived")
                .toString());
        assertThat(page.getByText("Its beta is still served to 10.0.0.7.")).isVisible();
        Screenshots.take(page, "config-absent-beta");
        button(page, "Stop the beta").click();
        assertThat(page.getByText("Its beta is still served")).hasCount(0);
        assertThat(cairn.get("/v3/admin/cs/config/beta?groupName=DEFAULT_GROUP&dataId=outlived")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void doesNotCountListenersWithTheBetaAsOutdated() {
        store("counted", Map.of("content", "old"));
        store("counted", Map.of("content", "beta"), "betaIps", "10.0.0.7");
        try (WireClient stable = cairn.newClient();
                WireClient chosen = cairn.newTransport().setUp("10.0.0.7")) {
            stable.listen("counted", ContentDigest.of("old").toString());
            chosen.listen("counted", ContentDigest.of("beta").toString());
            Page page = open("configs/one?ns=public&group=DEFAULT_GROUP&dataId=counted&tab=listeners");
            assertThat(page.getByRole(AriaRole.STATUS)).hasText("1 of 2 have the stored version · 1 with a beta");
            assertThat(row(page, "10.0.0.7")).containsText("Beta");
            assertThat(page.locator("tbody tr.ant-table-row")
                            .filter(new Locator.FilterOptions().setHasNotText("10.0.0.7")))
                    .containsText("Stored version");
            assertThat(page.getByText("Another version")).hasCount(0);
            Screenshots.take(page, "config-listeners-beta");
        }
    }

    @Test
    void drainsAnInstanceAndEnablesItAgain() {
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of("serviceName", "draining", "ip", "10.9.0.1", "port", "80", "ephemeral", "false"));
        Page page = open("services/one?ns=public&group=DEFAULT_GROUP&service=draining");
        page.getByLabel("Choose 10.9.0.1:80").check();
        button(page, "Drain").click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName("Drain").setExact(true))
                .click();
        button(page, "Drain anyway").click();
        awaitEnabled(false);
        Toasts.await(page, "Drained; 0 subscribers have acknowledged that");
        assertThat(page.getByText("drained until").first()).isVisible();
        Screenshots.take(page, "service-drained");
        assertThat(page.getByText("1 chosen")).hasCount(0); // the page hears of it later than the server
        page.getByLabel("Choose 10.9.0.1:80").check();
        button(page, "Resume traffic").click();
        awaitEnabled(true);
        assertThat(console.complaints()).isEmpty();
    }

    private static void awaitEnabled(boolean enabled) {
        Awaitility.await().until(() -> cairn.get("/v3/admin/ns/instance/list?serviceName=draining")
                .body()
                .contains("\"enabled\":" + enabled));
    }
}
