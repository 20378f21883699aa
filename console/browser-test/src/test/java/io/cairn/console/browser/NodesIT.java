package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The nodes of a cluster, and the commands that move their clients. The answers of a cluster are put in the place of those of this single
 * server; ClusterIT has the answers of nodes.
 */
@Tag("full")
class NodesIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String STATUS = "**/v3/admin/core/cluster/status";
    private static final String FIRST = "10.0.0.11:8848";
    private static final String DRAINED = "10.0.0.12:8848";
    private static final String BEHIND = "10.0.0.13:8848";
    private static final String SILENT = "10.0.0.14:8848";
    private static final String AWAY = "10.0.0.15:8848";

    private static String copy(String owner, boolean isEqual) {
        return "{\"owner\":\"" + owner + "\",\"entries\":1201,\"behind\":" + (isEqual ? 0 : 132) + ",\"behindMillis\":"
                + (isEqual ? 0 : 4200) + ",\"digestsEqual\":" + isEqual + '}';
    }

    private static String node(String address, String state, String presence, String details) {
        return "{\"address\":\"" + address + "\",\"state\":\"" + state + "\",\"presence\":\"" + presence
                + "\",\"seenAt\":1,\"owned\":1204," + details + '}';
    }

    private static String inService(String address, String details) {
        long started = System.currentTimeMillis() - 93_784_000;
        return node(
                address,
                "READY",
                "PRESENT",
                "\"answered\":true,\"version\":\"0.1.0\",\"startedAt\":" + started + ",\"since\":" + started
                        + ",\"mirrored\":2411," + details);
    }

    private static String cluster() {
        String inStep = "\"connections\":312,\"behind\":0,\"behindMillis\":0,\"digestsEqual\":true,\"revision\":48213,"
                + "\"revisionsBehind\":0,\"clockOffsetMillis\":-3,\"copies\":[" + copy(DRAINED, true) + "]";
        String unknown =
                "\"answered\":false,\"mirrored\":0,\"connections\":0,\"behind\":0,\"behindMillis\":0,\"copies\":[],"
                        + "\"revisionsBehind\":0,";
        List<String> nodes = List.of(
                inService(FIRST, inStep),
                inService(DRAINED, inStep + ",\"reason\":\"an operator drains this node\"")
                        .replace("READY", "DRAINING"),
                inService(
                        BEHIND,
                        "\"connections\":7,\"behind\":132,\"behindMillis\":4200,\"digestsEqual\":false,\"revision\":48201,"
                                + "\"revisionsBehind\":12,\"clockOffsetMillis\":2140,\"copies\":["
                                + copy(FIRST, false) + ',' + copy(DRAINED, true) + "]"),
                node(
                        SILENT,
                        "READY",
                        "SUSPECTED",
                        unknown + "\"version\":\"0.1.0\",\"startedAt\":1,\"since\":1,\"revision\":48213,"
                                + "\"reason\":\"it has sent no heartbeat for some seconds\""),
                node(
                        AWAY,
                        "JOINING",
                        "ABSENT",
                        unknown + "\"version\":\"\",\"startedAt\":0,\"since\":0,\"revision\":0,"
                                + "\"reason\":\"it is no member of the group\""));
        return "{\"code\":0,\"message\":\"success\",\"data\":{\"cluster\":true,\"node\":\"" + FIRST + "\",\"nodes\":["
                + String.join(",", nodes) + "]},\"complete\":false,\"silentNodes\":[\"" + SILENT + "\"]}";
    }

    private static void fulfil(Route route, String json) {
        route.fulfill(
                new Route.FulfillOptions().setContentType("application/json").setBody(json));
    }

    private static void showCluster(Page page) {
        page.route(STATUS, route -> fulfil(route, cluster()));
        page.navigate(cairn.uri("/ui/nodes").toString());
        assertThat(row(page, FIRST)).isVisible();
    }

    private static Locator row(Page page, String address) {
        return page.locator("tr")
                .filter(new Locator.FilterOptions().setHasText(address))
                .first();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void eachNodeShowsItsStateAndLag() {
        Page page = console.visitor();
        page.setViewportSize(1500, 800);
        showCluster(page);

        assertThat(page.getByText("2 of 5 nodes are in service")).isVisible();
        assertThat(page.getByText("Incomplete: these nodes did not answer: " + SILENT))
                .isVisible();
        assertThat(row(page, FIRST)).containsText("This page is from here");
        assertThat(row(page, FIRST)).containsText("In service");
        assertThat(row(page, FIRST)).containsText("1 d 2 h");
        assertThat(row(page, FIRST)).containsText("Equal");
        assertThat(row(page, DRAINED)).containsText("Draining");
        assertThat(row(page, DRAINED)).containsText("an operator drains this node");
        assertThat(row(page, BEHIND)).containsText("132 · 4 s");
        assertThat(row(page, BEHIND)).containsText("Different");
        assertThat(row(page, BEHIND)).containsText("−12");
        assertThat(row(page, BEHIND)).containsText("+2,140 ms");
        assertThat(row(page, SILENT)).containsText("Silent");
        assertThat(row(page, AWAY)).containsText("Away");
        assertThat(row(page, AWAY).getByRole(AriaRole.BUTTON)).hasCount(0);
        Screenshots.take(page, "nodes");
        Accessibility.check(page);

        row(page, BEHIND).getByRole(AriaRole.BUTTON).first().click();
        assertThat(page.getByText("Copy of")).isVisible();
        assertThat(row(page, BEHIND)).isVisible();
        Screenshots.take(page, "nodes-copies");

        button(page, "Dark theme").click();
        assertThat(page.locator("html[data-theme=dark]")).hasCount(1);
        Screenshots.take(page, "nodes-dark");
        Accessibility.check(page);
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        assertThat(page.getByText("5 个节点中有 2 个正在服务")).isVisible();
        Screenshots.take(page, "nodes-chinese");
    }

    @Test
    void theNodesFitATelephone() {
        Page page = Narrow.visitor(console);
        showCluster(page);

        assertThat(row(page, DRAINED)).containsText("an operator drains this node");
        assertThat(button(page, "End the drain of " + DRAINED))
                .isInViewport(new LocatorAssertions.IsInViewportOptions().setRatio(1));
        Narrow.check(page, "nodes-of-cluster");
    }

    @Test
    void clientsAreMovedAfterAQuestion() {
        List<String> asked = new ArrayList<>();
        Page page = console.visitor();
        page.route(Pattern.compile(".*/v3/admin/core/cluster/(node/drain|node/undrain|rebalance)$"), route -> {
            String form = route.request().postData();
            asked.add(route.request().url().replaceAll(".*/cluster/", "") + (form == null ? "" : ' ' + form));
            fulfil(route, "{\"code\":0,\"message\":\"success\",\"data\":\"done\"}");
        });
        showCluster(page);

        button(page, "Drain " + FIRST).click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("Drain " + FIRST + "?");
        Screenshots.take(page, "nodes-drain");
        button(page, "Cancel").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        assertThat(asked).as("without an answer to the question").isEmpty();

        button(page, "Drain " + FIRST).click();
        button(page, "Drain").last().click();
        assertThat(page.getByText("Its clients are asked to move", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        button(page, "End the drain of " + DRAINED).click();
        button(page, "End the drain").last().click();
        assertThat(page.getByText("The node accepts clients again")).isVisible();
        button(page, "Rebalance").first().click();
        button(page, "Rebalance").last().click();
        assertThat(page.getByText("Connections are being rebalanced")).isVisible();

        assertThat(asked)
                .containsExactly(
                        "node/drain address=10.0.0.11%3A8848", "node/undrain address=10.0.0.12%3A8848", "rebalance");
    }

    @Test
    void aSingleServerExplainsHowToMakeACluster() {
        Page page = console.visitor();
        page.navigate(cairn.uri("/ui/nodes").toString());

        assertThat(page.getByText("This is a single server.")).isVisible();
        assertThat(page.getByText("conf/cluster.conf")).isVisible();
        assertThat(row(page, ":" + cairn.uri("/").getPort())).containsText("In service");
        assertThat(button(page, "Rebalance")).hasCount(0);
        Screenshots.take(page, "nodes-single");
        Accessibility.check(page);
    }

    @Test
    void showsARefusalInPlaceOfTheNodes() {
        Page page = console.visitor();
        page.route(
                STATUS,
                route -> route.fulfill(new Route.FulfillOptions()
                        .setStatus(500)
                        .setContentType("application/json")
                        .setBody("{\"code\":30000,\"message\":\"server error\",\"data\":\"out of order\"}")));
        page.navigate(cairn.uri("/ui/nodes").toString());

        assertThat(page.getByText("The server refused this")).isVisible();
        assertThat(page.getByText("out of order")).isVisible();
        page.unroute(STATUS);
        button(page, "Try again").click();
        assertThat(page.getByText("This is a single server.")).isVisible();
    }
}
