package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.WireClient;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What goes out step by step: a beta for some clients first, an instance out of traffic and back. */
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
    void aBetaGoesToTheClientsThatMatchAndThenToEveryone() {
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
            page.getByLabel("Addresses of the clients that get it").last().fill("127.0.0.1");
            page.keyboard().press("Enter");
            assertThat(page.getByText("1 of 1 connected clients match")).isVisible();
            page.getByRole(AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content of the beta"))
                    .click();
            page.keyboard().press("ControlOrMeta+a");
            page.keyboard().insertText("new");
            button(page, "Start the beta").click();
            assertThat(page.getByText("A beta is out: 0 of 1 matching clients have it"))
                    .isVisible();
            client.listen("step", ContentDigest.of("new").toString());
            assertThat(page.getByText("A beta is out: 1 of 1 matching clients have it"))
                    .isVisible();
            Screenshots.take(page, "config-beta");
            Accessibility.check(page);
            assertThat(cairn.get("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=step")
                            .body())
                    .contains("\"content\":\"old\"");
            button(page, "Publish to everyone").click();
            page.getByRole(AriaRole.DIALOG)
                    .getByRole(
                            AriaRole.BUTTON,
                            new Locator.GetByRoleOptions()
                                    .setName("Publish to everyone")
                                    .setExact(true))
                    .click();
            assertThat(page.getByText("A beta is out")).hasCount(0);
            assertThat(cairn.get("/v3/admin/cs/config?groupName=DEFAULT_GROUP&dataId=step")
                            .body())
                    .contains("\"content\":\"new\"");
        }
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void anInstanceIsDrainedAndBroughtBack() {
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
        awaitEnabled(false);
        page.getByLabel("Choose 10.9.0.1:80").check();
        button(page, "Bring back").click();
        awaitEnabled(true);
        assertThat(console.complaints()).isEmpty();
    }

    private static void awaitEnabled(boolean enabled) {
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> cairn.get(
                        "/v3/admin/ns/instance/list?serviceName=draining")
                .body()
                .contains("\"enabled\":" + enabled));
    }
}
