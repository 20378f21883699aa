package io.cairn.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Holds a page against the rules of axe-core: nothing that it calls serious or critical may be found, and nothing against
 * the rules that are named here whatever it calls them. The name of a control holds the text that is seen on it, by which
 * it is called by voice; the landmarks of a page are each there once.
 */
final class Accessibility {

    /** Comes with the packages by which the console is built. */
    private static final Path AXE =
            Path.of(System.getProperty("basedir", "."), "../ui/node_modules/axe-core/axe.min.js");

    private static final List<String> ALWAYS = List.of(
            "empty-table-header",
            "label-content-name-mismatch",
            "landmark-main-is-top-level",
            "landmark-no-duplicate-main",
            "landmark-one-main",
            "landmark-unique",
            "page-has-heading-one");

    /** Colors and places on the way from one state to the next are not what a page looks like. */
    private static final String AT_REST = """
            async () => {
              const moving = () => document.getAnimations()
                .filter((animation) => animation.playState === 'running' && animation.effect?.getComputedTiming().endTime !== Infinity);
              const tooLong = new Promise((_, fail) => setTimeout(() => fail(new Error('the page still moves: ' + document.getAnimations()
                .map((animation) => animation.effect?.target?.outerHTML?.slice(0, 160)).join(' | '))), 60_000));
              tooLong.catch(() => undefined);
              // A color that is inherited begins to change when that of its parent has changed.
              for (let now = moving(); now.length > 0; now = moving()) {
                await Promise.race([Promise.all(now.map((animation) => animation.finished.catch(() => undefined))), tooLong]);
                await new Promise((next) => setTimeout(next));
              }
            }
            """;

    private static final String FINDINGS = """
            async (always) => (await Promise.race([
              axe.run(document, {
                resultTypes: ['violations'],
                selectors: false,
                preload: false,
                rules: Object.fromEntries(always.map((rule) => [rule, { enabled: true }])),
              }),
              new Promise((_, fail) => setTimeout(() => fail(new Error('the check has not ended')), 120_000)),
            ])).violations
              .filter((finding) => finding.impact === 'serious' || finding.impact === 'critical' || always.includes(finding.id))
              .map((finding) => finding.id + ': ' + finding.help + ' -- '
                + finding.nodes.slice(0, 4).map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).join(' | '))
            """;

    private Accessibility() {}

    static void check(Page page) {
        if (!(boolean) page.evaluate("() => 'axe' in window")) {
            page.evaluate(script());
        }
        page.evaluate(AT_REST);
        assertThat((List<?>) page.evaluate(FINDINGS, ALWAYS)).as(page.url()).isEmpty();
    }

    /** As {@link #check}, in dark and then in light colors. */
    static void checkInBothThemes(Page page) {
        for (ColorScheme colors : List.of(ColorScheme.DARK, ColorScheme.LIGHT)) {
            show(page, colors);
            check(page);
        }
    }

    /** A browser that draws no frame reports no change, and may lose it: so the colors are chosen until the page has them. */
    private static void show(Page page, ColorScheme colors) {
        await().pollInSameThread().until(() -> {
            for (ColorScheme each : List.of(ColorScheme.DARK, ColorScheme.LIGHT, ColorScheme.DARK)) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(each));
                if (each == colors && hasColors(page, colors)) {
                    return true;
                }
            }
            return false;
        });
    }

    private static boolean hasColors(Page page, ColorScheme colors) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        while (System.nanoTime() < deadline) {
            if (page.evaluate("() => document.documentElement.dataset.theme")
                    .equals(colors.name().toLowerCase(Locale.ROOT))) {
                return true;
            }
            page.waitForTimeout(20);
        }
        return false;
    }

    private static String script() {
        try {
            return Files.readString(AXE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
