package io.cairn.console.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.cairn.server.auth.SecretFolder;
import io.cairn.server.support.CairnExtension;
import io.cairn.server.support.InspectableServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The users of a server that asks who calls, and how they sign in to its console. */
final class Accounts {

    private final InspectableServer server;
    private final HttpClient http = HttpClient.newHttpClient();
    private String admin;

    Accounts(InspectableServer server) {
        this.server = server;
    }

    String address(String path) {
        return "http://127.0.0.1:" + server.httpPort() + "/nacos" + path;
    }

    /** Sends a request of the first user, which must succeed; its parameters are name and value in turn. */
    String asAdmin(String method, String path, String... parameters) {
        if (admin == null) {
            admin = token("nacos", firstPassword());
        }
        return send(admin, method, path, parameters);
    }

    private String firstPassword() {
        try {
            return Files.readString(server.part(SecretFolder.class).passwordFile())
                    .trim();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Gives the first user a password like those of the others, with which it can sign in to the console. */
    void renewAdmin() {
        asAdmin(
                "PUT",
                "/v3/auth/user",
                "username",
                "nacos",
                "newPassword",
                "pw-of-nacos",
                "oldPassword",
                firstPassword());
        admin = token("nacos", "pw-of-nacos");
    }

    String token(String username, String password) {
        String answer = send(null, "POST", "/v3/auth/user/login", "username", username, "password", password);
        return JsonMapper.shared().readTree(answer).path("accessToken").asString();
    }

    private String send(String token, String method, String path, String... parameters) {
        Map<String, String> query = new LinkedHashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            query.put(parameters[i], parameters[i + 1]);
        }
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(address(path) + (query.isEmpty() ? "" : "?" + CairnExtension.encode(query))))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Makes a user whose password is {@code pw-of-} and its name, with rights such as {@code r dev:*:*}. */
    void user(String name, String... rights) {
        asAdmin("POST", "/v3/auth/user", "username", name, "password", "pw-of-" + name);
        asAdmin("POST", "/v3/auth/role", "role", "R" + name, "username", name);
        for (String right : rights) {
            int blank = right.indexOf(' ');
            asAdmin(
                    "POST",
                    "/v3/auth/permission",
                    "role",
                    "R" + name,
                    "resource",
                    right.substring(blank + 1),
                    "action",
                    right.substring(0, blank));
        }
    }

    void publish(String namespace, String group, String dataId, String content) {
        asAdmin(
                "POST",
                "/v3/admin/cs/config",
                "namespaceId",
                namespace,
                "groupName",
                group,
                "dataId",
                dataId,
                "content",
                content,
                "type",
                "yaml");
    }

    /** Opens a view and signs in over it. */
    Page signedIn(Page page, String view, String name) {
        page.navigate(address("/ui/" + view));
        signIn(page, name, "pw-of-" + name);
        assertThat(account(page, name)).isVisible();
        return page;
    }

    static Locator account(Page page, String name) {
        return page.getByRole(
                AriaRole.BUTTON,
                new Page.GetByRoleOptions().setName("Account of " + name).setExact(true));
    }

    static void signOut(Page page, String name) {
        account(page, name).click();
        page.getByText("Sign out").click();
    }

    /**
     * The browser inserts text into the element that has the focus, and a dialog takes the focus once more after it opened.
     * Text that is filled in at that moment ends up in the other field, so both are filled again.
     */
    static void signIn(Page page, String username, String password) {
        Locator name = page.getByLabel("User name");
        Locator secret = page.getByLabel("Password", new Page.GetByLabelOptions().setExact(true));
        name.fill(username);
        secret.fill(password);
        if (!name.inputValue().equals(username) || !secret.inputValue().equals(password)) {
            name.fill(username);
            secret.fill(password);
        }
        assertThat(name).hasValue(username);
        assertThat(secret).hasValue(password);
        page.getByRole(
                        AriaRole.BUTTON,
                        new Page.GetByRoleOptions().setName("Sign in").setExact(true))
                .click();
    }
}
