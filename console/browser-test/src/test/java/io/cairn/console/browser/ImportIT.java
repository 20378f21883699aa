package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Folders that become configurations. */
@Tag("full")
class ImportIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    /** As a browser has a folder that was dropped, without a mouse that drags one in from outside. */
    private static final String DROP = """
            (names) => {
              const file = (path) => ({
                isFile: true, isDirectory: false, name: path.split('/').at(-1),
                file: (done) => done(new File(['dropped: ' + path], path.split('/').at(-1))),
              });
              const folder = (name, children) => ({
                isFile: false, isDirectory: true, name,
                createReader: () => { let left = [children, []]; return { readEntries: (done) => done(left.shift() ?? []) }; },
              });
              const root = folder('dropped', names.map((name) => name.includes('/')
                ? folder(name.split('/')[0], [file(name)]) : file(name)));
              const event = new Event('drop', { bubbles: true, cancelable: true });
              event.dataTransfer = { items: [{ webkitGetAsEntry: () => root }], files: [] };
              document.querySelector('.drop-zone').dispatchEvent(event);
            }
            """;

    private static Page open(String namespace) {
        assertThat(cairn.post("/v3/admin/core/namespace", Map.of("namespaceId", namespace, "namespaceName", namespace))
                        .statusCode())
                .isEqualTo(200);
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/import?ns=" + namespace).toString());
        assertThat(page.getByText("Drop a folder here")).isVisible();
        return page;
    }

    private static void importNow(Page page) {
        Locator button = page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName("Import").setExact(true));
        // A busy button does nothing when it is pressed.
        assertThat(button).not().hasClass(Pattern.compile("ant-btn-loading"));
        button.click();
    }

    private static HttpResponse<String> stored(String namespace, String group, String dataId) {
        return cairn.get("/v3/admin/cs/config?namespaceId=" + namespace + "&groupName=" + group + "&dataId=" + dataId);
    }

    private static void write(Path file, String content) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    @Test
    void theSubFoldersOfAFolderAreGroups(@TempDir Path folder) throws Exception {
        write(folder.resolve("orders/app.yml"), "retries: 3\n");
        write(folder.resolve("orders/big.json"), "[" + "\"a long line\",".repeat(2000) + "1]");
        write(folder.resolve("payments/app.properties"), "name=שלום\n");
        write(folder.resolve("top.toml"), "a = 1\n");
        write(folder.resolve(".git/config"), "hidden");
        write(folder.resolve("orders/deep/er.yaml"), "a: 1");
        write(folder.resolve("orders/two words.yaml"), "a: 1");
        write(folder.resolve("orders/empty.yaml"), "");
        Files.write(folder.resolve("orders/picture.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G', 0, (byte) 0xff});

        Page page = open("folder");
        page.locator("input[webkitdirectory]").setInputFiles(folder);
        assertThat(page.getByText("4 files become configurations, 5 are skipped"))
                .isVisible();
        page.getByLabel("Group of the files outside of sub-folders").fill("TOP");
        page.getByText("Skipped: 5 files").click();
        for (String why : new String[] {
            "Hidden", "Deeper than one sub-folder", "Its name has characters", "Empty", "Not text in UTF-8"
        }) {
            assertThat(page.getByRole(AriaRole.CELL, new Page.GetByRoleOptions().setName(why))
                            .last())
                    .isVisible();
        }
        assertThat(page.getByText("Dry run: 4 would be created")).isVisible();
        assertThat(page.getByRole(
                        AriaRole.CELL,
                        new Page.GetByRoleOptions().setName("TOP").setExact(true)))
                .isVisible();
        Screenshots.take(page, "import-folder");
        Accessibility.check(page);
        importNow(page);
        assertThat(page.getByText("4 imported, 0 skipped")).isVisible();
        assertThat(stored("folder", "orders", "app.yml").body())
                .contains("\"type\":\"yaml\"")
                .contains("retries: 3");
        assertThat(stored("folder", "orders", "big.json").body()).contains("a long line");
        assertThat(stored("folder", "payments", "app.properties").body())
                .contains("\"type\":\"properties\"")
                .contains("שלום");
        assertThat(stored("folder", "TOP", "top.toml").body()).contains("\"type\":\"toml\"");
    }

    @Test
    void importsADroppedFolderOverExistingConfigurations() {
        cairn.post(
                "/v3/admin/cs/config",
                Map.of("namespaceId", "dropped", "groupName", "G", "dataId", "there.yaml", "content", "old: 1"));
        Page page = open("dropped");
        page.evaluate(DROP, new String[] {"G/there.yaml", "H/new.yaml"});
        // The first choice keeps what is there.
        assertThat(page.getByText("Dry run: 1 would be created, 0 overwritten, 0 unchanged, 1 skipped"))
                .isVisible();
        page.getByLabel("When it exists already").click();
        page.getByText("Stop there").click();
        assertThat(page.getByText("1 exist with another content: the import would stop"))
                .isVisible();
        page.getByLabel("When it exists already").click();
        page.getByText("Keep the existing one").last().click();
        assertThat(page.getByText("Dry run: 1 would be created, 0 overwritten, 0 unchanged, 1 skipped"))
                .isVisible();
        importNow(page);
        assertThat(page.getByText("1 imported, 1 skipped")).isVisible();
        assertThat(stored("dropped", "G", "there.yaml").body()).contains("old: 1");
        assertThat(stored("dropped", "H", "new.yaml").body()).contains("dropped: H/new.yaml");
    }

    @Test
    void theDryRunCountsEqualAndSkippedConfigurationsSeparately(@TempDir Path folder) throws Exception {
        write(folder.resolve("G/same.yaml"), "a: 1");
        write(folder.resolve("G/other.yaml"), "a: 1");
        write(folder.resolve("G/new.yaml"), "a: 1");
        Page page = open("counted");
        for (String dataId : new String[] {"same.yaml", "other.yaml"}) {
            cairn.post(
                    "/v3/admin/cs/config",
                    Map.of(
                            "namespaceId",
                            "counted",
                            "groupName",
                            "G",
                            "dataId",
                            dataId,
                            "content",
                            dataId.equals("same.yaml") ? "a: 1" : "a: 2"));
        }
        page.locator("input[webkitdirectory]").setInputFiles(folder);
        assertThat(page.getByText("Dry run: 1 would be created, 0 overwritten, 1 unchanged, 1 skipped"))
                .isVisible();
        Locator rows = page.locator("tbody tr.ant-table-row");
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("same.yaml")))
                .containsText("Unchanged");
        assertThat(rows.filter(new Locator.FilterOptions().setHasText("other.yaml")))
                .containsText("Skipped");
        Screenshots.take(page, "import-skip");
    }
}
