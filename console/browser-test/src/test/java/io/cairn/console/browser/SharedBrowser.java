package io.cairn.console.browser;

import static io.cairn.testing.Patience.START;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.CDPSession;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The headless Chromium of all classes: it starts with the first test and ends with the last one. It keeps the contexts
 * of visitors without settings of their own and empties them for the next test, because the first view of a new context
 * costs twice the CPU of a view in one that has the console's files. For one thread.
 */
final class SharedBrowser implements AutoCloseable {

    private static final List<String> PLACES =
            List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
    private static final List<String> FLAGS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run");
    private static final String NOTHING_STORED = "{\"cookies\":[],\"origins\":[]}";

    private final Playwright playwright;
    private final Browser browser;
    /** A blank page each, the only one of an empty context; the last one used comes first. */
    private final Deque<Page> blank = new ArrayDeque<>();

    SharedBrowser(Path chromium) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(chromium)
                        .setTimeout(START.toMillis())
                        .setArgs(FLAGS));
    }

    static Optional<Path> chromium() {
        String named = System.getenv("CAIRN_CHROMIUM");
        return (named == null ? PLACES.stream() : Stream.of(named))
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    BrowserContext newContext(Browser.NewContextOptions options) {
        return browser.newContext(options);
    }

    /** A blank page of an emptied context, when there is one. */
    Optional<Page> blankPage() {
        return Optional.ofNullable(blank.poll());
    }

    /** Takes the context back; nothing of its pages, their routes and what they stored is left for the next test. */
    void empty(BrowserContext context) {
        Page next = context.newPage();
        for (Page page : context.pages()) {
            if (page != next) {
                page.close();
            }
        }
        context.unrouteAll();
        context.setOffline(false);
        context.clearCookies();
        CDPSession session = context.newCDPSession(next);
        JsonObject everything = new JsonObject();
        everything.addProperty("origin", "*");
        everything.addProperty("storageTypes", "all");
        session.send("Storage.clearDataForOrigin", everything);
        session.detach();
        assertThat(context.storageState())
                .as("what a visitor leaves for the next one")
                .isEqualTo(NOTHING_STORED);
        blank.push(next);
    }

    @Override
    public void close() {
        playwright.close();
    }
}
