package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.support.InspectableServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Administration needs a login, clients do not: which of them come without one. */
@Tag("full")
class WithoutLoginIT {

    @RegisterExtension
    static final InspectableServer cairn = InspectableServer.temporary()
            .with("nacos.core.auth.admin.enabled", "true")
            .with("cairn.auth.rehearsal", "true")
            .with("server.address", "127.0.0.1");

    @RegisterExtension
    static final ConsoleExtension console = new ConsoleExtension();

    @Test
    void listsTheClientsThatALoginWouldRefuse() throws Exception {
        Accounts accounts = new Accounts(cairn);
        accounts.renewAdmin();
        Page page = accounts.signedIn(console.visitor(), "connections?tab=without-login", "nacos");

        assertThat(page.getByText("Every client since")).isVisible();
        assertThat(page.getByText("Rights are checked.")).isVisible();
        Accessibility.check(page);

        publish("orders.yaml");
        publish("stock.yaml");
        assertThat(page.getByText("Those below would be refused if they did.")).isVisible();
        assertThat(page.getByRole(AriaRole.ROW, new Page.GetByRoleOptions().setName("127.0.0.1")))
                .containsText("w dev:*:config/*");
        assertThat(page.getByRole(AriaRole.ROW, new Page.GetByRoleOptions().setName("127.0.0.1")))
                .containsText("A login");
        Accessibility.checkInBothThemes(page);
        Screenshots.take(page, "without-login");
        page.getByLabel("Search clients").fill("no such client");
        assertThat(page.getByText("No client matches")).isVisible();
    }

    private static void publish(String dataId) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + cairn.httpPort()
                        + "/nacos/v1/cs/configs?group=g&tenant=dev&content=x&dataId=" + dataId))
                .header("User-Agent", "Nacos-Java-Client:v1.4.8")
                .header("Client-AppName", "orders")
                .method("POST", BodyPublishers.noBody())
                .build();
        HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
