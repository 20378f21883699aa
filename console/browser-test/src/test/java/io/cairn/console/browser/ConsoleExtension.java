package io.cairn.console.browser;

import static io.cairn.testing.Patience.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.PlaywrightException;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ReducedMotion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** Pages in a headless Chromium for the tests of one class; the tests are skipped, and say so, where there is none. */
final class ConsoleExtension implements BeforeAllCallback, AfterEachCallback, TestExecutionExceptionHandler {

    private static final double SHOWN_MILLIS = 5_000;
    private static final int SHOWN_CHARACTERS = 600;
    /** The browser's own message does not say what was refused. */
    private static final String TELL_VIOLATIONS = """
            document.addEventListener('securitypolicyviolation', (event) => console.error('security policy: '
              + [event.effectiveDirective, event.blockedURI, event.sourceFile + ':' + event.lineNumber, event.sample,
                 event.target?.outerHTML?.slice(0, 200)].join(' ')));
            """;

    /** The contexts of this test that the next one uses too, and those that end with it. */
    private final List<BrowserContext> lasting = new ArrayList<>();

    private final List<BrowserContext> passing = new ArrayList<>();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private final List<String> refused = Collections.synchronizedList(new ArrayList<>());
    private SharedBrowser browser;

    @Override
    public void beforeAll(ExtensionContext context) {
        Optional<Path> chromium = SharedBrowser.chromium();
        if (chromium.isEmpty()) {
            System.err.println(
                    "SKIPPED " + context.getDisplayName()
                            + ": no Chromium here. Install one (Debian: apt-get install chromium) or name it in CAIRN_CHROMIUM.");
        }
        Assumptions.assumeTrue(chromium.isPresent(), "no Chromium: apt-get install chromium, or set CAIRN_CHROMIUM");
        browser = context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SharedBrowser.class))
                .computeIfAbsent( // the store closes it
                        SharedBrowser.class, none -> new SharedBrowser(chromium.orElseThrow()), SharedBrowser.class);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
    }

    /** A failure tells what the pages showed and what was refused, for whoever has no more than the test's message. */
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        if (!(failure instanceof AssertionError || failure instanceof PlaywrightException)) {
            throw failure;
        }
        StringBuilder text = new StringBuilder(String.valueOf(failure.getMessage()));
        for (Page page : pages()) {
            text.append("\n").append(page.url()).append(" showed: ").append(shown(page));
        }
        text.append("\nrefused: ")
                .append(refused)
                .append("\nthe browser's log: ")
                .append(complaints);
        throw new AssertionError(text.toString(), failure);
    }

    private List<Page> pages() {
        return Stream.concat(lasting.stream(), passing.stream())
                .flatMap(context -> context.pages().stream())
                .toList();
    }

    private static String shown(Page page) {
        try {
            String all = page.innerText("body", new Page.InnerTextOptions().setTimeout(SHOWN_MILLIS))
                    .replaceAll("\\s+", " ");
            return all.substring(0, Math.min(all.length(), SHOWN_CHARACTERS));
        } catch (PlaywrightException e) {
            return "nothing: " + e.getMessage();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            int count = 0;
            for (Page page : pages()) {
                Screenshots.takeAlways(
                        page, "failed-" + context.getRequiredTestMethod().getName() + '-' + count++);
            }
            System.err.println(context.getDisplayName() + " saw in the browser's log: " + complaints);
        }
        passing.forEach(BrowserContext::close);
        passing.clear();
        lasting.forEach(browser::empty);
        lasting.clear();
        List<String> heard = List.copyOf(complaints);
        complaints.clear();
        refused.clear();
        if (context.getExecutionException().isEmpty()) {
            assertThat(heard)
                    .as("what the browser complained about, on any page of the test")
                    .isEmpty();
        }
    }

    /**
     * A page of a visitor of its own: nothing is shared with others, except that the browser may have the console's files
     * already; and nothing moves. A click on what moves can be lost: a dialog that grows stands still for some frames of a
     * busy machine, and has grown when the button is let go.
     */
    Page visitor() {
        Page page = browser.blankPage()
                .orElseGet(() -> context(new Browser.NewContextOptions()).newPage());
        lasting.add(page.context());
        return watched(page);
    }

    /** As {@link #visitor()}, with a window of this size. */
    Page visitor(int width, int height) {
        Page page = visitor();
        page.setViewportSize(width, height);
        return page;
    }

    /** As {@link #visitor()}, with settings of its own, in a browser that has no file of the console yet. */
    Page visitor(Browser.NewContextOptions options) {
        BrowserContext context = context(options);
        passing.add(context);
        return watched(context.newPage());
    }

    private BrowserContext context(Browser.NewContextOptions options) {
        if (options.viewportSize == null) {
            options.setViewportSize(1280, 800);
        }
        if (options.reducedMotion == null) {
            options.setReducedMotion(ReducedMotion.REDUCE);
        }
        BrowserContext context = browser.newContext(options);
        context.setDefaultTimeout(PATIENCE.toMillis());
        context.grantPermissions(List.of("clipboard-read", "clipboard-write"));
        context.addInitScript(TELL_VIOLATIONS);
        Toasts.keep(context);
        return context;
    }

    private Page watched(Page page) {
        page.onConsoleMessage(this::listen);
        page.onPageError(complaints::add);
        page.onRequestFailed(request -> refused.add(request.url() + ' ' + request.failure()));
        page.onResponse(response -> {
            if (response.status() >= 400) {
                refused.add(response.url() + ' ' + response.status());
            }
        });
        return page;
    }

    private void listen(ConsoleMessage message) {
        if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
            complaints.add(message.text() + " at " + message.location());
        }
    }

    /**
     * Errors in the browser's own log, refusals by the security policy among them; failed requests are not counted. A test
     * that leaves any fails.
     */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    /** Drops complaints of a kind that the test expects and that are not the console's doing; the others remain. */
    void forgive(Pattern kind) {
        complaints.removeIf(each -> kind.matcher(each).find());
    }
}
