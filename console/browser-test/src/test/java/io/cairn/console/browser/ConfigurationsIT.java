package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The work of an on-call engineer with configurations. */
@Tag("full")
class ConfigurationsIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static void store(String namespace, String dataId, String type, String content) {
        HttpResponse<String> answer = cairn.post(
                "/v3/admin/cs/config",
                Map.of("namespaceId", namespace, "groupName", "G", "dataId", dataId, "type", type, "content", content));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static String stored(String namespace, String dataId) {
        HttpResponse<String> answer =
                cairn.get("/v1/cs/configs?group=G&dataId=" + encode(dataId) + "&tenant=" + encode(namespace));
        return answer.statusCode() == 200 ? answer.body() : null;
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static Page openConfig(String namespace, String dataId) {
        Page page = open("configs/one?ns=" + namespace + "&group=G&dataId=" + encode(dataId));
        assertThat(editor(page)).isVisible();
        return page;
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator editor(Page page) {
        return page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content").setExact(true));
    }

    private static Locator groupField(Page page) {
        return page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Group").setExact(true));
    }

    private static void replaceContent(Page page, String content) {
        editor(page).click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText(content);
    }

    private static void publish(Page page) {
        button(page, "Review and publish").click();
        button(page, "Publish").click();
    }

    private static Locator link(Page page, String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void chooseTab(Page page, String name) {
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName(name).setExact(true))
                .click();
    }

    @Test
    void createsChangesAndRollsBackAConfiguration() {
        Page page = open("configs?ns=story");
        link(page, "New configuration").or(button(page, "New configuration")).click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Data ID").setExact(true))
                .fill("orders.yaml");
        groupField(page).fill("G");
        replaceContent(page, "retries: 3\ntimeout: 5s\n");
        button(page, "Publish").click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("orders.yaml");
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("story", "orders.yaml")).isEqualTo("retries: 3\ntimeout: 5s\n");

        replaceContent(page, "retries: 7\ntimeout: 5s\n");
        assertThat(page.getByText("Changed, not published")).isVisible();
        button(page, "Review and publish").click();
        assertThat(page.locator(".diff")).containsText("retries: 7");
        Screenshots.take(page, "config-review");
        button(page, "Publish").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("story", "orders.yaml")).isEqualTo("retries: 7\ntimeout: 5s\n");
        Screenshots.take(page, "config-editor");
        Accessibility.check(page);

        chooseTab(page, "History");
        Locator created = page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("Created"));
        Locator changed = page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText("Stored now"));
        changed.getByText("What it changed").click();
        assertThat(page.locator(".diff")).containsText("retries: 3");
        assertThat(page.locator(".diff")).containsText("retries: 7");
        Screenshots.take(page, "config-history-diff");
        page.keyboard().press("Escape");
        created.getByText("Roll back").click();
        Locator rollback = page.getByRole(AriaRole.DIALOG);
        assertThat(rollback.locator(".diff .cm-editor").first()).containsText("retries: 7");
        assertThat(rollback.locator(".diff .cm-editor").last()).containsText("retries: 3");
        Screenshots.take(page, "config-rollback");
        Accessibility.check(page);
        rollback.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Roll back"))
                .click();
        assertThat(page.getByRole(AriaRole.ROW)
                        .filter(new Locator.FilterOptions().setHasText("Changed"))
                        .nth(1))
                .isVisible();
        assertThat(page.locator(".ant-modal:visible")).hasCount(0); // the dialog fades out
        Screenshots.take(page, "config-history");
        Accessibility.check(page);
        assertThat(stored("story", "orders.yaml")).isEqualTo("retries: 3\ntimeout: 5s\n");
    }

    private static Locator historyRow(Page page, String text) {
        return page.getByRole(AriaRole.ROW).filter(new Locator.FilterOptions().setHasText(text));
    }

    private static void storeAs(String user, String namespace, String dataId, String content) {
        HttpResponse<String> answer = cairn.post(
                "/v3/admin/cs/config",
                Map.of(
                        "namespaceId",
                        namespace,
                        "groupName",
                        "G",
                        "dataId",
                        dataId,
                        "type",
                        "yaml",
                        "content",
                        content,
                        "srcUser",
                        user));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void comparesARollbackWithTheCurrentVersion() {
        store("back", "moved.yaml", "yaml", "a: first\n");
        store("back", "moved.yaml", "yaml", "a: second\n");
        Page page = openConfig("back", "moved.yaml");
        chooseTab(page, "History");
        assertThat(historyRow(page, "Created")).isVisible();
        // Stored after the history was loaded.
        storeAs("ana", "back", "moved.yaml", "a: third\n");
        historyRow(page, "Created").getByText("Roll back").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog.locator(".diff")).containsText("a: third");
        assertThat(dialog.locator(".diff")).not().containsText("a: second");

        // Stored while the comparison is open: nothing is overwritten, and the comparison is updated.
        storeAs("ben", "back", "moved.yaml", "a: fourth\n");
        Locator confirm = dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Roll back"));
        confirm.click();
        assertThat(dialog).containsText("ben stored a newer version at");
        assertThat(dialog.locator(".diff")).containsText("a: fourth");
        assertThat(stored("back", "moved.yaml")).isEqualTo("a: fourth\n");
        confirm.click();
        assertThat(dialog).hasCount(0);
        assertThat(stored("back", "moved.yaml")).isEqualTo("a: first\n");
    }

    @Test
    void restoresADeletedConfigurationOnlyWhenNoneIsStored() {
        store("gone", "deleted.yaml", "yaml", "a: old\n");
        assertThat(cairn.delete("/v3/admin/cs/config?namespaceId=gone&groupName=G&dataId=deleted.yaml")
                        .statusCode())
                .isEqualTo(200);
        Page page = open("configs/one?ns=gone&group=G&dataId=deleted.yaml&tab=history");
        historyRow(page, "Created").getByText("Roll back").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog.locator(".diff")).containsText("a: old");
        storeAs("ana", "gone", "deleted.yaml", "a: new\n");
        Locator confirm = dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Roll back"));
        confirm.click();
        assertThat(dialog).containsText("ana stored a newer version at");
        assertThat(dialog.locator(".diff")).containsText("a: new");
        assertThat(stored("gone", "deleted.yaml")).isEqualTo("a: new\n");
        confirm.click();
        assertThat(dialog).hasCount(0);
        assertThat(stored("gone", "deleted.yaml")).isEqualTo("a: old\n");
    }

    @Test
    void theReviewComparesWithTheNewestVersionAndNamesItsAuthor() {
        store("newer", "shared.yaml", "yaml", "a: 1\nb: 2\nc: 3\nd: 4\n");
        Page page = openConfig("newer", "shared.yaml");
        replaceContent(page, "a: 10\nb: 2\nc: 3\nd: 4\n");
        storeAs("ana", "newer", "shared.yaml", "a: 1\nb: 2\nc: 3\nd: 40\n");
        assertThat(page.getByText("ana stored a newer version at")).isVisible();
        button(page, "Review and publish").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(dialog).containsText("ana stored this version at");
        assertThat(dialog.locator(".diff .cm-editor").first()).containsText("d: 40");
        Screenshots.take(page, "config-review-newer");
        Accessibility.check(page);

        // A newer version, stored while the review is open.
        storeAs("ben", "newer", "shared.yaml", "a: 1\nb: 2\nc: 3\nd: 400\n");
        assertThat(dialog).containsText("ben stored this version at");
        assertThat(dialog.locator(".diff .cm-editor").first()).containsText("d: 400");
        button(page, "Publish").click();
        assertThat(page.getByText("Two people changed this configuration")).isVisible();
        assertThat(page.getByText("ben. Nothing has been overwritten.")).isVisible();
        button(page, "Publish the result").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("newer", "shared.yaml")).isEqualTo("a: 10\nb: 2\nc: 3\nd: 400\n");
    }

    @Test
    void aVersionWithoutAUserIsNamedByItsAddress() {
        store("newer", "address.yaml", "yaml", "a: 1\n");
        Page page = openConfig("newer", "address.yaml");
        store("newer", "address.yaml", "yaml", "a: 2\n");
        assertThat(page.getByText("127.0.0.1 stored a newer version at")).isVisible();
        button(page, "Show it").click();
        assertThat(editor(page)).containsText("a: 2");
    }

    /** The merge result contains the second version; the third version adds one more change. */
    @Test
    void mergesAThirdVersionThatIsStoredDuringAMerge() {
        store("third", "three.yaml", "yaml", "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\n");
        Page page = openConfig("third", "three.yaml");
        replaceContent(page, "a: 10\nb: 2\nc: 3\nd: 4\ne: 5\n");
        storeAs("ana", "third", "three.yaml", "a: 1\nb: 2\nc: 30\nd: 4\ne: 5\n");
        publish(page);
        assertThat(page.getByText("ana. Nothing has been overwritten.")).isVisible();
        storeAs("ben", "third", "three.yaml", "a: 1\nb: 2\nc: 30\nd: 4\ne: 50\n");
        button(page, "Publish the result").click();
        assertThat(page.getByText("ben. Nothing has been overwritten.")).isVisible();
        button(page, "Publish the result").click();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("third", "three.yaml")).isEqualTo("a: 10\nb: 2\nc: 30\nd: 4\ne: 50\n");
    }

    @Test
    void publishesANewConfigurationOnceWithoutOverwriting() {
        Page page = open("configs/new?ns=fresh&group=G&dataId=taken.yaml");
        replaceContent(page, "mine: 1\n");
        store("fresh", "taken.yaml", "yaml", "theirs: 1\n");
        button(page, "Publish").click();
        assertThat(page.getByText("This configuration exists already")).isVisible();
        assertThat(stored("fresh", "taken.yaml")).isEqualTo("theirs: 1\n");

        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Data ID").setExact(true))
                .fill("free.yaml");
        button(page, "Publish").dblclick();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .hasText("free.yaml");
        assertThat(cairn.get("/v3/admin/cs/history/list?namespaceId=fresh&groupName=G&dataId=free.yaml")
                        .body())
                .contains("\"totalCount\":1,");
    }

    @Test
    void mergesEditsOfDifferentLines() {
        store("two", "both.yaml", "yaml", "a: 1\nb: 2\nc: 3\nd: 4\n");
        Page first = openConfig("two", "both.yaml");
        Page second = openConfig("two", "both.yaml");
        replaceContent(first, "a: 10\nb: 2\nc: 3\nd: 4\n");
        replaceContent(second, "a: 1\nb: 2\nc: 3\nd: 40\n");
        publish(first);
        assertThat(first.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        publish(second);
        assertThat(second.getByText("Two people changed this configuration")).isVisible();
        assertThat(stored("two", "both.yaml")).as("nothing is overwritten").isEqualTo("a: 10\nb: 2\nc: 3\nd: 4\n");
        assertThat(second.getByText("The changes do not conflict")).isVisible();
        Screenshots.take(second, "config-collision");
        button(second, "Publish the result").click();
        assertThat(second.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(stored("two", "both.yaml")).isEqualTo("a: 10\nb: 2\nc: 3\nd: 40\n");
    }

    @Test
    void asksForADecisionWhenBothEditTheSameLine() {
        store("two", "same.yaml", "yaml", "a: 1\n");
        Page first = openConfig("two", "same.yaml");
        Page second = openConfig("two", "same.yaml");
        replaceContent(first, "a: first\n");
        replaceContent(second, "a: second\n");
        publish(first);
        assertThat(first.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        publish(second);
        assertThat(second.getByText("Both changed the same lines")).isVisible();
        button(second, "Use their version").click();
        assertThat(editor(second)).containsText("a: first");
        assertThat(stored("two", "same.yaml")).isEqualTo("a: first\n");
    }

    @Test
    void unchangedLinesAreFoldedInTheReadersLanguage() {
        String rest = "line: same\n".repeat(60);
        store("folded", "long.txt", "text", "first\n" + rest);
        Page page = openConfig("folded", "long.txt");
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("内容").setExact(true))
                .click();
        page.keyboard().press("ControlOrMeta+Home");
        page.keyboard().type("x");
        button(page, "检查并发布").click();
        Locator folded = page.locator(".diff .cm-collapsedLines").first();
        assertThat(folded).containsText("行未变更");
        assertThat(folded.evaluate("(element) => getComputedStyle(element, ':before').content"))
                .isEqualTo("\"…\"");
    }

    @Test
    void marksProblemsAndFormatsTheText() {
        store("check", "bad.json", "json", "{\"n\": 12345678901234567890, \"a\": [1,2]}");
        Page page = openConfig("check", "bad.json");
        button(page, "Format").click();
        assertThat(editor(page)).containsText("\"n\": 12345678901234567890,");
        replaceContent(page, "{\"a\": }");
        assertThat(page.getByText("One problem in this json")).isVisible();
        assertThat(page.locator(".cm-lint-marker-error")).hasCount(1);
        Screenshots.take(page, "config-problem");
    }

    @Test
    void marksErrorsOfXmlAndTomlInTheirLine() {
        store("check", "bad.xml", "xml", "<a/>");
        store("check", "bad.toml", "toml", "a = 1");
        Page page = openConfig("check", "bad.xml");
        replaceContent(page, "<a>\n  <b>1</c>\n</a>\n");
        assertMarked(page, "xml", "<b>1</c>", "tag");
        replaceContent(page, "<a>\n  <b>1</b>\n</a>\n");
        assertUnmarked(page);

        page.navigate(
                cairn.uri("/ui/configs/one?ns=check&group=G&dataId=bad.toml").toString());
        assertThat(editor(page)).containsText("a = 1");
        replaceContent(page, "a = 1\nb = [1, 2\nc = 3\n");
        assertMarked(page, "toml", "c = 3", "expected comma");
        replaceContent(page, "a = 1\nb = [1, 2]\nc = 3\n");
        assertUnmarked(page);
        // Chromium shows its own document for malformed XML and then refuses that document's inline styles.
        console.forgive(Pattern.compile("^Applying inline style violates|^security policy: style-src-attr inline"));
    }

    private static void assertMarked(Page page, String type, String line, String why) {
        assertThat(page.getByText("One problem in this " + type)).isVisible();
        assertThat(page.locator(".cm-line:has(.cm-lintRange-error, .cm-lintPoint-error)"))
                .containsText(line);
        page.locator(".cm-lint-marker-error").hover();
        Locator told = page.locator(".cm-tooltip");
        assertThat(told).containsText(why);
        assertThat(told).not().containsText("rendering of the page");
    }

    private static void assertUnmarked(Page page) {
        assertThat(page.locator(".cm-lint-marker-error")).hasCount(0);
        assertThat(page.getByText("Changed, not published")).isVisible();
    }

    @Test
    void showsHostileContentWithoutRunningIt() {
        String script = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";
        String wide = "x".repeat(1_000_000);
        store("hostile", "script.html", "html", script);
        store("hostile", "wide.txt", "text", wide);
        store(
                "hostile",
                "rtl.properties",
                "properties",
                "name=שלום עולם\nother=مرحبا @reversed\n".replace("@", Character.toString(0x202e)));
        Page page = openConfig("hostile", "script.html");
        assertThat(editor(page)).containsText(script);
        chooseTab(page, "Code examples");
        assertThat(page.getByText("curl").first()).isVisible();
        chooseTab(page, "History");
        assertThat(page.getByText("Created")).isVisible();
        assertThat(page).not().hasTitle(Pattern.compile("owned"));

        page.navigate(
                cairn.uri("/ui/configs/one?ns=hostile&group=G&dataId=wide.txt").toString());
        assertThat(page.getByText("1,000,000 characters")).isVisible();
        editor(page).click();
        page.keyboard().press("Home");
        page.keyboard().type("y");
        assertThat(page.getByText("1,000,001 characters")).isVisible();

        page.navigate(cairn.uri("/ui/configs/one?ns=hostile&group=G&dataId=rtl.properties")
                .toString());
        assertThat(editor(page)).containsText("שלום עולם");
        Screenshots.take(page, "config-rtl");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void searchesSortsAndPagesTenThousandConfigurations() {
        Deque<CompletableFuture<HttpResponse<Void>>> running = new ArrayDeque<>();
        for (int i = 1; i <= 10_000; i++) {
            String form = CairnExtension.encode(Map.of(
                    "namespaceId",
                    "many",
                    "groupName",
                    i % 10 == 0 ? "TENTH" : "G",
                    "dataId",
                    String.format(Locale.ROOT, "app-%05d.yaml", i),
                    "type",
                    "yaml",
                    "content",
                    "n: " + i));
            running.add(cairn.http()
                    .sendAsync(
                            HttpRequest.newBuilder(cairn.uri("/v3/admin/cs/config"))
                                    .header("Content-Type", "application/x-www-form-urlencoded")
                                    .POST(HttpRequest.BodyPublishers.ofString(form))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding()));
            if (running.size() >= 64) {
                assertThat(running.remove().join().statusCode()).isEqualTo(200);
            }
        }
        running.forEach(each -> assertThat(each.join().statusCode()).isEqualTo(200));

        Page page = open("configs?ns=many");
        assertThat(page.getByText("10,000 in many")).isVisible();
        Screenshots.take(page, "configs-list");
        Accessibility.check(page);
        page.getByLabel("Search by data ID").fill("0999");
        assertThat(page.getByText(Pattern.compile("^11 in many"))).isVisible();
        assertThat(link(page, "app-09990.yaml")).isVisible();
        // Two fields change before the first change is sent.
        page.getByLabel("Search by data ID").fill("app-0001");
        groupField(page).fill("TENTH");
        assertThat(page.getByText(Pattern.compile("^1 in many"))).isVisible();
        assertThat(link(page, "app-00010.yaml")).isVisible();
        assertThat(page.url()).contains("q=app-0001").contains("group=TENTH");
        page.reload();
        assertThat(link(page, "app-00010.yaml")).isVisible();
        assertThat(groupField(page)).hasValue("TENTH");

        page.navigate(cairn.uri("/ui/configs?ns=many&sort=dataId&order=desc").toString());
        assertThat(link(page, "app-10000.yaml")).isVisible();
        page.getByTitle("Next Page").click();
        assertThat(link(page, "app-09950.yaml")).isVisible();
    }

    @Test
    void filtersByContentTagsAndApplicationAndKeepsThemInTheUrl() {
        storeForFilters("orders.yaml", "pool: 12", "eu,prod", "shop");
        storeForFilters("stock.yaml", "pool: 13", "eu,test", "shop");
        storeForFilters("users.yaml", "cache: 12", "us,prod", "accounts");
        Page page = open("configs?ns=filters");
        Locator rows = page.locator("tbody tr.ant-table-row");
        assertThat(rows).hasCount(3);
        page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName("More filters"))
                .click();
        page.getByLabel("Content contains").fill("pool:");
        assertThat(rows).hasCount(2);
        assertThat(link(page, "users.yaml")).hasCount(0);
        assertThat(page).hasURL(Pattern.compile("[?&]content=pool"));
        Locator tags = page.getByLabel("Tags", new Page.GetByLabelOptions().setExact(true));
        tags.fill("prod");
        assertThat(rows).hasCount(1);
        assertThat(link(page, "orders.yaml")).isVisible();
        assertThat(page).hasURL(Pattern.compile("[?&]tags=prod(&|$)"));

        page.getByLabel("Content contains").fill("");
        assertThat(rows).hasCount(2);
        assertThat(page).not().hasURL(Pattern.compile("content="));
        Locator application = page.getByLabel("Application", new Page.GetByLabelOptions().setExact(true));
        application.fill("accounts");
        assertThat(rows).hasCount(1);
        assertThat(link(page, "users.yaml")).isVisible();
        assertThat(page).hasURL(Pattern.compile("[?&]app=accounts(&|$)"));
        page.reload();
        assertThat(rows).hasCount(1);
        assertThat(tags).hasValue("prod");
        assertThat(application).hasValue("accounts");
        application.fill("nobody");
        assertThat(page.getByText("No configuration matches")).isVisible();
    }

    private static void storeForFilters(String dataId, String content, String tags, String application) {
        HttpResponse<String> answer = cairn.post(
                "/v3/admin/cs/config",
                Map.of(
                        "namespaceId",
                        "filters",
                        "groupName",
                        "G",
                        "dataId",
                        dataId,
                        "content",
                        content,
                        "configTags",
                        tags,
                        "appName",
                        application));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void deletesSeveralAfterTheirNumberWasTyped() {
        for (String dataId : List.of("one.yaml", "two.yaml", "three.yaml")) {
            store("batch", dataId, "yaml", "a: 1");
        }
        Page page = open("configs?ns=batch");
        page.getByLabel("Choose one.yaml").check();
        page.getByLabel("Choose two.yaml").check();
        assertThat(page.getByText("2 chosen")).isVisible();
        page.getByRole(AriaRole.TOOLBAR)
                .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"))
                .click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        Locator delete = dialog.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Delete"));
        assertThat(delete).isDisabled();
        page.getByLabel("Type 2 to confirm").fill("2");
        delete.click();
        assertThat(page.getByText("1 in batch")).isVisible();
        assertThat(stored("batch", "one.yaml")).isNull();
        assertThat(stored("batch", "three.yaml")).isEqualTo("a: 1");
    }

    @Test
    void clonesTheSelectionIntoAnotherNamespaceByThePolicy() {
        for (String namespace : List.of("origin", "copy")) {
            assertThat(cairn.post(
                                    "/v3/admin/core/namespace",
                                    Map.of("namespaceId", namespace, "namespaceName", namespace))
                            .statusCode())
                    .isEqualTo(200);
        }
        for (String dataId : List.of("one.yaml", "two.yaml", "three.yaml")) {
            store("origin", dataId, "yaml", "from: origin");
        }
        store("copy", "two.yaml", "yaml", "from: copy");
        Page page = open("configs?ns=origin");
        page.getByLabel("Choose one.yaml").check();
        page.getByLabel("Choose two.yaml").check();
        cloneChosen(page, "Keep the existing one");
        assertThat(stored("copy", "one.yaml")).isEqualTo("from: origin");
        assertThat(stored("copy", "two.yaml")).as("left as it was").isEqualTo("from: copy");
        assertThat(stored("copy", "three.yaml")).as("not chosen").isNull();
        assertThat(stored("origin", "one.yaml")).isEqualTo("from: origin");

        assertThat(page.getByText("2 chosen")).isVisible();
        cloneChosen(page, "Overwrite it");
        assertThat(stored("copy", "two.yaml")).isEqualTo("from: origin");
        page.navigate(cairn.uri("/ui/configs?ns=copy").toString());
        assertThat(page.getByText("2 in copy")).isVisible();
    }

    private static void cloneChosen(Page page, String policy) {
        button(page, "Clone").click();
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        Locator clone = dialog.getByRole(
                AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Clone").setExact(true));
        assertThat(clone).isDisabled();
        dialog.getByLabel("Into namespace").click();
        page.locator(".ant-select-item-option").getByText("copy").click();
        dialog.getByLabel("When it exists already").click();
        page.locator(".ant-select-item-option").getByText(policy).click();
        Screenshots.take(page, "configs-clone");
        clone.click();
        assertThat(dialog).hasCount(0);
    }

    @Test
    void everyCodeSnippetNamesTheConfigurationAndTheServer() {
        // The page shows names that the server refuses when the URL contains them.
        Page page = open("configs/one?ns=snippets&group=G&tab=code&dataId=" + encode("it's \"quoted\".yaml"));
        Locator snippet = page.locator("pre.snippet");
        String server = cairn.uri("/").getAuthority();
        String port = String.valueOf(cairn.uri("/").getPort());
        String quoted = "\"it's \\\"quoted\\\".yaml\"";
        Map<String, List<String>> expected = Map.of(
                "Java",
                List.of(
                        "settings.put(\"serverAddr\", \"" + server + "\");",
                        "settings.put(\"namespace\", \"snippets\");",
                        "getConfigAndSignListener(" + quoted + ", \"G\", "),
                "Spring",
                List.of(
                        "server-addr: " + server,
                        "namespace: \"snippets\"",
                        "- \"nacos:it's \\\"quoted\\\".yaml?group=G&refreshEnabled=true\""),
                "Go",
                List.of(
                        "constant.WithNamespaceId(\"snippets\")",
                        ", " + port + ")",
                        "DataId: " + quoted + ", Group: \"G\"",
                        "Group:  \"G\""),
                "Python",
                List.of(
                        "server_address(\"" + server + "\").namespace_id(\"snippets\")",
                        "ConfigParam(data_id=" + quoted + ", group=\"G\")"),
                "curl",
                List.of(
                        "http://" + server + "/nacos/v3/client/cs/config'",
                        "'namespaceId=snippets'",
                        "'groupName=G'",
                        "'dataId=it'\\''s \"quoted\".yaml'"));
        expected.forEach((language, parts) -> {
            page.locator(".ant-segmented-item").getByText(language).click();
            for (String part : parts) {
                assertThat(snippet).containsText(part);
            }
            button(page, "Copy").click();
            Awaitility.await().pollInSameThread().untilAsserted(() -> assertThat(
                            page.evaluate("navigator.clipboard.readText()"))
                    .as(language)
                    .isEqualTo(snippet.textContent()));
        });
        Screenshots.take(page, "config-snippets");
        Accessibility.check(page);
    }

    @Test
    void theCurlSnippetReturnsTheContent() throws Exception {
        store("snippets", "run.yaml", "yaml", "ran: true");
        Page page = openConfig("snippets", "run.yaml");
        chooseTab(page, "Code examples");
        page.locator(".ant-segmented-item").getByText("curl").click();
        assertThat(page.locator("pre.snippet")).containsText("curl");
        String snippet = page.locator("pre.snippet").textContent();
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/curl")), "no curl here");
        Process curl = new ProcessBuilder("/bin/sh", "-c", snippet)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("\"content\":\"ran: true\"");
    }

    @Test
    void importsAnExportAfterADryRun() throws Exception {
        assertThat(cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", "into", "namespaceName", "into"))
                        .statusCode())
                .isEqualTo(200);
        store("from", "new.yaml", "yaml", "a: 1");
        store("from", "other.yaml", "yaml", "b: 2");
        store("into", "other.yaml", "yaml", "b: 1");
        Page page = open("configs?ns=from");
        page.getByLabel("Choose all on this page").check();
        Path zip =
                Files.createTempFile("cairn-console-" + ProcessHandle.current().pid(), ".zip");
        page.waitForDownload(() -> button(page, "Export").click()).saveAs(zip);

        page.navigate(cairn.uri("/ui/import?ns=into").toString());
        assertThat(page.getByText("Drop a folder here")).isVisible();
        page.locator("input[accept='.zip']").setInputFiles(zip);
        assertThat(page.getByText("Dry run: 1 would be created, 0 overwritten, 0 unchanged, 1 skipped"))
                .isVisible();
        page.getByLabel("When it exists already").click();
        page.getByText("Overwrite it").click();
        assertThat(page.getByText("Dry run: 1 would be created, 1 overwritten")).isVisible();
        page.getByLabel("Expand row").last().click();
        assertThat(page.getByText("+b: 2")).isVisible();
        Screenshots.take(page, "import-dry-run");
        assertThat(stored("into", "other.yaml")).as("a dry run stores nothing").isEqualTo("b: 1");
        button(page, "Import").click();
        assertThat(page.getByText("2 imported, 0 skipped")).isVisible();
        assertThat(stored("into", "other.yaml")).isEqualTo("b: 2");
        Files.delete(zip);
    }
}
