package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What surrounds the pages: navigation, search, languages, themes. */
class ShellIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri(view).toString());
        return page;
    }

    private static Locator heading(Page page, String text) {
        return page.getByRole(
                AriaRole.HEADING, new Page.GetByRoleOptions().setName(text).setLevel(1));
    }

    @Test
    void everyPageOfTheNavigationOpensByClickAndByItsAddress() {
        cairn.post(
                "/v3/admin/cs/config", Map.of("dataId", "a.yaml", "groupName", "G", "content", "a: 1", "type", "yaml"));
        Page page = open("/");
        assertThat(heading(page, "Overview")).isVisible();
        assertThat(page.getByText("The server is ready and serves requests.")).isVisible();
        for (String name : new String[] {"Services", "Namespaces", "Connections", "Nodes", "Settings", "Overview"}) {
            page.getByRole(AriaRole.NAVIGATION)
                    .getByRole(
                            AriaRole.LINK,
                            new Locator.GetByRoleOptions().setName(name).setExact(true))
                    .click();
            assertThat(heading(page, name)).isVisible();
            assertThat(page.locator(".ant-skeleton")).hasCount(0);
            assertThat(page.locator(".ant-alert-error")).hasCount(0);
            Screenshots.take(page, "page-" + name.toLowerCase(java.util.Locale.ROOT));
            page.reload();
            assertThat(heading(page, name)).isVisible();
        }
        assertThat(console.complaints()).isEmpty();
    }
}
