package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import io.cairn.server.support.CairnExtension;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Work without a mouse: the focus is always seen, never caught, and comes back from dialogs. */
@Tag("full")
class KeyboardIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String NOTHING = "nothing";

    /** More than any of these views has places for the focus. */
    private static final int MOST_STOPS = 60;

    /**
     * Whether the element that has the focus lies within the window and looks different with it, itself, around it or
     * beside it; and its name.
     */
    private static final String FOCUS = """
            async () => {
              const element = document.activeElement;
              if (!element || element === document.body) return { name: 'nothing', seen: false };
              const around = [element, element.nextElementSibling];
              for (let up = element.parentElement, n = 0; up && n < 4; up = up.parentElement, n++) around.push(up);
              const look = () => around.filter(Boolean).map((each) => {
                const style = getComputedStyle(each);
                const outline = style.outlineStyle === 'none' ? '' : style.outlineWidth + style.outlineColor;
                return [outline, style.boxShadow, style.borderColor, style.backgroundColor, style.left].join();
              }).join('|');
              const box = element.getBoundingClientRect();
              const owner = around.find((each) => each?.getBoundingClientRect().width > 1)?.getBoundingClientRect() ?? box;
              const inside = owner.right > 0 && owner.bottom > 0 && owner.left < innerWidth && owner.top < innerHeight;
              // A date has places of its own, shown by the browser, which would begin anew.
              let seen = element.type === 'date';
              // The editor learns of the focus a little later, on a busy machine later still.
              for (let wait = 15; wait < 10_000 && !seen; wait *= 4) {
                await new Promise((done) => setTimeout(done, wait));
                const focused = look();
                element.blur();
                for (let n = 0; n < 60 && !seen; n++) {
                  await new Promise((done) => requestAnimationFrame(done));
                  seen = look() !== focused;
                }
                element.focus({ preventScroll: true });
              }
              const name = element.getAttribute('aria-label') || element.closest('label')?.textContent || element.textContent;
              return { name: element.tagName.toLowerCase() + ' ' + name.trim().slice(0, 60), seen: seen && inside };
            }
            """;

    private static Page open(String view) {
        Page page = console.visitor();
        go(page, view);
        return page;
    }

    private static void go(Page page, String view) {
        page.navigate(cairn.uri(view).toString());
    }

    private static void store(String dataId, String content) {
        assertThat(cairn.post(
                                "/v3/admin/cs/config",
                                Map.of("dataId", dataId, "groupName", "G", "content", content, "type", "yaml"))
                        .statusCode())
                .isEqualTo(200);
    }

    private static Locator heading(Page page) {
        return page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1));
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static boolean focused(Locator target) {
        return Boolean.TRUE.equals(target.evaluate("(element) => element === document.activeElement"));
    }

    /** Presses Tab until the target has the focus, which is to be seen wherever it is on the way. */
    private static void tabTo(Page page, Locator target) {
        tabTo(page, target, "Tab");
    }

    private static void tabTo(Page page, Locator target, String key) {
        assertThat(target).isEnabled();
        Set<String> passed = new LinkedHashSet<>();
        for (int stop = 0; stop < MOST_STOPS; stop++) {
            page.keyboard().press(key);
            Map<?, ?> focus = (Map<?, ?>) page.evaluate(FOCUS);
            if (NOTHING.equals(focus.get("name")) && passed.add(NOTHING)) {
                continue; // between the last place of the page and the first, the browser's own come
            }
            assertThat(focus.get("seen"))
                    .as("the focus is seen on %s, after %s", focus.get("name"), passed)
                    .isEqualTo(true);
            if (focused(target)) {
                return;
            }
            passed.add(String.valueOf(focus.get("name")));
        }
        throw new AssertionError(target + " is not reached, but " + passed);
    }

    @Test
    void fromTheFirstPageToAPublishedChange() {
        store("keys.yaml", "retries: 3\n");
        Page page = open("/");
        assertThat(heading(page)).hasText("Overview");
        Locator skip = page.getByText("Skip to the content");
        tabTo(page, skip);
        page.keyboard().press("Enter");
        assertThat(page.locator("#content")).isFocused();

        page.keyboard().press("ControlOrMeta+k");
        Locator search = page.getByRole(AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName("Search everything"));
        assertThat(search).isFocused();
        page.keyboard().type("keys");
        Locator options = page.getByRole(AriaRole.OPTION);
        assertThat(options.first()).containsText("keys.yaml");
        page.keyboard().press("ArrowDown");
        page.keyboard().press("ArrowUp");
        assertThat(options.first()).hasAttribute("aria-selected", "true");
        page.keyboard().press("Enter");
        assertThat(heading(page)).hasText("keys.yaml");
        assertThat(page.locator("#content")).isFocused();

        Locator editor = page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content").setExact(true));
        assertThat(editor).isVisible();
        Locator wayOut = page.getByText("Esc, then Tab, leaves the text");
        assertThat(wayOut).isHidden();
        tabTo(page, editor);
        assertThat(wayOut).isVisible();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().type("retries: 7");
        assertThat(page.getByText("Changed, not published")).isVisible();
        page.keyboard().press("Escape");
        Locator review = button(page, "Review and publish");
        tabTo(page, review);
        page.keyboard().press("Enter");
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        assertThat(page.locator(".diff")).containsText("retries: 7");
        Screenshots.take(page, "keyboard-review");
        page.keyboard().press("Escape");
        assertThat(dialog).hasCount(0);
        assertThat(review).isFocused();

        page.keyboard().press("Enter");
        assertThat(page.locator(".diff")).containsText("retries: 7");
        tabTo(page, button(page, "Publish"));
        page.keyboard().press("Enter");
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(dialog).hasCount(0);
        assertThat(cairn.get("/v1/cs/configs?group=G&dataId=keys.yaml").body()).isEqualTo("retries: 7");
        assertThat(page.locator("#content"))
                .isFocused(); // the button by which the dialog was opened rests until something is changed
    }

    @Test
    void everyPlaceOfAViewIsReachedSeenAndLeft() {
        store("stops.yaml", "a: 1");
        Page page = console.visitor();
        for (String view : new String[] {"/", "/ui/configs", "/ui/services", "/ui/namespaces", "/ui/audit"}) {
            go(page, view);
            assertThat(heading(page)).isVisible();
            assertThat(page.locator(".ant-skeleton")).hasCount(0);
            Locator language = button(page, "Language");
            language.focus();
            // All the way through the page, around, and to where it began; and a step back.
            tabTo(page, button(page, "Dark theme"));
            page.evaluate("() => document.activeElement.blur()");
            tabTo(page, page.getByText("Skip to the content"));
        }
    }

    @Test
    void everyPlaceIsSeenInTheDarkAsWell() {
        store("dark.yaml", "a: 1");
        Page page = console.visitor();
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(ColorScheme.DARK));
        for (String view : new String[] {"/", "/ui/configs", "/ui/configs/one?ns=public&group=G&dataId=dark.yaml"}) {
            go(page, view);
            assertThat(page.locator("html[data-theme=dark]")).hasCount(1);
            assertThat(heading(page)).isVisible();
            assertThat(page.locator(".ant-skeleton")).hasCount(0);
            if (view.contains("one?")) {
                Locator editor = page.getByRole(
                        AriaRole.TEXTBOX,
                        new Page.GetByRoleOptions().setName("Content").setExact(true));
                tabTo(page, editor);
                Screenshots.take(page, "keyboard-dark");
            } else {
                button(page, "Language").focus();
                tabTo(page, button(page, "Light theme"));
                page.evaluate("() => document.activeElement.blur()");
                tabTo(page, page.getByText("Skip to the content"));
            }
        }
    }

    @Test
    void aBusyButtonKeepsItsName() {
        store("busy.yaml", "a: 1");
        Page page = open("/ui/configs/one?ns=public&group=G&dataId=busy.yaml");
        Locator editor = page.getByRole(
                AriaRole.TEXTBOX, new Page.GetByRoleOptions().setName("Content").setExact(true));
        editor.click();
        page.keyboard().press("ControlOrMeta+a");
        page.keyboard().insertText("a: 2");
        List<Route> held = new ArrayList<>();
        page.route("**/v3/admin/cs/config", route -> {
            if (route.request().method().equals("POST")) {
                held.add(route);
            } else {
                route.resume();
            }
        });
        button(page, "Review and publish").click();
        button(page, "Publish").click();
        // Exactly this name: what turns on the button would else be read out with it.
        Locator busy = button(page, "Publish").and(page.locator(".ant-btn-loading"));
        assertThat(busy).isVisible();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .hasCount(0);
        Accessibility.check(page);
        assertThat(held).hasSize(1);
        held.get(0).resume();
        assertThat(page.getByText("As stored", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        assertThat(cairn.get("/v1/cs/configs?group=G&dataId=busy.yaml").body()).isEqualTo("a: 2");
    }

    @Test
    void dialogsAndMenusGiveTheFocusBack() {
        store("back.yaml", "a: 1");
        Page page = open("/ui/namespaces");
        assertThat(heading(page)).hasText("Namespaces");
        Locator dialog = page.getByRole(AriaRole.DIALOG);
        Locator search = button(page, "Search everything");
        tabTo(page, search);
        page.keyboard().press("Enter");
        assertThat(dialog).isVisible();
        page.keyboard().press("Escape");
        assertThat(dialog).hasCount(0);
        assertThat(search).isFocused();

        Locator language = button(page, "Language");
        tabTo(page, language);
        page.keyboard().press("Enter");
        Locator menu = page.locator(".ant-dropdown:visible");
        assertThat(menu).hasCount(1);
        page.keyboard().press("Escape");
        assertThat(menu).hasCount(0);
        assertThat(language).isFocused();

        Locator create = button(page, "New namespace");
        tabTo(page, create);
        page.keyboard().press("Enter");
        assertThat(dialog.getByRole(
                        AriaRole.TEXTBOX,
                        new Locator.GetByRoleOptions().setName("Name").setExact(true)))
                .isFocused();
        for (int stop = 0; stop < 12; stop++) {
            page.keyboard().press("Tab");
            assertThat(page.evaluate("() => document.activeElement.closest('.shell')?.outerHTML.slice(0, 80)"))
                    .as("the focus does not get behind the dialog")
                    .isNull();
        }
        page.keyboard().press("Escape");
        assertThat(dialog).hasCount(0);
        assertThat(create).isFocused();

        page.navigate(
                cairn.uri("/ui/configs/one?ns=public&group=G&dataId=back.yaml").toString());
        Locator delete = button(page, "Delete");
        assertThat(delete).isVisible();
        tabTo(page, delete);
        page.keyboard().press("Enter");
        assertThat(dialog).isVisible();
        page.keyboard().press("Escape");
        assertThat(dialog).hasCount(0);
        assertThat(delete).isFocused();
    }
}
