package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.api.config.ContentDigest;
import io.cairn.api.wire.Payload;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import io.cairn.server.support.WireClient;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

/** The clients of a configuration: their contents by reports and by their own answers, and their events. */
@Tag("full")
class ClientsIT {

    private static final String JAVA = "Nacos-Java-Client:v3.2.0";
    private static final String GO = "Nacos-Go-Client:v2.2.0";
    private static final String QUESTION = "ClientConfigMetricRequest";
    private static final String OLD = "retries: 3\n";
    private static final String NEW = "retries: 5\n";

    @RegisterExtension
    static final InspectableServer known = InspectableServer.temporary()
            .with("nacos.core.auth.enabled", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final Accounts accounts = new Accounts(known);

    private final List<WireClient> clients = new ArrayList<>();

    @BeforeAll
    static void fill() {
        accounts.renewAdmin();
    }

    @AfterEach
    void disconnect() {
        clients.forEach(WireClient::close);
    }

    /** @param holds the content in its answer; null for a client that does not answer */
    private WireClient listener(
            String dataId, String address, String sdk, Map<String, String> labels, String listensWith, String holds) {
        WireClient client = cairn.newTransport();
        clients.add(client);
        client.acknowledge(push -> {
            if (!push.type().equals(QUESTION)) {
                return true;
            }
            if (holds != null) {
                client.push("ClientConfigMetricResponse", answer(push, dataId, holds));
            }
            return false;
        });
        client.setUp(address, sdk, labels);
        client.listen(dataId, ContentDigest.of(listensWith).toString());
        return client;
    }

    private static String answer(Payload question, String dataId, String holds) {
        JsonMapper json = JsonMapper.shared();
        String inner = json.writeValueAsString(Map.of(
                "listenConfigSize",
                1,
                "metricValues",
                Map.of(dataId + "+DEFAULT_GROUP", holds + ':' + ContentDigest.of(holds))));
        return json.writeValueAsString(Map.of(
                "resultCode",
                200,
                "errorCode",
                0,
                "success",
                true,
                "requestId",
                WireClient.tree(question).path("requestId").asString(),
                "metrics",
                Map.of("1c5e", inner)));
    }

    private static Map<String, String> labels(String app, String instance, String zone) {
        return Map.of(
                "AppName", app, "app_instance", instance, "app_zone", zone, "app_version", "1.2", "module", "config");
    }

    private static void store(String dataId, String content, Map<String, String> more) {
        Map<String, String> form = new HashMap<>(
                Map.of("dataId", dataId, "groupName", "DEFAULT_GROUP", "type", "yaml", "content", content));
        form.putAll(more);
        assertThat(cairn.post("/v3/admin/cs/config", form).statusCode()).isEqualTo(200);
    }

    private static Page open(String view) {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/" + view).toString());
        return page;
    }

    private static String listenersOf(String dataId) {
        return "configs/one?ns=public&group=DEFAULT_GROUP&dataId=" + dataId + "&tab=listeners";
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator region(Page page, String name) {
        return page.getByRole(
                AriaRole.REGION, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    private static Locator row(Page page, String text) {
        return page.locator("tbody tr.ant-table-row").filter(new Locator.FilterOptions().setHasText(text));
    }

    private static Locator link(Locator within) {
        return within.getByRole(AriaRole.LINK).first();
    }

    private static Locator event(Locator history, String text) {
        return history.getByRole(AriaRole.LISTITEM).filter(new Locator.FilterOptions().setHasText(text));
    }

    /** Checks the page on a desktop in both themes and on narrow windows, and in Chinese. */
    private static void look(Page page, String name, Locator chinese) {
        Screenshots.take(page, name);
        Accessibility.checkInBothThemes(page);
        for (int width : new int[] {500, Narrow.WIDTH}) {
            page.setViewportSize(width, Narrow.HEIGHT);
            Narrow.check(page, name + "-" + width);
        }
        page.setViewportSize(1280, 800);
        speak(page, "简体中文");
        assertThat(chinese).isVisible();
        Screenshots.take(page, name + "-chinese");
        Accessibility.check(page);
        speak(page, "English");
        assertThat(chinese).hasCount(0);
    }

    private static void speak(Page page, String language) {
        page.getByLabel(Pattern.compile("^(Language|语言)$")).click();
        page.getByRole(AriaRole.MENUITEM)
                .filter(new Locator.FilterOptions().setHasText(language))
                .click();
    }

    @Test
    void showsWhoUsesAConfigurationAndAsksThem() {
        store("used.yaml", OLD, Map.of());
        store("used.yaml", NEW, Map.of("grayName", "zone-a", "grayType", "label", "grayRuleExp", "zone = a"));
        listener("used.yaml", "10.0.0.1", JAVA, labels("orders", "orders-7d9", "a"), NEW, NEW);
        listener("used.yaml", "10.0.0.2", JAVA, labels("orders", "orders-x2k", "b"), OLD, OLD);
        listener("used.yaml", "10.0.0.3", JAVA, labels("payments", "payments-0", "b"), OLD, "retries: 1\n");
        listener("used.yaml", "10.0.0.4", GO, Map.of("AppName", "reports", "module", "config"), OLD, null);
        Page page = open(listenersOf("used.yaml"));
        assertThat(page.getByRole(AriaRole.STATUS)).hasText("3 of 4 have the stored version · 1 with a release");
        assertThat(row(page, "10.0.0.1")).containsText("orders");
        assertThat(row(page, "10.0.0.1")).containsText("zone=a");
        assertThat(row(page, "10.0.0.1")).containsText("zone-a");
        assertThat(row(page, "10.0.0.2")).containsText("Stored version");
        assertThat(row(page, "10.0.0.4")).containsText("Cannot be asked");
        button(page, "Ask the clients").click();
        assertThat(page.getByText("2 of 3 confirmed what the server believes · 1 with another content"))
                .isVisible();
        assertThat(row(page, "10.0.0.1")).containsText("Confirmed");
        assertThat(row(page, "10.0.0.3")).containsText("Holds another content");
        assertThat(row(page, "10.0.0.4")).containsText("Cannot be asked");
        look(page, "clients-of-config", page.getByText("谁在使用此配置").first());
        page.getByRole(
                        AriaRole.TAB,
                        new Page.GetByRoleOptions().setName("Content").setExact(true))
                .click();
        page.locator(".ant-segmented-item").getByText("Labels").click();
        button(page, "Add zone in (a, b)").click();
        button(page, "Add version = 1.2").click();
        assertThat(page.getByLabel("Condition on labels")).hasValue("zone in (a, b) && version = 1.2");
        button(page, "Discard").click();
        page.getByRole(AriaRole.TAB, new Page.GetByRoleOptions().setName("Listeners"))
                .click();
        page.getByLabel("Search by address").fill("zone=b");
        assertThat(page.getByRole(AriaRole.TABPANEL, new Page.GetByRoleOptions().setName("Listeners"))
                        .locator("tbody tr.ant-table-row"))
                .hasCount(2);

        link(row(page, "10.0.0.3")).click();
        assertThat(page.getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                .containsText("10.0.0.3");
        assertThat(page.locator("#content")).containsText("payments-0");
        button(page, "Ask about used.yaml").click();
        assertThat(row(page, "used.yaml")).containsText("Holds another content");
        assertThat(console.complaints()).isEmpty();
    }

    /** The states for which a test has no client. */
    @Test
    void saysWhyAClientHasNoAnswer() {
        store("unanswered.yaml", OLD, Map.of());
        List<String> addresses = List.of("10.0.4.1", "10.0.4.2", "10.0.4.3", "10.0.4.4");
        for (String address : addresses) {
            listener("unanswered.yaml", address, JAVA, labels("orders", address, "a"), OLD, OLD);
        }
        Page page = open(listenersOf("unanswered.yaml"));
        page.route(Pattern.compile("/watchers/held"), route -> {
            List<String> states = List.of("BUSY", "TOO_LARGE", "SILENT", "NOT_CONNECTED");
            List<Map<String, String>> held = new ArrayList<>();
            for (String connection : Pattern.compile("[?&]connectionIds=([^&]*)")
                    .matcher(URLDecoder.decode(route.request().url(), StandardCharsets.UTF_8))
                    .results()
                    .flatMap(found -> Stream.of(found.group(1).split(",")))
                    .sorted()
                    .toList()) {
                held.add(Map.of("connectionId", connection, "node", "", "state", states.get(held.size()), "md5", ""));
            }
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody(JsonMapper.shared()
                            .writeValueAsString(Map.of("code", 0, "message", "success", "data", held))));
        });
        button(page, "Ask the clients").click();
        for (String text : List.of(
                "Too many questions: ask again",
                "Not asked: the content is over 1 MiB",
                "No answer within 3 s",
                "Not connected any more")) {
            assertThat(page.locator("tbody").getByText(text)).hasCount(1);
        }
        Screenshots.take(page, "clients-unanswered");
        Accessibility.check(page);
    }

    @Test
    void theHistoryOfAClientIsATimeline() {
        store("timeline.yaml", OLD, Map.of());
        WireClient follows = listener("timeline.yaml", "10.0.1.1", JAVA, labels("orders", "orders-7d9", "a"), OLD, OLD);
        listener("timeline.yaml", "10.0.1.2", JAVA, labels("orders", "orders-x2k", "b"), OLD, OLD);
        Page page = open("connections");
        link(row(page, "10.0.1.1")).click();
        Locator history = region(page, "History");
        assertThat(event(history, "Listens · ")).hasCount(1);
        assertThat(row(page, "timeline.yaml")).containsText("Current");
        store("timeline.yaml", NEW, Map.of());
        assertThat(follows.nextChange()).isEqualTo("timeline.yaml");
        follows.listen("timeline.yaml", ContentDigest.of(NEW).toString());
        assertThat(event(history, "Has a new content")).hasCount(1);
        assertThat(event(history, "Notified of a change")).hasCount(1);
        assertThat(row(page, "timeline.yaml")).containsText("Current");
        look(page, "client", page.getByText("此连接").first());

        page.navigate(cairn.uri("/ui/" + listenersOf("timeline.yaml")).toString());
        page.locator(".ant-segmented-item").getByText("Events").click();
        Locator past = page.getByRole(AriaRole.TABPANEL, new Page.GetByRoleOptions().setName("Listeners"));
        Locator behind = event(past, "Did not follow within 10 s");
        assertThat(behind).hasCount(1);
        assertThat(behind).containsText("10.0.1.2");
        look(page, "clients-history", page.getByText("10 秒内未跟进").first());

        follows.close();
        link(event(past, "Has a new content")).click();
        assertThat(event(history, "Connection ended")).hasCount(1);
        assertThat(page.getByText("Not connected any more")).isVisible();
        page.locator(".ant-segmented-item").getByText("This instance").click();
        assertThat(page).hasURL(Pattern.compile("[?&]history=instance"));
        assertThat(event(history, "Has a new content")).hasCount(1);
        assertThat(console.complaints()).isEmpty();
    }

    private static void poll(String dataId, String content) {
        assertThat(cairn.post(
                                "/v1/cs/configs/listener",
                                Map.of(
                                        "Listening-Configs",
                                        dataId + (char) 2 + "DEFAULT_GROUP" + (char) 2 + ContentDigest.of(content)
                                                + (char) 1))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aClientOverHttpHasEventsAndCannotBeAsked() {
        store("polled.yaml", OLD, Map.of());
        poll("polled.yaml", OLD);
        store("polled.yaml", NEW, Map.of());
        poll("polled.yaml", OLD);
        poll("polled.yaml", NEW);
        Page page = open("clients/one?ip=127.0.0.1");
        assertThat(page.getByText("This client polls over HTTP: it has no connection, and cannot be asked."))
                .isVisible();
        Locator history = region(page, "History");
        assertThat(event(history, "Notified of a change")).hasCount(1);
        assertThat(event(history, "Has a new content")).hasCount(1);
        Accessibility.check(page);
        page.setViewportSize(Narrow.WIDTH, Narrow.HEIGHT);
        Narrow.check(page, "client-http");
    }

    @Test
    void aReaderSeesOnlyWhatItMayRead() {
        accounts.publish("public", "SEEN", "seen.yaml", "a: 1");
        accounts.publish("public", "HIDDEN", "hidden.yaml", "a: 1");
        accounts.user("clara", "r public:SEEN:*/*");
        accounts.user("app", "r public:*:*/*");
        String token = accounts.token("app", "pw-of-app");
        try (WireClient client = WireClient.connect("127.0.0.1", known.grpcPort())) {
            client.setUp("10.0.3.1", JAVA, labels("orders", "orders-7d9", "a"));
            for (String[] each : new String[][] {{"SEEN", "seen.yaml"}, {"HIDDEN", "hidden.yaml"}}) {
                client.request(
                        "ConfigBatchListenRequest",
                        "{\"listen\":true,\"configListenContexts\":[{\"group\":\"" + each[0] + "\",\"dataId\":\""
                                + each[1] + "\",\"tenant\":\"\",\"md5\":\"" + ContentDigest.of("a: 1") + "\"}]}",
                        Map.of("accessToken", token));
            }
            Page page = console.visitor();
            List<String> refused = new CopyOnWriteArrayList<>();
            accounts.signedIn(page, "configs/one?ns=public&group=SEEN&dataId=seen.yaml&tab=listeners", "clara");
            page.onResponse(response -> {
                if (response.status() == 401 || response.status() == 403) {
                    refused.add(response.status() + " " + response.url());
                }
            });
            link(row(page, "10.0.3.1")).click();
            assertThat(row(page, "seen.yaml")).containsText("Current");
            assertThat(page.getByText("hidden.yaml")).hasCount(0);
            assertThat(event(region(page, "History"), "Listens · ")).hasCount(1);
            Accessibility.check(page);
            assertThat(refused).isEmpty();
        }
    }
}
