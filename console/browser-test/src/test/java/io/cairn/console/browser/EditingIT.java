package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The editor sends the text as it was typed and does not lose it. */
class EditingIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String WITHOUT_CLIPBOARD = """
            Object.defineProperty(navigator, 'clipboard', { value: undefined });
            Object.defineProperty(crypto, 'randomUUID', { value: undefined });
            document.addEventListener('copy', (event) => { window.copied = event.target.value; });
            """;
    private static final String WITHOUT_STORAGE = """
            for (const name of ['localStorage', 'sessionStorage'])
              Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
            """;

    private static void store(Map<String, String> values) {
        assertThat(cairn.post("/v3/admin/cs/config", values).body()).contains("\"code\":0");
    }

    private static void store(String dataId, String content) {
        store(Map.of("groupName", "G", "dataId", dataId, "content", content, "type", "yaml"));
    }

    private static String detail(String dataId) {
        return cairn.get("/v3/admin/cs/config?groupName=G&dataId=" + dataId).body();
    }

    private static String stored(String dataId) {
        return cairn.get("/v1/cs/configs?group=G&dataId=" + dataId).body();
    }

    private static Page open(String view) {
        return open(view, console.visitor());
    }

    private static Page open(String view, Page page) {
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static Page openConfig(String dataId) {
        Page page = open("configs/one?ns=public&group=G&dataId=" + URLEncoder.encode(dataId, StandardCharsets.UTF_8));
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        return page;
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void appendLine(Page page, String line) {
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        page.keyboard().press("ControlOrMeta+End");
        page.keyboard().press("Enter");
        page.keyboard().insertText(line);
        assertThat(page.getByText("Changed, not published")).isVisible();
    }

    private static void publish(Page page) {
        button(page, "Review and publish").click();
        button(page, "Publish").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r\n", "\r", "\n"})
    void keepsTheLineEndings(String ending) {
        String dataId = "ends-" + (int) ending.charAt(0) + ending.length();
        store(dataId, "a: 1" + ending + "b: 2" + ending + "c: 3");
        Page page = openConfig(dataId);

        appendLine(page, "d: 4");
        button(page, "Discard").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        appendLine(page, "e: 5");
        publish(page);

        assertThat(stored(dataId)).isEqualTo("a: 1" + ending + "b: 2" + ending + "c: 3" + ending + "e: 5");
    }

    @Test
    void warnsBeforeItUnifiesMixedLineEndings() {
        store("mixed", "a: 1\r\nb: 2\nc: 3\r\n");
        Page page = openConfig("mixed");
        appendLine(page, "d: 4");
        button(page, "Review and publish").click();
        assertThat(page.getByText("The stored version has mixed line endings")).isVisible();
        button(page, "Publish").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("mixed")).isEqualTo("a: 1\r\nb: 2\r\nc: 3\r\n\r\nd: 4");
    }

    @Test
    void keepsTheKeyOfAContentThatAClientHasEncrypted() {
        Map<String, String> encrypted = Map.of(
                "groupName", "G", "dataId", "cipher-aes-a", "content", "first", "encryptedDataKey", "key of first");
        store(encrypted);
        store(Map.of(
                "groupName", "G", "dataId", "cipher-aes-a", "content", "second", "encryptedDataKey", "key of second"));
        Page page = openConfig("cipher-aes-a");
        assertThat(page.getByText("A client has encrypted this content.")).isVisible();
        Screenshots.take(page, "config-encrypted");
        page.getByLabel("Description").fill("about it");
        publish(page);
        assertThat(detail("cipher-aes-a")).contains("about it").contains("\"encryptedDataKey\":\"key of second\"");

        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("History"))
                .click();
        page.getByRole(AriaRole.ROW)
                .filter(new Locator.FilterOptions().setHasText("Created"))
                .getByText("Roll back")
                .click();
        page.getByRole(AriaRole.DIALOG)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Roll back"))
                .click();
        assertThat(page.getByText("Published", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(detail("cipher-aes-a"))
                .contains("\"content\":\"first\"")
                .contains("\"encryptedDataKey\":\"key of first\"");
    }

    @Test
    void removesTagsApplicationAndDescription() {
        store(Map.of(
                "groupName",
                "G",
                "dataId",
                "described",
                "content",
                "a: 1",
                "type",
                "yaml",
                "configTags",
                "one,two",
                "appName",
                "shop",
                "desc",
                "what it is for"));
        Page page = openConfig("described");
        page.getByLabel("Application").fill("");
        page.getByLabel("Description").fill("");
        page.getByLabel("Tags").click();
        page.keyboard().press("Backspace");
        page.keyboard().press("Backspace");
        assertThat(page.getByText("Changed, not published")).isVisible();
        publish(page);
        assertThat(detail("described")).doesNotContain("shop", "what it is for", "one", "two");
    }

    /** The digest does not cover the description. */
    @Test
    void keepsADescriptionChangedByAnotherUser() {
        store("both", "a: 1");
        Page page = openConfig("both");
        appendLine(page, "b: 2");
        store(Map.of("groupName", "G", "dataId", "both", "content", "a: 1", "type", "yaml", "desc", "by someone else"));
        publish(page);
        assertThat(stored("both")).isEqualTo("a: 1\nb: 2");
        assertThat(detail("both")).contains("by someone else");
    }

    @Test
    void asksBeforeItDiscardsTypedText() {
        store("draft-one", "a: 1");
        store("draft-other", "a: 1");
        Page page = openConfig("draft-one");
        appendLine(page, "typed: true");
        List<String> asked = new CopyOnWriteArrayList<>();
        page.onDialog(dialog -> {
            asked.add(dialog.message());
            dialog.dismiss();
        });
        page.keyboard().press("Escape");
        page.keyboard().press("ControlOrMeta+k");
        page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Search everything"))
                .fill("draft-other");
        page.getByRole(AriaRole.OPTION).getByText("draft-other").first().click();

        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("draft-one");
        assertThat(page.getByText("typed: true")).isVisible();
        assertThat(asked).containsExactly("Your changes are not published. Leave anyway?");
    }

    @Test
    void keepsTypedTextWhenTheLanguageChanges() {
        store("translated", "a: 1");
        Page page = openConfig("translated");
        appendLine(page, "typed: true");
        button(page, "Language").click();
        page.getByText("简体中文").click();
        assertThat(page.getByText("已修改，未发布")).isVisible();
        assertThat(page.getByText("typed: true")).isVisible();
    }

    /** As on a page without https, where the browser offers neither the clipboard nor random ids. */
    @Test
    void copiesAndCreatesNamespacesOnAPageWithoutHttps() {
        store("copied", "a: 1\r\nb: 2");
        Page page = console.visitor();
        page.addInitScript(WITHOUT_CLIPBOARD);
        open("configs/one?ns=public&group=G&dataId=copied", page);
        button(page, "Copy content").click();
        Toasts.await(page, "Copied");
        assertThat((String) page.evaluate("window.copied")).isEqualTo("a: 1\nb: 2");

        open("namespaces", page);
        button(page, "New namespace").click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Name").setExact(true))
                .fill("unnamed-id");
        button(page, "Save").click();
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("unnamed-id")))
                .isVisible();
    }

    @Test
    void worksInABrowserWithoutLocalStorage() {
        Page page = console.visitor();
        page.addInitScript(WITHOUT_STORAGE);
        open("namespaces", page);
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("Namespaces");
        button(page, "Dark theme").click();
        assertThat(page.locator("html[data-theme=dark]")).hasCount(1);
    }

    @Test
    void aSecondClickCreatesNoSecondNamespace() {
        Page page = open("namespaces");
        button(page, "New namespace").click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Name").setExact(true))
                .fill("clicked-twice");
        button(page, "Save").dblclick();
        assertThat(page.getByRole(AriaRole.DIALOG)).isHidden();
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("clicked-twice")))
                .hasCount(1);
        String all = cairn.get("/v3/admin/core/namespace/list").body();
        assertThat(all.split("clicked-twice", -1)).hasSize(2);
    }

    @Test
    void keepsThePageWhenTheServerFailsForAMoment() {
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of("serviceName", "kept", "ip", "10.0.0.1", "port", "80", "ephemeral", "false"));
        Page page = open("services/one?ns=public&group=DEFAULT_GROUP&service=kept");
        button(page, "Edit the metadata of 10.0.0.1:80").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog).isVisible();
        List<String> refused = new CopyOnWriteArrayList<>();
        page.route("**/v3/admin/ns/**", route -> refuse(route, refused));
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of("serviceName", "kept", "ip", "10.0.0.2", "port", "80", "ephemeral", "false"));
        page.waitForCondition(() -> refused.size() >= 2);
        assertThat(dialog).isVisible();
        page.unroute("**/v3/admin/ns/**");
        dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Cancel"))
                .click();
        assertThat(page.getByText("10.0.0.2:80")).isVisible();
    }

    private static void refuse(Route route, List<String> refused) {
        refused.add(route.request().url());
        route.fulfill(new Route.FulfillOptions().setStatus(503).setBody("{\"code\":30000,\"message\":\"a moment\"}"));
    }
}
