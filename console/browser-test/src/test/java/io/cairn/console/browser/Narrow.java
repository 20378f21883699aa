package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import java.util.List;

/** The window of a telephone, and the check that a page fits it: what is wider is moved within its panel. */
final class Narrow {

    static final int WIDTH = 390;
    static final int HEIGHT = 844;

    /** Elements that reach beyond the window or their panel and lie in nothing that scrolls or cuts them off. */
    private static final String TOO_WIDE = """
            () => {
              const width = document.documentElement.clientWidth;
              const isKept = (element) => {
                for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) {
                  if (getComputedStyle(up).overflowX !== 'visible') return true;
                }
                return false;
              };
              const shown = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && !isKept(element));
              const panelOf = (element) => element.closest('.panel')?.getBoundingClientRect().right ?? width;
              const wide = shown
                .filter((element) => element.getBoundingClientRect().right > Math.min(width, panelOf(element)) + 1)
                .map((element) => element.outerHTML.slice(0, 160));
              const overflow = document.documentElement.scrollWidth - width;
              if (overflow > 0) wide.push('the page scrolls sideways by ' + overflow + ' pixels');
              // A panel of a table grows with its rows: a second scroll bar beside that of the page only takes its width.
              document.querySelectorAll('.table-panel, .table-scroll').forEach((panel) => {
                if (panel.scrollHeight > panel.clientHeight && getComputedStyle(panel).overflowY !== 'hidden') {
                  wide.push('a table scrolls up and down by ' + (panel.scrollHeight - panel.clientHeight) + ' pixels');
                }
              });
              return wide;
            }
            """;

    private Narrow() {}

    static Page visitor(ConsoleExtension console) {
        return console.visitor(WIDTH, HEIGHT);
    }

    static void check(Page page, String name) {
        assertThat(page.locator(".ant-skeleton")).hasCount(0);
        Screenshots.take(page, "narrow-" + name);
        // The console follows the width of the window a moment later.
        await().pollInSameThread().untilAsserted(() -> assertThat((List<?>) page.evaluate(TOO_WIDE))
                .as(page.url())
                .isEmpty());
        Accessibility.checkInBothThemes(page);
    }
}
