package io.cairn.console.browser;

import com.microsoft.playwright.Page;
import java.nio.file.Path;

/**
 * Pictures of pages in {@code target/screenshots}, to look at. They check nothing and take a tenth of the browser's CPU, so
 * only failed tests take them, unless {@code -Dcairn.screenshots=true} asks for all.
 */
final class Screenshots {

    private static final boolean ALL = Boolean.getBoolean("cairn.screenshots");

    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "target", "screenshots");

    private Screenshots() {}

    static void take(Page page, String name) {
        if (ALL) {
            takeAlways(page, name);
        }
    }

    static void takeAlways(Page page, String name) {
        page.screenshot(new Page.ScreenshotOptions().setPath(FOLDER.resolve(name + ".png")));
    }
}
