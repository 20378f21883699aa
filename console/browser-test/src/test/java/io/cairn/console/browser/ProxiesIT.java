package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.CairnExtension;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The console pages about proxies. This server has no proxies, so the tests replace its responses about them. */
@Tag("full")
class ProxiesIT {

    @RegisterExtension
    static final CairnExtension cairn = CairnExtension.temporary();

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    private static final String REFUSAL =
            "error adding listener 'gateway': cannot bind '0.0.0.0:80': Permission denied";

    private static String type(String type, boolean wildcard, int names, String state, String error) {
        return """
                {"type":"%s","typeUrl":"type.googleapis.com/x","wildcard":%s,"names":%d,"resources":203,"sentVersion":"17",
                 "acknowledgedVersion":"%s","state":"%s","error":%s,"since":%d}""".formatted(
                        type,
                        wildcard,
                        names,
                        state.equals("current") ? 17 : 16,
                        state,
                        error == null ? "null" : '"' + error + '"',
                        System.currentTimeMillis() - 93_000);
    }

    private static String proxy(String node, String agent, String protocol, String state, String... types) {
        return """
                {"id":"17_%s","nodeId":"%s","nodeCluster":"orders","address":"10.0.0.7:41234","server":"10.0.0.1:8848",
                 "agent":"%s","flavour":"envoy","protocol":"%s","namespaceId":"public","user":"token:mesh","tag":"canary",
                 "connectedAt":%d,"state":"%s","hostNames":2,"types":[%s]""".formatted(
                node, node, agent, protocol, System.currentTimeMillis() - 3_600_000, state, String.join(",", types));
    }

    private static final String REFUSING = proxy(
            "sidecar-1",
            "envoy/1.40.0",
            "delta",
            "refusing",
            type("cds", true, 0, "current", null),
            type("eds", false, 2, "current", null),
            type("lds", true, 0, "refusing", REFUSAL));

    private static final String PAGE = "{\"totalCount\":3,\"pageNumber\":1,\"pagesAvailable\":1,\"pageItems\":["
            + REFUSING + "},"
            + proxy("sidecar-2", "grpc-java/1.83.1", "sotw", "waiting", type("eds", false, 1, "waiting", null)) + "},"
            + proxy("gateway-1", "envoy/1.40.0", "delta", "current", type("cds", true, 0, "current", null)) + "}]}";

    private static final String SUMMARY = """
            {"proxies":40,"current":38,"waiting":1,"refusing":1,"starting":0,"behind":37,"refusals":[
             {"id":"17_sidecar-1","nodeId":"sidecar-1","type":"lds","error":"%s","since":1}]}""".formatted(REFUSAL);

    private final List<String> asked = new CopyOnWriteArrayList<>();

    private void answer(Page page, String path, String data) {
        page.route("**/v3/admin/mesh/" + path, route -> {
            asked.add(route.request().url().replaceAll(".*/mesh/", ""));
            route.fulfill(new Route.FulfillOptions()
                    .setContentType("application/json")
                    .setBody("{\"code\":0,\"message\":\"success\",\"data\":" + data + '}'));
        });
    }

    private Page withProxies(Page page) {
        answer(page, "proxies?*", PAGE);
        answer(page, "summary?*", SUMMARY);
        answer(
                page,
                "proxy?*",
                "{\"proxy\":" + REFUSING
                        + "},\"subscriptions\":[{\"type\":\"eds\",\"names\":[\"orders\",\"pay@@ledger\"],\"truncated\":false}]}");
        answer(page, "resource?*", """
                {"type":"eds","name":"orders","typeUrl":"x","version":"4be4b64e5e1a7e0c","source":"registry",
                 "json":{"cluster_name":"orders"},"base64":"","bytes":123}""");
        answer(page, "config?*", """
                {"totalCount":2,"pageNumber":1,"pagesAvailable":1,"pageItems":[
                 {"name":"gateway","source":"stored","version":"4be4b64e5e1a7e0c","bytes":1234},
                 {"name":"orders","source":"registry","version":"00b4b64e5e1a7e0c","bytes":99}]}""");
        return page;
    }

    private static Locator row(Page page, String text) {
        return page.locator("tr")
                .filter(new Locator.FilterOptions().setHasText(text))
                .first();
    }

    private static Locator button(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    @Test
    void showsResourcesAndRefusalsOfEachProxy() {
        Page page = withProxies(console.visitor());
        page.setViewportSize(1500, 900);
        page.navigate(cairn.uri("/ui/proxies").toString());

        assertThat(page.getByText(
                        "40 proxies are connected · 1 refusing something · 1 without an acknowledgement for a minute"))
                .isVisible();
        assertThat(row(page, "sidecar-1")).containsText("Refuses");
        assertThat(row(page, "sidecar-1")).containsText("Listeners · since");
        assertThat(row(page, "sidecar-1")).containsText(REFUSAL);
        assertThat(row(page, "sidecar-2")).containsText("Not acknowledged");
        assertThat(row(page, "gateway-1")).containsText("Up to date");
        row(page, "sidecar-1").getByRole(AriaRole.BUTTON).first().click();
        assertThat(button(page, "pay@@ledger")).isVisible();
        assertThat(page.getByText("2 instances are left out")).isVisible();
        Screenshots.take(page, "proxies");
        Accessibility.check(page);

        button(page, "orders").click();
        assertThat(page.getByRole(AriaRole.DIALOG))
                .containsText("Made from the registry · 4be4b64e5e1a7e0c · 123 bytes");
        assertThat(page.getByRole(AriaRole.DIALOG).locator(".cm-content")).containsText("cluster_name");
        Screenshots.take(page, "proxies-resource");
        page.keyboard().press("Escape");

        // The proxy takes all clusters: the cell opens the list of its clusters.
        button(page, "203 Clusters of sidecar-1").click();
        Locator list = page.getByRole(AriaRole.DIALOG).locator("tr");
        assertThat(list.filter(new Locator.FilterOptions().setHasText("gateway")))
                .containsText("A configuration of the group CAIRN_XDS");
        assertThat(list.filter(new Locator.FilterOptions().setHasText("4be4b64e5e1a7e0c")))
                .containsText("1,234");
        Screenshots.take(page, "proxies-config");
        Accessibility.check(page);
        page.keyboard().press("Escape");
        assertThat(asked).contains("config?proxy=17_sidecar-1&type=cds&namespaceId=public&pageNo=1&pageSize=50");

        page.getByLabel("Node or its cluster").fill("side");
        page.getByLabel("State", new Page.GetByLabelOptions().setExact(true)).click();
        page.waitForRequest(
                request -> request.url().contains("state=refusing&node=side"),
                () -> page.getByTitle("Refuses").click());
        page.getByLabel("Language").click();
        page.getByText("简体中文").click();
        assertThat(row(page, "sidecar-1")).containsText("拒绝");
        Screenshots.take(page, "proxies-chinese");
        assertThat(asked).contains("resource?type=eds&name=orders&proxy=17_sidecar-1&namespaceId=public");
        assertThat(console.complaints()).isEmpty();
    }

    @Test
    void proxiesFitATelephoneAndStandAmongTheSubscribersOfAService() {
        cairn.post(
                "/v3/admin/ns/instance",
                Map.of("serviceName", "orders", "ip", "10.0.0.9", "port", "80", "ephemeral", "false"));
        Page page = withProxies(Narrow.visitor(console));
        page.navigate(cairn.uri("/ui/proxies").toString());
        assertThat(row(page, "sidecar-1")).containsText(REFUSAL);
        Narrow.check(page, "proxies");

        page.navigate(
                cairn.uri("/ui/services/one?service=orders&tab=subscribers").toString());
        assertThat(page.getByText("3 proxies have its endpoints")).isVisible();
        assertThat(row(page, "sidecar-2")).containsText("grpc-java/1.83.1");
        Narrow.check(page, "service-proxies");
        assertThat(asked).anyMatch(each -> each.contains("resource=orders") && each.contains("namespaceId=public"));

        page.route(
                "**/v3/admin/core/attention?*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("""
                        {"code":0,"message":"success","data":[{"kind":"MESH_PROXY_REFUSES","urgent":false,"subject":"sidecar-1",
                         "groupName":"public","detail":"lds: %s","used":0,"max":0,"since":1795707384703,"reason":""}]}""".formatted(REFUSAL))));
        page.navigate(cairn.uri("/ui/overview?ns=public").toString());
        assertThat(page.getByText("It has refused what it was sent since")).containsText(REFUSAL);
        assertThat(page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName("sidecar-1")))
                .hasAttribute("href", Pattern.compile(".*/ui/proxies\\?ns=public&node=sidecar-1"));
    }

    @Test
    void aResourceIsCheckedWhileItIsTypedAndProxiesThatHaveItAreCounted() {
        Page page = withProxies(console.visitor());
        answer(page, "check", """
                {"valid":false,"typeUrl":null,"name":null,"problems":[{"path":"virtual_hosts[0].routes[0].match","line":7,
                 "column":5,"message":"is missing (expected: a match)"}],"warnings":[],
                 "clusters":[{"name":"orders~version=2","exists":false}]}""");
        page.navigate(cairn.uri("/ui/configs/new?group=CAIRN_XDS").toString());
        button(page, "Route: a canary of 10 %").click();
        assertThat(page.getByLabel("Data ID")).hasValue("route.orders");
        assertThat(page.locator(".cm-content")).containsText("weight: 10");
        assertThat(page.locator(".cm-lint-marker-error")).isVisible();
        page.locator(".cm-lint-marker-error").hover();
        assertThat(page.getByText("virtual_hosts[0].routes[0].match: is missing (expected: a match)"))
                .isVisible();
        Screenshots.take(page, "mesh-editor");

        button(page, "Publish").click();
        assertThat(page.getByText("3 of 40 proxies have it, 1 refused")).isVisible();
        assertThat(page.getByText("sidecar-1: " + REFUSAL)).isVisible();
        assertThat(page.getByText("One problem in this yaml")).isVisible();
        Screenshots.take(page, "mesh-published");
        Accessibility.check(page);
        assertThat(asked).anyMatch(each -> each.contains("type=rds&resource=orders"));
    }
}
