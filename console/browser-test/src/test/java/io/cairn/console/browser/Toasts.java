package io.cairn.console.browser;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import java.util.List;

/** The short messages at the top of a page, which go after 3 s: a busy machine may look later. */
final class Toasts {
    private static final String KEEP = """
            window.toasts = [];
            new MutationObserver((mutations) => mutations.forEach((mutation) => mutation.addedNodes.forEach((node) => {
              if (node.closest?.('.ant-message')) window.toasts.push(node.textContent);
            }))).observe(document, { childList: true, subtree: true });
            """;
    private static final int LOOK_MILLIS = 50;

    private Toasts() {}

    /** Keeps the messages of all pages of this context, each until its page is left. */
    static void keep(BrowserContext context) {
        context.addInitScript(KEEP);
    }

    /** Waits until the page has shown a message with this text. */
    static void await(Page page, String text) {
        long begin = System.nanoTime();
        List<?> shown = shown(page);
        while (shown.stream().noneMatch(toast -> toast.toString().contains(text))
                && System.nanoTime() - begin < PATIENCE.toNanos()) {
            page.waitForTimeout(LOOK_MILLIS);
            shown = shown(page);
        }
        assertThat(shown).as("messages of the page").anySatisfy(toast -> assertThat(toast.toString())
                .contains(text));
    }

    private static List<?> shown(Page page) {
        return (List<?>) page.evaluate("window.toasts");
    }
}
