package io.cairn.console.browser;

import com.microsoft.playwright.Page;
import java.nio.file.Path;

/** Pictures of pages in {@code target/screenshots}, for people to look at. */
final class Screenshots {

    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "target", "screenshots");

    private Screenshots() {}

    static void take(Page page, String name) {
        page.screenshot(new Page.ScreenshotOptions().setPath(FOLDER.resolve(name + ".png")));
    }
}
